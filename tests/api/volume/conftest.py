"""A volume API whose backend is played by the test: `backend.finish(volume_id)` is what a volume service would
write."""

from __future__ import annotations

import pytest
from fakes.api import Snapshot, VolumeApi

from api.volume import world
from keel_api.volume.settings import Zones
from keel_common.clients import Clients, errors
from keel_common.db.stores.cinder import attachments, services, snapshots, transitions, volumes
from keel_common.domain.volume.states import Transition

HOST = "node-1@csi#standard"
BACKEND = "node-1@csi"


class Backend:
    """Writes into the database what scheduler and volume service would have written."""

    def __init__(self, volume):
        self.db = volume.db

    def finish(self, volume_id, **values):
        """The volume lies on HOST and is available."""
        self.db.run(volumes.change, volume_id, {"host": HOST, "status": "available", **values})

    def finish_snapshot(self, snapshot_id, **values):
        self.db.run(snapshots.change, snapshot_id, {"status": "available", "progress": "100%", **values})

    def service(self, host=BACKEND, binary="cinder-volume", **values):
        return self.db.run(services.register, host, binary, availability_zone="nova", **values)

    def row(self, volume_id):
        return self.db.read(volumes.show, volume_id)

    def snapshot(self, snapshot_id):
        return self.db.read(snapshots.show, snapshot_id)

    def attachments(self, volume_id):
        return self.db.read(attachments.of_volume, volume_id)

    def attach(self, volume_id, attachment_id, connection_info):
        """What attachment_update does: the attachment and its volume are `attaching`."""
        values = {"connector": {"host": "node-1"}, "attached_host": "node-1", "mountpoint": "/dev/vdb"}
        self.db.run(attachments.mark_attaching, volume_id, attachment_id, values)
        return connection_info

    def force(self, volume_id, **values):
        """Columns of a volume as some operation left them."""
        guard = Transition("test", "volumes", on_mismatch=None)
        assert self.db.run(transitions.apply, guard, volume_id, values)


@pytest.fixture(scope="session")
def _shared(_volume_tables):
    api = VolumeApi(_volume_tables)
    yield api
    api.close()


@pytest.fixture
def volume(_shared, _volume_tables):
    """One application for all tests, each with fresh tables, an empty bus, its own peers and the default
    configuration."""
    changed = []
    _volume_tables.restore(_shared.db, "cinder")
    _shared.bus.sent.clear()
    _shared.bus.answers.clear()
    _shared.services.clients = Clients(_shared.conf, "volume")
    _shared.services.zones = Zones(_shared.conf, _shared.db)

    def set_option(option, value, group=None):
        changed.append((option, group))
        _shared.conf.set_override(option, value, group)

    _shared.set = set_option
    yield _shared
    for option, group in changed:
        _shared.conf.clear_override(option, group)


@pytest.fixture
def backend(volume):
    return Backend(volume)


@pytest.fixture
def made(volume, backend):
    """Make a volume through the API and let the backend finish it; returns its id."""

    def make(size=1, who=None, finish=True, version="3.71", **asked):
        how = {"who": who} if who else {}
        reply = volume.post("/volumes", {"volume": {"size": size, **asked}}, version=version, **how).ok
        if finish:
            backend.finish(reply.body["volume"]["id"])
        return reply.body["volume"]["id"]

    return make


class Nova:
    """The compute API: which attachment a server holds."""

    def __init__(self):
        self.holds = {}

    def volume_attachment(self, context, server_id, volume_id):
        if (server_id, volume_id) not in self.holds:
            raise errors.NotFound(404, "no such attachment", "nova")
        return {"attachment_id": self.holds[server_id, volume_id]}


@pytest.fixture
def nova(volume):
    volume.services.clients.nova = Nova()
    return volume.services.clients.nova


@pytest.fixture(scope="session")
def _world(_shared, _volume_tables):
    """The database with one of everything in it, made once."""
    _volume_tables.restore(_shared.db, "cinder")
    made = _shared.db.run(world.build)
    return Snapshot.taken({"cinder": _shared.db}), made


@pytest.fixture
def restored(volume, _world):
    """Call it to bring the database back to one of everything, and to forget what was sent."""
    snapshot, _ = _world

    def restore():
        snapshot.restore(volume.db, "cinder")
        volume.bus.sent.clear()

    return restore


@pytest.fixture
def everything(volume, _world, restored):
    """(API, name -> id): one of everything in the project of the fakes, and peers that answer."""
    _, made = _world
    restored()
    volume.set("service_down_time", 86400)  # the heartbeats are as old as the session
    volume.bus.answers.update(world.answers(made))
    volume.services.clients.glance, volume.services.clients.keystone = world.Image(), world.Projects()
    return volume, made
