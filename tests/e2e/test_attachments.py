"""A volume in a server, seen from both APIs and from the cluster."""

import pytest
from openstack.exceptions import BadRequestException, ConflictException

from keel_common.kube import names
from tests.e2e.world import World


def test_attach_and_detach(world: World) -> None:
    """In use on one side, a disk in the instance on the other; afterwards neither."""
    server, volume = world.boot(), world.make_volume()
    attachment = world.attach(server, volume)
    assert attachment.device
    shown = world.volume(volume).attachments[0]
    assert shown["server_id"] == server.id and shown["device"] == attachment.device
    assert len(world.attachments(server)) == 1
    disks = [disk["name"] for disk in world.vm(server)["spec"]["template"]["spec"]["domain"]["devices"]["disks"]]
    assert names.disk(volume.id) in disks
    world.detach(server, volume)
    assert world.attachments(server) == []
    assert world.volume(volume).attachments == []


def test_a_stopped_server_takes_a_volume_and_keeps_it(world: World) -> None:
    """Attached while stopped, there when it runs."""
    server, volume = world.boot(), world.make_volume()
    world.member.compute.stop_server(server.id)
    world.wait_for_server(server, "SHUTOFF")
    world.member.compute.create_volume_attachment(server.id, volume_id=volume.id)
    world.wait_for_volume(volume, "in-use")
    world.member.compute.start_server(server.id)
    world.wait_for_server(server, "ACTIVE")
    disks = [disk["name"] for disk in world.vmi(server)["spec"]["domain"]["devices"]["disks"]]
    assert names.disk(volume.id) in disks


def test_one_volume_one_server(world: World) -> None:
    """A volume in use is refused a second server, and is not deleted."""
    first, second, volume = world.boot(), world.boot(), world.make_volume()
    world.attach(first, volume)
    with pytest.raises(BadRequestException):
        world.member.compute.create_volume_attachment(second.id, volume_id=volume.id)
    with pytest.raises((BadRequestException, ConflictException)):
        world.member.block_storage.delete_volume(volume.id)
    assert world.volume(volume).status == "in-use"


def test_a_reboot_keeps_the_volume(world: World) -> None:
    """After a hard reboot the volume is a disk of the new instance."""
    server, volume = world.boot(), world.make_volume()
    world.attach(server, volume)
    world.member.compute.reboot_server(server.id, "HARD")
    world.wait_for_server(server, "ACTIVE")
    disks = [disk["name"] for disk in world.vmi(server)["spec"]["domain"]["devices"]["disks"]]
    assert names.disk(volume.id) in disks
    world.detach(server, volume)
