"""Servers through openstacksdk, with the cluster's side looked at."""

import pytest
from openstack.exceptions import BadRequestException, ConflictException, NotFoundException

from keel_common.kube import names
from tests.e2e.waiting import wait_for
from tests.e2e.world import World


def test_a_server_is_a_virtual_machine(world: World) -> None:
    """Flavor, image and port of the server stand in the VM, pinned to the host that the scheduler chose."""
    server = world.boot()
    vm = world.vm(server)
    assert vm["metadata"]["labels"][names.SERVER] == server.id
    template = vm["spec"]["template"]["spec"]
    port = next(iter(world.admin.network.ports(device_id=server.id)))
    interfaces = template["domain"]["devices"]["interfaces"]
    assert [interface["macAddress"] for interface in interfaces] == [port.mac_address]
    assert template["domain"]["memory"]["guest"] in ("64Mi", "64M")
    host = world.admin.compute.get_server(server.id).compute_host
    assert port.binding_host_id == host and port.status == "ACTIVE"
    vmi = world.vmi(server)
    assert vmi["status"]["phase"] == "Running" and vmi["status"]["nodeName"] == host
    assert world.allocations(server)


def test_delete_takes_everything_back(world: World) -> None:
    """No VM, secret, claim, port, allocation or attachment stays."""
    server, volume = world.boot(), world.make_volume()
    world.attach(server, volume)
    world.delete_server(server)
    world.assert_no_traces(server)
    assert world.wait_for_volume(volume, "available").attachments == []


def test_stop_start_and_reboot(world: World) -> None:
    """Power off takes the instance from the cluster, power on brings it back; each reboot ends in ACTIVE."""
    server = world.boot()
    compute = world.member.compute
    compute.stop_server(server.id)
    world.wait_for_server(server, "SHUTOFF")
    wait_for("end of the instance", lambda: world.vmi(server) is None)
    with pytest.raises(ConflictException):
        compute.stop_server(server.id)
    compute.start_server(server.id)
    world.wait_for_server(server, "ACTIVE")
    before = world.vmi(server)["metadata"]["uid"]
    compute.reboot_server(server.id, "HARD")
    world.wait_for_server(server, "ACTIVE")
    assert world.vmi(server)["metadata"]["uid"] != before
    compute.reboot_server(server.id, "SOFT")
    world.wait_for_server(server, "ACTIVE")
    actions = [action.action for action in compute.server_actions(server.id)]
    assert actions == ["reboot", "reboot", "start", "stop", "create"]


def test_metadata_tags_and_names(world: World) -> None:
    """What a person writes on a server is kept and can be searched by."""
    server = world.boot(metadata={"role": "web"})
    compute = world.member.compute
    compute.set_server_metadata(server.id, tier="front")
    assert compute.get_server_metadata(server.id).metadata == {"role": "web", "tier": "front"}
    compute.delete_server_metadata(server.id, ["role"])
    assert compute.get_server_metadata(server.id).metadata == {"tier": "front"}
    compute.update_server(server.id, name=server.name + "-renamed")
    assert world.server(server).name.endswith("-renamed")
    session, tagged = compute, {"headers": {"OpenStack-API-Version": "compute 2.26"}}
    assert session.put(f"/servers/{server.id}/tags/blue", **tagged).status_code == 201
    found = session.get("/servers?tags=blue", **tagged).json()["servers"]
    assert [one["id"] for one in found] == [server.id]


def test_lists_page_sort_and_filter(world: World) -> None:
    """Pages follow each other without gap or overlap; filters and sorting hold."""
    servers = [world.boot() for _ in range(3)]
    ids = {server.id for server in servers}
    compute = world.member.compute
    by_page = [found.id for found in compute.servers(limit=1, sort_key="created_at", sort_dir="desc")]
    assert len(by_page) == len(set(by_page)) and ids <= set(by_page)
    assert [found.id for found in compute.servers(name=servers[1].name)] == [servers[1].id]
    assert ids <= {found.id for found in compute.servers(status="ACTIVE")}
    assert not [found.id for found in compute.servers(status="SHUTOFF") if found.id in ids]


def test_refusals_are_clear(world: World) -> None:
    """What cannot be is refused with the code that Nova has for it."""
    with pytest.raises(NotFoundException):
        world.member.compute.get_server("d9f7a6a4-0c52-4f3c-a3ec-5a4d3f3a4b10")
    with pytest.raises(BadRequestException):
        world.request_server(image_id="d9f7a6a4-0c52-4f3c-a3ec-5a4d3f3a4b10")
    with pytest.raises(BadRequestException):
        world.request_server(networks=[{"uuid": "d9f7a6a4-0c52-4f3c-a3ec-5a4d3f3a4b10"}])


def test_a_server_that_fits_nowhere_fails_cleanly(world: World) -> None:
    """No valid host: ERROR with the reason, and nothing is left when it is deleted."""
    compute = world.admin.compute
    flavor = compute.create_flavor(name=world.name("flavor"), vcpus=1, ram=64, disk=1)
    try:
        compute.create_flavor_extra_specs(flavor, {"resources:VGPU": "1"})
        server = world.request_server(flavor_id=flavor.id)
        failed = world.wait_for_server(server, "ERROR")
        assert "No valid host" in failed.fault["message"] and failed.fault["code"] == 500
        world.delete_server(server)
        world.assert_no_traces(server)
    finally:
        compute.delete_flavor(flavor)


def test_boot_from_volume(world: World) -> None:
    """A root volume made from the image, deleted with the server."""
    image = world.member.image.find_image("tiny")
    mapping = {
        "uuid": image.id,
        "source_type": "image",
        "destination_type": "volume",
        "volume_size": 1,
        "boot_index": 0,
        "delete_on_termination": True,
    }
    server = world.boot(image_id="", block_device_mapping=[mapping])
    attached = list(world.member.compute.volume_attachments(server.id))
    assert len(attached) == 1
    root = world.member.block_storage.get_volume(attached[0].volume_id)
    assert root.status == "in-use" and root.is_bootable
    world.delete_server(server)
    world.assert_no_traces(server)
    wait_for("end of the root volume", lambda: world.volume(root) is None)
