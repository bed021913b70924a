"""Many servers at once, over both hosts."""

from concurrent.futures import ThreadPoolExecutor

COUNT = 20


def test_servers_are_built_and_deleted_side_by_side(world):
    servers = [world.instance() for _ in range(COUNT)]
    for number, instance in enumerate(servers):
        world.image_mapping(instance.uuid)
        world.build(instance, f"node-{number % 2 + 1}")
    for instance in servers:
        world.reach(instance.uuid, "active")
    placed = {world.guest(instance.uuid)["status"]["nodeName"] for instance in servers}
    assert placed == {"node-1", "node-2"}
    addresses = [vif["address"] for each in servers for vif in world.row(each.uuid).info_cache.network_info]
    assert len(set(addresses)) == COUNT
    with ThreadPoolExecutor(COUNT) as pool:
        list(pool.map(lambda instance: world.delete(instance.uuid), servers))
    for instance in servers:
        world.nothing_left(instance.uuid)
