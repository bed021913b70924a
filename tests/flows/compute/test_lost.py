"""Nothing is lost and nothing stays half done: volumes and ports of servers that fail, operations nobody works at."""

import datetime

import pytest

from keel_common.clients import errors
from keel_common.kube import DATAVOLUME, SECRET
from keel_contract.nova import objects

NAMESPACE = "servers"
OLD = datetime.timedelta(seconds=600)


def long_ago():
    return datetime.datetime.now(datetime.UTC) - OLD


def from_image(world, server):
    return world.conductor.add_mapping(
        instance_uuid=server,
        source_type="image",
        destination_type="volume",
        image_id=world.peers.glance.id,
        volume_size=1,
        boot_index=0,
        delete_on_termination=True,
    )


def terminate(world, server, *mappings):
    """The message with the mappings as they were when the API read them."""
    world.task(server, "deleting")
    world.ask("terminate_instance", server, bdms=objects.BlockDeviceMappingList(objects=list(mappings)))
    world.until(lambda: world.row(server).deleted, "the server is deleted")


def test_a_volume_that_is_being_made_when_its_server_is_deleted_goes_with_it(world):
    world.peers.cinder.made = lambda volume: volume.update(status="creating")
    instance = world.instance(image_ref="")
    outdated = from_image(world, instance.uuid).obj_clone()
    try:
        world.build(instance)
        world.until(lambda: world.peers.cinder.volumes, "the volume is asked for")
        world.until(lambda: world.row(instance.uuid).host, "the host has the server")
        terminate(world, instance.uuid, outdated)
    finally:
        world.peers.cinder.made = None
    world.until(lambda: not world.peers.cinder.volumes, "the volume is deleted")
    world.nothing_left(instance.uuid)


def test_a_volume_that_could_not_be_made_is_known_to_its_server(world):
    world.peers.cinder.made = lambda volume: volume.update(status="error")
    instance = world.instance(image_ref="")
    mapping = from_image(world, instance.uuid)
    try:
        world.build(instance)
        world.reach(instance.uuid, "error")
    finally:
        world.peers.cinder.made = None
    (volume,) = world.peers.cinder.volumes
    assert world.conductor.mappings[mapping.uuid].volume_id == volume
    world.peers.cinder.volumes.clear()


def test_an_attachment_under_way_is_ended_by_the_deletion(world):
    """The message was written before the volume came."""
    server = world.boot()
    before = [each.obj_clone() for each in world.conductor.mappings.values() if each.instance_uuid == server]
    volume = world.volume()
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    world.sim_says("controllers/*", {"paused": True})
    try:
        world.ask("attach_volume", server, bdm=mapping.obj_clone())
        world.until(lambda: world.peers.cinder.attachments[mapping.attachment_id].get("connector"), "it is under way")
        world.task(server, "deleting")
        world.ask("terminate_instance", server, bdms=objects.BlockDeviceMappingList(objects=before))
    finally:
        world.sim_says("controllers/*", {"paused": False})
    world.until(lambda: world.row(server).deleted, "the server is deleted")
    world.until(lambda: world.peers.cinder.volumes[volume]["status"] == "available", "the volume is free")
    world.nothing_left(server)


def test_ports_that_could_not_be_given_back_are_known_as_the_users_for_who_deletes_the_server(world):
    port = world.peers.neutron.create_port({"network_id": world.peers.neutron.network["id"]})["id"]
    instance = world.instance()
    world.image_mapping(instance.uuid)
    world.sim_says("importers/*", {"outcome": "fails", "message": "no such image"})
    world.peers.neutron.meanwhile = lambda: setattr(world.peers.neutron, "away", True)
    wish = [{"network_id": world.peers.neutron.network["id"], "port_id": port, "address": None, "tag": None}]
    try:
        world.build(instance, networks=wish)
        world.reach(instance.uuid, "error")
    finally:
        world.peers.neutron.away = False
        world.sim_says("importers/*", {"outcome": "real"})
    row = world.row(instance.uuid)
    assert row.host is None
    assert [(vif["id"], vif["preserve_on_delete"]) for vif in row.info_cache.network_info] == [(port, True)]
    assert "left over" in world.conductor.faults[-1].message
    del world.peers.neutron.ports[port]


