"""Volumes and ports of a running server."""

import pytest

from keel_common.clients import errors
from keel_contract.errors import RemoteFault
from keel_contract.nova import objects


@pytest.fixture(scope="module")
def server(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    return instance.uuid


def attach(world, server, volume):
    """As the conductor does it: reserve a name, make the attachment, send. Answers mapping and error."""
    mapping = world.ask(
        "reserve_block_device_name",
        server,
        device=None,
        volume_id=volume,
        disk_bus=None,
        device_type=None,
        tag=None,
        multiattach=False,
    )
    attachment = world.peers.cinder.create_attachment(None, volume, server)["id"]
    world.conductor.mappings[mapping.uuid].attachment_id = mapping.attachment_id = attachment
    return mapping, world.outcome("attach_volume", server, bdm=mapping)


def detach(world, server, mapping):
    return world.outcome("detach_volume", server, volume_id=mapping.volume_id, attachment_id=mapping.attachment_id)


def names(world, server):
    return [each["name"] for each in world.guest(server)["spec"]["volumes"]]


def test_volume_is_attached_and_detached(world, server):
    volume = world.volume()
    mapping, error = attach(world, server, volume)
    assert error is None
    assert mapping.device_name == "/dev/vdb"
    assert world.peers.cinder.volumes[volume]["status"] == "in-use"
    assert f"v-{volume}" in names(world, server)
    assert '"serial": "' + volume in world.conductor.mappings[mapping.uuid].connection_info
    status = {each["name"]: each.get("phase") for each in world.guest(server)["status"]["volumeStatus"]}
    assert status[f"v-{volume}"] == "Ready"

    assert detach(world, server, mapping) is None
    assert world.peers.cinder.volumes[volume]["status"] == "available"
    assert f"v-{volume}" not in names(world, server)
    assert mapping.uuid not in world.conductor.mappings


def test_attachment_that_cinder_refuses_is_taken_back(world, server):
    volume = world.volume()
    world.peers.cinder.refuse = errors.BadRequest(400, "Invalid connector", "cinder")
    mapping, error = attach(world, server, volume)
    assert "Invalid connector" in error
    assert "Invalid connector" in world.conductor.faults[-1].message
    assert mapping.uuid not in world.conductor.mappings
    assert world.peers.cinder.volumes[volume]["status"] == "available"
    assert world.row(server).vm_state == "active"


def test_volume_whose_claim_is_missing_is_taken_back(world, server):
    volume = world.peers.cinder.add()
    _, error = attach(world, server, volume)
    assert "did not reach the guest" in error
    assert f"v-{volume}" not in names(world, server)
    assert world.peers.cinder.volumes[volume]["status"] == "available"


def test_root_volume_cannot_leave_a_running_guest(world, server):
    (root,) = [
        each for each in world.conductor.mappings.values() if each.instance_uuid == server and each.boot_index == 0
    ]
    assert "was there when the server booted" in detach(world, server, root)
    assert world.peers.cinder.volumes[root.volume_id]["status"] == "in-use"


def plug(world, server, **wish):
    wish = {"network_id": None, "port_id": None, "requested_ip": None, "tag": None, **wish}
    return world.ask("attach_interface", server, **wish)


def cards(world, server):
    devices = world.machine(server)["spec"]["template"]["spec"]["domain"]["devices"]
    return [each["macAddress"] for each in devices["interfaces"]]


def test_port_that_a_running_guest_does_not_take_is_taken_back(world, server):
    """Plain Multus plugs a card by a live migration only, and a server pinned to its node has nowhere to go."""
    before, ports = cards(world, server), set(world.peers.neutron.ports)
    world.sim_says("networks", {"dynamic": False})
    try:
        with pytest.raises(RemoteFault, match="did not reach the guest") as caught:
            plug(world, server, network_id=world.peers.neutron.network["id"])
    finally:
        world.sim_says("networks", {"dynamic": True})
    assert caught.value.class_name == "InterfaceAttachFailed"
    assert cards(world, server) == before
    assert set(world.peers.neutron.ports) == ports


def test_port_of_a_running_server_is_attached_and_detached(world, server):
    vif = plug(world, server, network_id=world.peers.neutron.network["id"])
    plugged = {each["mac"] for each in world.guest(server)["status"]["interfaces"]}
    assert vif["address"] in plugged
    assert world.outcome("detach_interface", server, port_id=vif["id"]) is None
    assert vif["address"] not in {each["mac"] for each in world.guest(server)["status"]["interfaces"]}
    assert vif["address"] not in cards(world, server)
    assert vif["id"] not in world.peers.neutron.ports


def send_event(world, server, name, tag):
    event = objects.InstanceExternalEvent(instance_uuid=server, name=name, tag=tag, status="completed", data={})
    world.compute.send(world.context(), "external_instance_event", instances=[world.row(server)], events=[event])


def test_port_deleted_at_neutron_leaves_the_server(world, server):
    vif = plug(world, server, network_id=world.peers.neutron.network["id"])
    world.peers.neutron.delete_port(vif["id"])
    send_event(world, server, "network-vif-deleted", vif["id"])
    world.until(lambda: vif["address"] not in cards(world, server), "the card leaves the machine")
    world.until(lambda: vif["id"] not in world.conductor.interfaces, "the row goes")
    world.until(lambda: vif["id"] not in str(world.row(server).info_cache.network_info), "the cache forgets it")


def test_changed_network_refreshes_the_cache(world, server):
    (port,) = [each for each in world.peers.neutron.ports.values() if each["device_id"] == server]
    port["fixed_ips"] = [{**port["fixed_ips"][0], "ip_address": "10.0.0.99"}]
    send_event(world, server, "network-changed", port["id"])
    world.until(lambda: "10.0.0.99" in str(world.row(server).info_cache.network_info), "the cache has the new address")


def test_a_volume_that_has_grown_is_written_down_and_the_action_ends(world, server):
    volume = world.volume()
    mapping, error = attach(world, server, volume)
    assert error is None
    world.peers.cinder.volumes[volume]["size"] = 7
    send_event(world, server, "volume-extended", volume)
    world.until(lambda: world.conductor.mappings[mapping.uuid].volume_size == 7, "the size is written down")
    wanted = [server, "compute_extend_volume", True, None]
    world.until(lambda: wanted in world.conductor.events, "the event of the action ends well")
    detach(world, server, mapping)
    before = len(world.conductor.events)
    send_event(world, server, "volume-extended", volume)
    world.until(lambda: wanted in world.conductor.events[before:], "one about another's volume ends too")


@pytest.fixture(scope="module")
def stopped(world, server):
    world.task(server, "powering-off")
    world.ask("stop_instance", server, clean_shutdown=True)
    world.reach(server, "stopped")
    return server


def test_volume_of_a_stopped_server_is_attached_and_detached(world, stopped):
    volume = world.volume()
    mapping, error = attach(world, stopped, volume)
    assert error is None
    assert world.peers.cinder.volumes[volume]["status"] == "in-use"
    assert detach(world, stopped, mapping) is None
    assert world.peers.cinder.volumes[volume]["status"] == "available"


def test_port_is_attached_and_detached(world, stopped):
    vif = plug(world, stopped, network_id=world.peers.neutron.network["id"])
    cached = world.row(stopped).info_cache.network_info
    assert [each["id"] for each in cached][-1] == vif["id"]
    assert vif["address"] in cards(world, stopped)
    assert world.peers.neutron.ports[vif["id"]]["binding:host_id"] == "node-1"
    assert vif["id"] in world.conductor.interfaces

    assert world.outcome("detach_interface", stopped, port_id=vif["id"]) is None
    assert vif["address"] not in cards(world, stopped)
    assert vif["id"] not in world.peers.neutron.ports
    assert vif["id"] not in world.conductor.interfaces
    assert len(world.row(stopped).info_cache.network_info) == len(cached) - 1


def test_port_of_the_user_survives_its_detachment(world, stopped):
    port = world.peers.neutron.create_port({"network_id": world.peers.neutron.network["id"]})["id"]
    plug(world, stopped, port_id=port, tag="mine")
    assert world.conductor.interfaces[port].tag == "mine"
    assert world.outcome("detach_interface", stopped, port_id=port) is None
    assert world.peers.neutron.ports[port]["device_id"] == ""


def test_port_in_use_is_refused_with_the_recorded_exception(world, stopped):
    network = world.peers.neutron.network["id"]
    port = world.peers.neutron.create_port({"network_id": network, "device_id": "other"})["id"]
    with pytest.raises(RemoteFault, match="still in use") as caught:
        plug(world, stopped, port_id=port)
    assert caught.value.class_name == "InterfaceAttachFailed"
    assert world.peers.neutron.ports[port]["device_id"] == "other"


def test_deleted_server_frees_a_volume_whose_reservation_nobody_noted(world):
    server, volume = world.boot(), world.volume()
    mapping = world.volume_mapping(server, volume)
    mapping.attachment_id = None
    mapping.obj_reset_changes()
    world.delete(server)
    world.nothing_left(server)
    assert world.peers.cinder.volumes[volume]["status"] == "available"
