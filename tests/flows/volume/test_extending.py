"""A volume in use grows, and its servers are told (volume-extended), whoever dies meanwhile."""

import uuid

from keel_common.db.stores.cinder import connections

from . import killing


def test_an_extension_in_use_survives_a_death_at_every_write(world):
    volume, server = world.volume(), str(uuid.uuid4())
    world.db.run(connections.attach, volume, server, "node-1", "/dev/vdb", "rw")
    before = {}

    def prepare():
        world.suite.images.events.clear()
        before["size"] = world.suite.row(volume)["size"]
        return world.suite.promise(volume, before["size"] + 1)

    def check(promised):
        row = world.suite.row(volume)
        assert row["status"] == "in-use"
        told = {(one["name"], one["server_uuid"], one["tag"]) for one in world.suite.images.events}
        grown = row["size"] > before["size"]
        assert told == ({("volume-extended", server, volume)} if grown else set())
        # Nobody knows of one whose request died with the process.
        assert grown or world.suite.messages(volume)
        assert world.suite.drift() == ({}, [])

    seen = killing.survive(
        world,
        "host1@cluster",
        prepare,
        lambda endpoint, promised: endpoint.extend_volume(
            world.suite.context, world.suite.full(volume), before["size"] + 1, promised
        ),
        lambda promised: world.suite.row(volume)["status"] == "in-use" and world.is_settled(volume),
        check,
    )
    assert seen >= 3
