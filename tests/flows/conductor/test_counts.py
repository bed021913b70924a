"""How many SQL statements the conductor's share of an operation takes. A statement more fails with the list of them."""

from keel_common.db import count_statements
from keel_contract.nova import objects


def within(seen, most):
    assert len(seen) <= most, "\n".join(
        f"{number:3} {' '.join(text.split())[:150]}" for number, text in enumerate(seen, 1)
    )


def test_placing_one_server(cloud):
    cloud.build(*cloud.asked())  # the first server of a project and of an image writes two rows more
    asked = cloud.asked()
    with count_statements() as seen:
        cloud.build(*asked)
    within(seen, 21)


def test_each_further_server_of_a_request(cloud):
    cloud.build(*cloud.asked())
    asked = cloud.asked(8)
    with count_statements() as seen:
        cloud.build(*asked)
    within(seen, 21 + 7 * 14)


def test_a_whole_boot_with_the_calls_of_a_compute(cloud):
    """The saves that a compute of this house makes: claim, networking, spawning, active; one event; one interface."""
    cloud.build(*cloud.asked())
    asked, context = cloud.asked(), cloud.context()
    with count_statements() as seen:
        cloud.build(*asked, context=context)
        cloud.until(lambda: len(cloud.compute.built) == 2)
        instance = cloud.compute.built[1][1]["instance"]
        event = instance.uuid, "compute__do_build_and_run_instance"
        about = context, "InstanceActionEvent"
        cloud.remote.class_action(*about, "event_start", *event, want_result=False, host="node-1")
        instance.host, instance.node, instance.compute_id, instance.launched_on = "node-1", "node-1", 1, "node-1"
        instance.task_state = "networking"
        cloud.remote.action(context, instance, "save", expected_task_state=["scheduling", None])
        for state in ("block_device_mapping", "spawning"):
            instance.task_state = state
            cloud.remote.action(context, instance, "save")
        cache = objects.InstanceInfoCache(instance_uuid=instance.uuid, network_info=[{"id": "port"}])
        cloud.remote.action(context, cache, "save")
        instance.vm_state, instance.task_state, instance.power_state = "active", None, 1
        cloud.remote.action(context, instance, "save", expected_task_state="spawning")
        cloud.remote.class_action(*about, "event_finish_with_failure", *event, want_result=False)
    within(seen, 38)


def test_one_guarded_save(cloud):
    context = cloud.context(is_admin=True)
    instance = cloud.instance()
    cloud.remote.action(context, instance, "create")
    instance.task_state = "networking"
    with count_statements() as seen:
        cloud.remote.action(context, instance, "save", expected_task_state="scheduling")
    within(seen, 2)


def test_destroying_a_server(cloud):
    context = cloud.context(is_admin=True)
    instance = cloud.instance()
    cloud.remote.action(context, instance, "create")
    with count_statements() as seen:
        cloud.remote.action(context, instance, "destroy")
    within(seen, 14)


def test_loading_twenty_servers_of_a_host(cloud):
    context = cloud.context(is_admin=True)
    for _ in range(20):
        cloud.remote.action(context, cloud.instance(host="node-1"), "create")
    parts = ["info_cache", "metadata", "system_metadata", "numa_topology", "flavor"]
    with count_statements() as seen:
        found = cloud.remote.class_action(context, "InstanceList", "get_by_host", "node-1", expected_attrs=parts)
    assert len(found.objects) == 20
    within(seen, 3)
