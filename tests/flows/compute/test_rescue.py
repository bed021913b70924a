"""Rescue and unrescue."""

import pytest

from keel_common.kube import DATAVOLUME, VM


@pytest.fixture(scope="module")
def server(world):
    return world.boot()


def rescue(world, server, image=None):
    world.task(server, "rescuing")
    image = image or world.peers.glance.id
    return world.outcome("rescue_instance", server, rescue_password=None, rescue_image_ref=image, clean_shutdown=True)


def boot_order(world, server):
    disks = world.kube.get(VM, f"nova-{server}", "servers")["spec"]["template"]["spec"]["domain"]["devices"]["disks"]
    return {each["name"]: each["bootOrder"] for each in disks if "bootOrder" in each}


def spare(world, server):
    return world.kube.find(DATAVOLUME, f"nova-{server}-rescue", "servers")


def test_rescued_server_boots_from_the_rescue_image_and_has_its_disks_behind_it(world, server):
    before = world.guest(server)["metadata"]["uid"]
    assert rescue(world, server) is None
    row = world.reach(server, "rescued")
    assert row.power_state == 1
    assert boot_order(world, server) == {"rescue": 1, "root": 2}
    assert world.guest(server)["metadata"]["uid"] != before


def test_unrescued_server_is_as_it_was_and_the_spare_disk_is_gone(world, server):
    world.task(server, "unrescuing")
    assert world.outcome("unrescue_instance", server) is None
    world.reach(server, "active")
    assert boot_order(world, server) == {"root": 1}
    assert spare(world, server) is None


def test_rescue_with_an_image_that_is_not_there_leaves_the_guest_running(world, server):
    before = world.guest(server)["metadata"]["uid"]
    assert "cannot be rescued" in rescue(world, server, "00000000-0000-0000-0000-00000000dead")
    world.reach(server, "active")
    assert world.guest(server)["metadata"]["uid"] == before
    assert spare(world, server) is None


def test_rescue_whose_image_cannot_be_imported_leaves_the_guest_running(world, server):
    world.sim_says(f"importers/nova-{server}-rescue", {"outcome": "fails", "message": "no space left"})
    before = world.guest(server)["metadata"]["uid"]
    assert "no space left" in rescue(world, server)
    world.reach(server, "active")
    assert world.guest(server)["metadata"]["uid"] == before
    assert spare(world, server) is None
    world.sim_says(f"importers/nova-{server}-rescue", {"outcome": "real"})


def test_interrupted_rescue_goes_back_to_the_own_disks(world, server):
    world.stop_compute()
    world.task(server, "rescuing")
    world.start_compute()
    world.reach(server, "active")
    world.until(lambda: world.guest(server), "the guest runs")
    assert boot_order(world, server) == {"root": 1}


def test_rescued_server_is_deleted_with_its_spare_disk(world, server):
    assert rescue(world, server) is None
    world.reach(server, "rescued")
    world.delete(server)
    world.nothing_left(server)
