"""Volumes and ports of a running server."""

import pytest

from keel_common.clients import errors
from keel_contract.errors import RemoteFault


@pytest.fixture(scope="module")
def server(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    return instance.uuid


def attach(world, server, volume):
    """As the conductor does it: reserve a name, make the attachment, send."""
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
    world.ask("attach_volume", server, bdm=mapping)
    return mapping


def finished(world, event):
    world.until(
        lambda: world.conductor.events[-1][1:3] == [f"compute_{event}", True], f"{event}: {world.conductor.events[-1]}"
    )
    return world.conductor.events[-1][3]


def names(world, server):
    return [each["name"] for each in world.guest(server)["spec"]["volumes"]]


def test_volume_is_attached_and_detached(world, server):
    volume = world.volume()
    mapping = attach(world, server, volume)
    assert finished(world, "attach_volume") is None
    assert mapping.device_name == "/dev/vdb"
    assert world.peers.cinder.volumes[volume]["status"] == "in-use"
    assert f"v-{volume}" in names(world, server)
    assert '"serial": "' + volume in world.conductor.mappings[mapping.uuid].connection_info
    status = {each["name"]: each["phase"] for each in world.guest(server)["status"]["volumeStatus"]}
    assert status[f"v-{volume}"] == "Ready"

    world.ask("detach_volume", server, volume_id=volume, attachment_id=mapping.attachment_id)
    assert finished(world, "detach_volume") is None
    assert world.peers.cinder.volumes[volume]["status"] == "available"
    assert f"v-{volume}" not in names(world, server)
    assert mapping.uuid not in world.conductor.mappings


def test_attachment_that_cinder_refuses_is_taken_back(world, server):
    volume = world.volume()
    world.peers.cinder.refuse = errors.BadRequest(400, "Invalid connector", "cinder")
    mapping = attach(world, server, volume)
    assert "Invalid connector" in finished(world, "attach_volume")
    assert "Invalid connector" in world.conductor.faults[-1].message
    assert mapping.uuid not in world.conductor.mappings
    assert world.peers.cinder.volumes[volume]["status"] == "available"
    assert world.row(server).vm_state == "active"


def test_volume_whose_claim_is_missing_is_taken_back(world, server):
    volume = world.peers.cinder.add()
    attach(world, server, volume)
    assert "did not reach the guest" in finished(world, "attach_volume")
    assert f"v-{volume}" not in names(world, server)
    assert world.peers.cinder.volumes[volume]["status"] == "available"


def test_root_volume_cannot_leave_a_running_guest(world, server):
    (root,) = [
        each for each in world.conductor.mappings.values() if each.instance_uuid == server and each.boot_index == 0
    ]
    world.ask("detach_volume", server, volume_id=root.volume_id, attachment_id=root.attachment_id)
    assert "was there when the server booted" in finished(world, "detach_volume")
    assert world.peers.cinder.volumes[root.volume_id]["status"] == "in-use"


def test_port_is_attached_and_detached(world, server):
    network = world.peers.neutron.network["id"]
    vif = world.ask("attach_interface", server, network_id=network, port_id=None, requested_ip=None, tag=None)
    cached = world.row(server).info_cache.network_info
    assert [each["id"] for each in cached][-1] == vif["id"]
    assert world.peers.neutron.ports[vif["id"]]["binding:host_id"] == "node-1"
    assert vif["id"] in world.conductor.interfaces

    world.ask("detach_interface", server, port_id=vif["id"])
    assert finished(world, "detach_interface") is None
    assert vif["id"] not in world.peers.neutron.ports
    assert vif["id"] not in world.conductor.interfaces
    assert len(world.row(server).info_cache.network_info) == len(cached) - 1


def test_port_of_the_user_survives_its_detachment(world, server):
    port = world.peers.neutron.create_port({"network_id": world.peers.neutron.network["id"]})["id"]
    world.ask("attach_interface", server, network_id=None, port_id=port, requested_ip=None, tag="mine")
    assert world.conductor.interfaces[port].tag == "mine"
    world.ask("detach_interface", server, port_id=port)
    assert finished(world, "detach_interface") is None
    assert world.peers.neutron.ports[port]["device_id"] == ""


def test_port_in_use_is_refused_with_the_recorded_exception(world, server):
    port = world.peers.neutron.create_port({"network_id": world.peers.neutron.network["id"], "device_id": "other"})[
        "id"
    ]
    with pytest.raises(RemoteFault, match="still in use") as caught:
        world.ask("attach_interface", server, network_id=None, port_id=port, requested_ip=None, tag=None)
    assert caught.value.class_name == "InterfaceAttachFailed"
    assert world.peers.neutron.ports[port]["device_id"] == "other"
