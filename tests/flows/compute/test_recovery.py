"""A process that ends in the middle of something, and the one that comes after it."""

import pytest


@pytest.fixture
def server(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    yield instance.uuid
    world.delete(instance.uuid)
    world.nothing_left(instance.uuid)


@pytest.fixture
def restarted(world):
    """Stop the service, let the test leave things half done, start it again."""

    def restart(leave):
        world.stop_compute()
        leave()
        world.start_compute()

    yield restart
    if world.process is None:
        world.start_compute()


def test_build_whose_machine_exists_is_finished(world, server, restarted):
    def leave():
        world.task(server, "spawning")
        world.conductor.instances[server].vm_state = "building"

    restarted(leave)
    world.reach(server, "active")


def test_build_without_a_machine_ends_in_error_and_leaves_nothing(world, restarted):
    instance = world.instance(vm_state="building", task_state="networking", host="node-1", node="node-1")
    port = world.peers.neutron.create_port({"network_id": "n", "device_id": instance.uuid})
    world.conductor.events.append([instance.uuid, "compute__do_build_and_run_instance", False, None])
    world.peers.placement.allocations[instance.uuid] = world.conductor.computes["node-1"].uuid
    restarted(lambda: None)
    world.reach(instance.uuid, "error")
    assert "interrupted" in world.conductor.faults[-1].message
    assert port["id"] not in world.peers.neutron.ports
    world.nothing_left(instance.uuid)


def test_interrupted_stop_and_start_are_done(world, server, restarted):
    restarted(lambda: world.task(server, "powering-off"))
    world.reach(server, "stopped")

    restarted(lambda: world.task(server, "powering-on"))
    world.reach(server, "active")


def test_interrupted_deletion_is_finished(world, restarted):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    restarted(lambda: world.task(instance.uuid, "deleting"))
    world.until(lambda: world.row(instance.uuid).deleted, "the server is deleted")
    world.nothing_left(instance.uuid)


def test_interrupted_attachment_is_finished(world, server, restarted):
    volume = world.volume()

    def leave():
        world.volume_mapping(server, volume, device_name="/dev/vdb")

    restarted(leave)
    world.until(lambda: world.peers.cinder.volumes[volume]["status"] == "in-use", "the volume is attached")
    assert f"v-{volume}" in [each["name"] for each in world.guest(server)["spec"]["volumes"]]


def test_started_reboot_of_a_running_guest_is_over(world, server, restarted):
    restarted(lambda: world.task(server, "reboot_started_hard"))
    world.reach(server, "active")


def test_restart_finds_its_records_again(world):
    before = {host: (row.id, row.uuid) for host, row in world.conductor.computes.items()}
    world.stop_compute()
    world.start_compute()
    assert {host: (row.id, row.uuid) for host, row in world.conductor.computes.items()} == before
    assert set(world.peers.placement.providers.values()) == {"node-1", "node-2"}
