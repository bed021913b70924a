"""Rebuild on the same host."""

import pytest

from keel_common.kube import PVC
from keel_contract.nova import objects


@pytest.fixture(scope="module")
def server(world):
    return world.boot()


def rebuild(world, server, image=None, **more):
    world.task(server, "rebuilding")
    before = len(world.conductor.events)
    image = image or world.peers.glance.id
    asked = {
        "orig_image_ref": image,
        "image_ref": image,
        "injected_files": [],
        "new_pass": None,
        "orig_sys_metadata": {},
        "bdms": None,
        "recreate": False,
        "on_shared_storage": None,
        "preserve_ephemeral": False,
        "migration": None,
        "scheduled_node": None,
        "limits": None,
        "request_spec": None,
        "accel_uuids": [],
        "reimage_boot_volume": False,
        "target_state": None,
    }
    world.ask("rebuild_instance", server, **(asked | more))

    def ended():
        new = [each for each in world.conductor.events[before:] if each[:2] == [server, "compute_rebuild_instance"]]
        return new[-1] if new and new[-1][2] else None

    return world.until(ended, "the rebuild ends")[3]


def attachment_of(world, volume):
    found = [each for each in world.conductor.mappings.values() if each.volume_id == volume]
    return found[0].attachment_id


def root(world, server):
    return world.kube.get(PVC, f"nova-{server}-root", "servers")["metadata"]["uid"]


def test_rebuilt_server_has_a_new_root_disk_and_keeps_its_port(world, server):
    before, vifs = root(world, server), [each["id"] for each in world.row(server).info_cache.network_info]
    assert rebuild(world, server) is None
    row = world.reach(server, "active")
    assert root(world, server) != before
    assert [each["id"] for each in row.info_cache.network_info] == vifs
    assert world.guest(server)["status"]["phase"] == "Running"
    states = [task for _, task in world.conductor.states[server]]
    assert states[-4:] == ["rebuilding", "rebuild_block_device_mapping", "rebuild_spawning", None]


def test_attached_volume_survives_a_rebuild(world, server):
    volume = world.volume()
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    assert world.outcome("attach_volume", server, bdm=mapping.obj_clone()) is None
    attachment = attachment_of(world, volume)
    assert rebuild(world, server) is None
    world.reach(server, "active")
    names = [each["name"] for each in world.guest(server)["spec"]["volumes"]]
    assert any(volume in name for name in names)
    assert attachment_of(world, volume) == attachment


def test_stopped_server_is_stopped_after_its_rebuild(world, server):
    world.task(server, "powering-off")
    world.ask("stop_instance", server, clean_shutdown=True)
    world.reach(server, "stopped")
    assert rebuild(world, server) is None
    world.reach(server, "stopped")
    world.until(lambda: world.guest(server) is None, "the guest is off")


@pytest.mark.parametrize("asked", [{"recreate": True}])
def test_what_this_host_does_not_do_is_refused_and_the_server_stays(world, server, asked):
    before = root(world, server)
    assert (
        "not supported" in rebuild(world, server, **asked) or "cannot be replaced" in world.conductor.faults[-1].message
    )
    world.reach(server, "stopped")
    assert root(world, server) == before


def test_image_that_is_not_there_takes_nothing_away(world, server):
    before = root(world, server)
    assert rebuild(world, server, "00000000-0000-0000-0000-00000000dead")
    world.reach(server, "error")
    assert root(world, server) == before


def test_server_in_error_can_be_rebuilt(world, server):
    assert rebuild(world, server) is None
    world.reach(server, "active")
    world.delete(server)
    world.nothing_left(server)


@pytest.fixture
def volume_backed(world):
    instance = world.instance(image_ref="", system_metadata={})
    volume = world.volume()
    world.volume_mapping(instance.uuid, volume, boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    yield instance.uuid, volume
    world.peers.cinder.reimaged = None
    world.delete(instance.uuid)


def tell_reimaged(world, server, volume, status="completed"):
    event = objects.InstanceExternalEvent(
        instance_uuid=server, name="volume-reimaged", tag=volume, status=status, data={}
    )
    world.compute.send(world.context(), "external_instance_event", instances=[world.row(server)], events=[event])


def test_a_boot_volume_gets_the_image_while_it_is_only_reserved(world, volume_backed):
    server, volume = volume_backed
    before, written = attachment_of(world, volume), []

    def write(found, image):
        assert world.guest(server) is None
        written.append(image)
        found["status"] = "reserved"
        tell_reimaged(world, server, volume)

    world.peers.cinder.reimaged = write
    assert rebuild(world, server, reimage_boot_volume=True) is None
    world.reach(server, "active")
    assert written == [world.peers.glance.id]
    after = attachment_of(world, volume)
    assert after != before
    assert world.peers.cinder.volumes[volume]["status"] == "in-use"
    assert [each["id"] for each in world.peers.cinder.list_attachments(None, volume, server)] == [after]
    assert world.guest(server)["status"]["phase"] == "Running"


def test_a_boot_volume_stays_as_it_is_when_that_is_not_asked_for(world, volume_backed):
    server, volume = volume_backed
    before = attachment_of(world, volume)
    assert rebuild(world, server) is None
    world.reach(server, "active")
    assert attachment_of(world, volume) == before


@pytest.mark.parametrize("how", ["error", "event"])
def test_an_image_that_cinder_cannot_write_is_an_error_of_the_server(world, volume_backed, how):
    server, volume = volume_backed

    def fail(found, image):
        if how == "error":
            found["status"] = "error"
        else:
            tell_reimaged(world, server, volume, "failed")

    world.peers.cinder.reimaged = fail
    assert "was not written over volume" in rebuild(world, server, reimage_boot_volume=True)
    world.reach(server, "error")
