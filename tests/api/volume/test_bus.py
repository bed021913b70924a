"""What the API sends arrives at the other end of the bus, as the interfaces declare it."""

import threading
import time
import uuid

import pytest
from fakes.api import VolumeApi

from keel_api.services import VolumeServices
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder.interfaces import SCHEDULER, VOLUME
from keel_contract.errors import ExpectedFault

SERVER = str(uuid.uuid4())


class Peer:
    """Answers every method; keeps what came in."""

    def __init__(self):
        self.got, self.answers, self._news = [], {}, threading.Condition()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def method(context, **args):
            with self._news:
                self.got.append((name, context, args))
                self._news.notify_all()
            answer = self.answers.get(name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return method

    def wait(self, name):
        with self._news:
            assert self._news.wait_for(lambda: any(one[0] == name for one in self.got), 5), name
        return next(one for one in reversed(self.got) if one[0] == name)


@pytest.fixture
def volume(_volume_tables):
    """An application of its own: its bus is a real one."""
    api = VolumeApi(_volume_tables)
    yield api
    api.close()


@pytest.fixture
def peer(volume):
    bus = Bus(volume.conf, "cinder", "fake:/")
    peer = Peer()
    parts = [
        bus.server("cinder-scheduler", "node-1", [Endpoint(SCHEDULER, peer)]),
        bus.server("cinder-volume.node-1@csi", "node-1", [Endpoint(VOLUME, peer)]),
    ]
    for part in parts:
        part.start()
    volume.services = VolumeServices(volume.conf, volume.db, volume.services.clients, lambda url: bus)
    volume.with_handlers({})
    yield peer
    for part in parts:
        part.stop(time.monotonic() + 5)
    bus.close()


def test_casts_to_the_scheduler(volume, peer, made, member):
    mine = made(2, metadata={"k": "v"})
    _, context, sent = peer.wait("create_volume")
    assert (context.user_id, context.project_id) == (member.user, member.project)
    assert sent["request_spec"].volume_id == mine and sent["volume"].metadata == {"k": "v"}
    assert volume.post(f"/volumes/{mine}/action", {"os-extend": {"new_size": 3}}).status == 202
    _, _, sent = peer.wait("extend_volume")
    assert sent["request_spec"]["volume_properties"]["size"] == 2 and sent["new_size"] == 3
    other = made(1)
    snapshot = volume.post("/snapshots", {"snapshot": {"volume_id": other}}).body["snapshot"]["id"]
    assert peer.wait("create_snapshot")[2]["snapshot"].id == snapshot


def test_casts_and_calls_to_the_backend(volume, peer, made, backend, nova):
    mine = made()
    body = {"attachment": {"volume_uuid": mine, "instance_uuid": SERVER, "connector": {"host": "node-1"}}}
    peer.answers["attachment_update"] = {"driver_volume_type": "csi", "attachment_id": "x"}
    shown = volume.post("/attachments", body, version="3.54").ok.body["attachment"]
    assert shown["connection_info"]["driver_volume_type"] == "csi"
    sent = peer.wait("attachment_update")[2]
    assert [one.id for one in sent["vref"].volume_attachment.objects] == [shown["id"]]
    assert volume.delete(f"/attachments/{shown['id']}", version="3.54").status == 200
    snapshot = volume.post("/snapshots", {"snapshot": {"volume_id": mine}}).body["snapshot"]["id"]
    backend.finish_snapshot(snapshot)
    assert volume.delete(f"/snapshots/{snapshot}").status == 202
    assert peer.wait("delete_snapshot")[2]["snapshot"].id == snapshot
    assert volume.delete(f"/volumes/{mine}?cascade=true").status == 400  # its snapshot is being deleted
    gone = made()
    assert volume.delete(f"/volumes/{gone}").status == 202
    assert peer.wait("delete_volume")[2]["volume"].id == gone


def test_the_older_attach_calls(volume, peer, made):
    mine = made()
    act = lambda name, args: volume.post(f"/volumes/{mine}/action", {name: args}).status  # noqa: E731
    peer.answers["initialize_connection"] = {"driver_volume_type": "csi", "data": {}}
    assert act("os-initialize_connection", {"connector": {"host": "node-1"}}) == 200
    assert act("os-attach", {"instance_uuid": SERVER, "mountpoint": "/dev/vdb"}) == 202
    assert act("os-detach", {}) == 202
    assert act("os-terminate_connection", {"connector": {"host": "node-1"}}) == 202
    assert [name for name, _, _ in peer.got if name != "create_volume"] == [
        "initialize_connection", "attach_volume", "detach_volume", "terminate_connection"
    ]  # fmt: skip


def test_faults_of_the_backend_come_back_with_their_codes(volume, peer, made):
    mine = made()
    peer.answers["attachment_update"] = ExpectedFault("InvalidInput", "Invalid input received: no host")
    body = {"attachment": {"volume_uuid": mine, "instance_uuid": SERVER}}
    attachment = volume.post("/attachments", body, version="3.54").body["attachment"]["id"]
    body = {"attachment": {"connector": {"host": "node-1"}}}
    reply = volume.put(f"/attachments/{attachment}", body, version="3.54")
    assert (reply.status, reply.message) == (400, "Invalid input received: no host")


def test_pools_are_called_for(volume, peer, admin):
    peer.answers["get_pools"] = [{"name": "p", "capabilities": {}}]
    assert volume.get("/scheduler-stats/get_pools", who=admin).body == {"pools": [{"name": "p"}]}
