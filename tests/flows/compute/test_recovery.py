"""A process that ends in the middle of something, and the one that comes after it."""

import datetime

import pytest

from keel_common.kube import VM


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


def test_interrupted_detachment_is_finished(world, server, restarted):
    volume = world.volume()
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    assert world.outcome("attach_volume", server, bdm=mapping.obj_clone()) is None
    restarted(lambda: world.peers.cinder.volumes[volume].update(status="detaching"))
    world.until(lambda: world.peers.cinder.volumes[volume]["status"] == "available", "the volume is free")
    assert f"v-{volume}" not in [each["name"] for each in world.guest(server)["spec"]["volumes"]]
    world.until(lambda: mapping.uuid not in world.conductor.mappings, "the mapping goes")


def test_build_that_nobody_began_ends_in_error(world):
    old = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=600)
    lost, fresh = world.instance(updated_at=old), world.instance(updated_at=None)
    uuid = world.conductor.computes["node-1"].uuid
    world.peers.placement.allocations |= {lost.uuid: uuid, fresh.uuid: uuid}
    world.reach(lost.uuid, "error")
    world.until(lambda: "was lost" in world.conductor.faults[-1].message, "the fault tells why")
    world.nothing_left(lost.uuid)
    assert world.row(fresh.uuid).vm_state == "building"
    del world.peers.placement.allocations[fresh.uuid]


def test_leftovers_of_a_deleted_server_are_reaped(world, server):
    gone = world.instance(vm_state="deleted", task_state=None)
    with world.conductor.lock:
        world.conductor.instances[gone.uuid].deleted = True
    world.peers.placement.allocations[gone.uuid] = world.conductor.computes["node-1"].uuid
    machine = world.machine(server)
    names_labels = {**machine["metadata"]["labels"], "openstack.org/server-id": gone.uuid}
    body = {"metadata": {"name": f"nova-{gone.uuid}", "namespace": machine["metadata"]["namespace"]}}
    body["metadata"]["labels"] = names_labels
    body["spec"] = {
        "runStrategy": "Manual",
        "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "64Mi"}}}},
    }
    world.kube.apply(VM, body)
    world.nothing_left(gone.uuid)


def test_started_reboot_of_a_running_guest_is_over(world, server, restarted):
    restarted(lambda: world.task(server, "reboot_started_hard"))
    world.reach(server, "active")
    ended = [server, "compute_reboot_instance", True, None]
    world.until(lambda: ended in world.conductor.events, "the event of the reboot ends")


def test_restart_finds_its_records_again(world):
    before = {host: (row.id, row.uuid) for host, row in world.conductor.computes.items()}
    world.stop_compute()
    world.start_compute()
    assert {host: (row.id, row.uuid) for host, row in world.conductor.computes.items()} == before
    assert set(world.peers.placement.providers.values()) == {"node-1", "node-2"}
