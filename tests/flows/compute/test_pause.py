"""Pause and unpause, soft deletion and its revocation."""

import datetime

import pytest


@pytest.fixture(scope="module")
def server(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.volume_mapping(instance.uuid, world.volume(), boot_index=0)
    world.build(instance)
    world.reach(instance.uuid, "active")
    return instance.uuid


def do(world, server, verb, task, state):
    world.task(server, task)
    assert world.outcome(f"{verb}_instance", server) is None
    return world.reach(server, state)


def paused(world, server):
    kinds = {each["type"]: each["status"] for each in world.guest(server)["status"].get("conditions", ())}
    return kinds.get("Paused") == "True"


def test_paused_guest_keeps_its_memory_and_goes_on(world, server):
    before = world.guest(server)["metadata"]["uid"]
    assert do(world, server, "pause", "pausing", "paused").power_state == 3
    assert paused(world, server)
    assert do(world, server, "unpause", "unpausing", "active").power_state == 1
    assert not paused(world, server)
    assert world.guest(server)["metadata"]["uid"] == before


def test_pause_asked_twice_is_a_pause(world, server):
    do(world, server, "pause", "pausing", "paused")
    do(world, server, "pause", "pausing", "paused")
    do(world, server, "unpause", "unpausing", "active")


def test_guest_that_is_off_cannot_be_paused(world, server):
    world.task(server, "powering-off")
    world.ask("stop_instance", server, clean_shutdown=True)
    world.reach(server, "stopped")
    world.task(server, "pausing")
    assert world.outcome("pause_instance", server)
    world.reach(server, "stopped")
    world.task(server, "powering-on")
    world.ask("start_instance", server)
    world.reach(server, "active")


@pytest.mark.parametrize(
    ("task", "state"), [("pausing", "paused"), ("unpausing", "active"), ("soft-deleting", "soft-delete")]
)
def test_interrupted_operation_is_done_by_the_next_process(world, server, task, state):
    world.stop_compute()
    world.task(server, task)
    world.start_compute()
    world.reach(server, state)


def test_softly_deleted_server_is_off_and_comes_back(world, server):
    assert world.row(server).vm_state == "soft-delete"
    assert world.guest(server) is None
    assert do(world, server, "restore", "restoring", "active").power_state == 1


def test_softly_deleted_server_is_reclaimed_after_its_time(world, server):
    do(world, server, "soft_delete", "soft-deleting", "soft-delete")
    with world.conductor.lock:
        row = world.conductor.instances[server]
        row.deleted_at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=3600)
        row.obj_reset_changes()
    world.conf.set_override("reclaim_instance_interval", 600)
    try:
        world.until(lambda: world.row(server).deleted, "the server is reclaimed")
    finally:
        world.conf.clear_override("reclaim_instance_interval")
    world.nothing_left(server)