def test_of_two_servers_that_want_a_port_at_once_one_gets_it(world):
    port = world.peers.neutron.create_port({"network_id": world.peers.neutron.network["id"]})["id"]
    instance = world.instance()
    world.image_mapping(instance.uuid)

    def somebody_else():
        world.peers.neutron.ports[port].update(device_id="another", revision_number=2)

    world.peers.neutron.meanwhile = somebody_else
    wish = [{"network_id": world.peers.neutron.network["id"], "port_id": port, "address": None, "tag": None}]
    world.build(instance, networks=wish)
    world.reach(instance.uuid, "error")
    assert "in use" in world.conductor.faults[-1].message
    assert world.peers.neutron.ports[port]["device_id"] == "another"
    world.nothing_left(instance.uuid)
    del world.peers.neutron.ports[port]


@pytest.mark.parametrize("task_state", [None, "networking", "spawning"])
def test_a_build_that_nobody_works_at_ends_in_error(world, task_state):
    """Its outcome could not be written, or its thread died: the audit of the host finds it, without a restart."""
    values = {"vm_state": "building", "host": "node-1", "node": "node-1", "updated_at": long_ago()}
    instance = world.instance(task_state=task_state, **values)
    world.peers.placement.allocations[instance.uuid] = world.conductor.computes["node-1"].uuid
    world.reach(instance.uuid, "error")
    world.nothing_left(instance.uuid)


@pytest.mark.parametrize(("task_state", "vm_state"), [("powering-off", "stopped"), ("rebooting_hard", "active")])
def test_an_action_whose_message_was_lost_is_done(world, task_state, vm_state):
    server = world.boot()
    with world.conductor.lock:
        world.conductor.instances[server].updated_at = long_ago()
    world.task(server, task_state)
    world.reach(server, vm_state)
    world.delete(server)


def test_a_deletion_whose_message_was_lost_is_done(world):
    server = world.boot()
    with world.conductor.lock:
        world.conductor.instances[server].updated_at = long_ago()
    world.task(server, "deleting")
    world.until(lambda: world.row(server).deleted, "the server is deleted")
    world.nothing_left(server)


def test_an_action_that_was_just_asked_for_is_left_to_its_message(world):
    server = world.boot()
    with world.conductor.lock:
        world.conductor.instances[server].updated_at = datetime.datetime.now(datetime.UTC)
    world.task(server, "powering-off")
    seen = len(world.conductor.messages)
    world.until(lambda: len(world.conductor.messages) > seen + 4, "the host was audited meanwhile")
    assert world.row(server).task_state == "powering-off"
    world.delete(server)


@pytest.mark.parametrize("state", ["deleted", "given up"])
def test_objects_of_a_server_that_is_gone_leave_the_cluster(world, state):
    """Also when no machine was made yet that leads to them."""
    on = "node-1" if state == "deleted" else None
    gone = world.instance(vm_state="deleted" if state == "deleted" else "error", task_state=None, host=on)
    labels = {"openstack.org/managed-by": "openkeel-compute", "openstack.org/server-id": gone.uuid}
    secret = SECRET.body(f"nova-{gone.uuid}-userdata", NAMESPACE, type="Opaque", data={})
    disk = DATAVOLUME.body(
        f"nova-{gone.uuid}-root",
        NAMESPACE,
        spec={"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "1Gi"}}}},
    )
    for kind, body in ((SECRET, secret), (DATAVOLUME, disk)):
        body["metadata"]["labels"] = labels
        world.kube.create(kind, body)
    with world.conductor.lock:
        world.conductor.instances[gone.uuid].deleted = state == "deleted"
    world.nothing_left(gone.uuid)


def test_an_allocation_that_could_not_be_given_back_is_given_back_later(world):
    given_up = world.instance(vm_state="error", task_state=None)
    world.peers.placement.allocations[given_up.uuid] = world.conductor.computes["node-1"].uuid
    world.nothing_left(given_up.uuid)


def test_a_build_that_cannot_be_handed_on_ends_in_error(world):
    instance = world.instance()
    world.image_mapping(instance.uuid)
    world.peers.neutron.vif_type = "binding_failed"
    delete = world.peers.placement.delete_allocations

    def once(_consumer):
        world.peers.placement.delete_allocations = delete
        raise errors.Unreachable(0, "no answer", "placement")

    world.peers.placement.delete_allocations = once
    try:
        world.build(instance)
        world.reach(instance.uuid, "error")
    finally:
        world.peers.neutron.vif_type = "ovs"
        world.peers.placement.delete_allocations = delete
    assert not world.conductor.rescheduled
    world.nothing_left(instance.uuid)
