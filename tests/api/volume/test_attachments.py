"""Attachments and who may take them away."""

import uuid

import pytest
from fakes.api import Identity

from keel_contract.errors import RemoteFault

SERVER = str(uuid.uuid4())
CONNECTOR = {"host": "node-1", "ip": "10.0.0.1"}
INFO = {"driver_volume_type": "csi", "pvc": "volume-x"}


@pytest.fixture
def reserve(volume):
    def do(volume_id, version="3.54", server=SERVER, **asked):
        body = {"attachment": {"volume_uuid": volume_id, "instance_uuid": server, **asked}}
        return volume.post("/attachments", body, version=version)

    return do


@pytest.fixture
def connect(volume, backend):
    """Connect an attachment; the volume service marks it as attaching."""

    def do(attachment_id, version="3.54"):
        def answer(vref, connector, attachment_id):
            backend.attach(vref.id, attachment_id, None)
            return {**INFO, "attachment_id": attachment_id}

        volume.bus.answers["attachment_update"] = answer
        return volume.put(f"/attachments/{attachment_id}", {"attachment": {"connector": CONNECTOR}}, version=version)

    return do


@pytest.fixture
def complete(volume):
    return lambda attachment_id: volume.post(
        f"/attachments/{attachment_id}/action", {"os-complete": {}}, version="3.44"
    )


def test_the_whole_way_of_an_attachment(volume, backend, made, reserve, connect, complete, nova):
    mine = made()
    reply = reserve(mine)
    assert reply.status == 200
    shown = reply.body["attachment"]
    assert (shown["status"], shown["instance"], shown["volume_id"], shown["attach_mode"]) == (
        "reserved",
        SERVER,
        mine,
        "null",
    )
    assert (shown["attached_at"], shown["detached_at"], shown["connection_info"]) == ("", "", {})
    assert backend.row(mine)["status"] == "reserved"

    connected = connect(shown["id"]).ok.body["attachment"]
    assert connected["status"] == "reserved" and connected["connection_info"]["pvc"] == "volume-x"
    assert (backend.row(mine)["status"], backend.row(mine)["attach_status"]) == ("attaching", "attaching")
    assert volume.bus.sent[-1][1]["server"] == "node-1@csi"

    assert complete(shown["id"]).status == 204
    row = backend.row(mine)
    assert (row["status"], row["attach_status"]) == ("in-use", "attached")
    listed = volume.get(f"/volumes/{mine}").body["volume"]["attachments"]
    assert listed == [
        {"id": mine, "attachment_id": shown["id"], "volume_id": mine, "server_id": SERVER, "host_name": None,
         "device": "/dev/vdb", "attached_at": listed[0]["attached_at"]}
    ]  # fmt: skip

    gone = volume.delete(f"/attachments/{shown['id']}", version="3.27")
    assert (gone.status, gone.body) == (200, {"attachments": []})
    assert volume.bus.sent[-1][0] == "attachment_delete"
    assert (backend.row(mine)["status"], backend.row(mine)["attach_status"]) == ("available", "detached")
    assert volume.delete(f"/attachments/{shown['id']}", version="3.27").status == 404


def test_attachments_exist_from_3_27_and_complete_from_3_44(made, volume, reserve):
    mine = made()
    assert reserve(mine, version="3.26").status == 404
    attachment = reserve(mine, version="3.27").ok.body["attachment"]["id"]
    path = f"/attachments/{attachment}/action"
    assert volume.post(path, {"os-complete": {}}, version="3.43").status == 404


def test_a_mode_can_be_asked_from_3_54(made, reserve):
    assert reserve(made(), version="3.53", mode="ro").status == 400
    assert reserve(made(), version="3.54", mode="ro").body["attachment"]["attach_mode"] == "ro"


def test_a_reserved_volume_is_not_reserved_for_another_server(made, reserve):
    mine = made()
    assert reserve(mine).status == 200
    assert reserve(mine, server=str(uuid.uuid4())).status == 400


def test_the_same_server_may_reserve_again(made, reserve, backend):
    mine = made()
    assert reserve(mine).status == 200
    assert reserve(mine).status == 200
    assert len(backend.attachments(mine)) == 2


@pytest.mark.parametrize("status", ["creating", "error", "error_deleting", "in-use", "maintenance"])
def test_states_that_refuse_an_attachment(made, reserve, backend, status):
    mine = made()
    backend.force(mine, status=status)
    reply = reserve(mine)
    assert reply.status == 400 and reply.message.startswith("Invalid volume: ")


def test_a_multiattach_volume_is_reserved_while_in_use(made, reserve, backend):
    mine = made()
    backend.force(mine, status="in-use", attach_status="attached", multiattach=True)
    assert reserve(mine).status == 200
    assert backend.row(mine)["status"] == "reserved"


def test_detaching_one_of_two_leaves_the_other(volume, made, reserve, connect, complete, backend, nova):
    mine = made()
    backend.force(mine, multiattach=True)
    first = reserve(mine).body["attachment"]["id"]
    connect(first), complete(first)
    second = reserve(mine, server=str(uuid.uuid4())).body["attachment"]["id"]
    left = volume.delete(f"/attachments/{second}", version="3.27").body["attachments"]
    assert [row["id"] for row in left] == [first]
    assert (backend.row(mine)["status"], backend.row(mine)["attach_status"]) == ("in-use", "attached")


def test_a_connected_attachment_that_nova_holds_is_kept(volume, made, reserve, connect, complete, nova):
    mine = made()
    attachment = reserve(mine).body["attachment"]["id"]
    connect(attachment), complete(attachment)
    nova.holds[SERVER, mine] = attachment
    reply = volume.delete(f"/attachments/{attachment}", version="3.27")
    assert reply.status == 409 and reply.message.startswith("ConflictNovaUsingAttachment: ")
    with_token = Identity(
        "member-user", Identity.MEMBER.project, ("member", "reader"), {"HTTP_X_SERVICE_ROLES": "service"}
    )
    assert volume.delete(f"/attachments/{attachment}", version="3.27", who=with_token).status == 200


def test_os_detach_keeps_the_same_rule(volume, made, reserve, connect, complete, nova):
    mine = made()
    attachment = reserve(mine).body["attachment"]["id"]
    connect(attachment), complete(attachment)
    nova.holds[SERVER, mine] = attachment
    body = {"os-detach": {"attachment_id": attachment}}
    assert volume.post(f"/volumes/{mine}/action", body).status == 409
    nova.holds.clear()
    assert volume.post(f"/volumes/{mine}/action", body).status == 202


def test_a_reserved_attachment_goes_without_a_message(volume, made, reserve, backend):
    mine = made()
    attachment = reserve(mine).body["attachment"]["id"]
    assert volume.delete(f"/attachments/{attachment}", version="3.27").status == 200
    assert "attachment_delete" not in volume.bus.methods()
    assert backend.row(mine)["status"] == "available"


def test_failures_of_the_backend(volume, made, reserve, backend, nova, connect):
    mine = made()
    volume.bus.answers["attachment_update"] = RemoteFault("DriverNotInitialized", "not up")
    assert reserve(mine, connector=CONNECTOR).status == 500
    assert backend.row(mine)["status"] == "reserved"
    (row,) = backend.attachments(mine)
    body = {"attachment": {"connector": CONNECTOR}}
    assert volume.put(f"/attachments/{row['id']}", body, version="3.27").status == 500
    volume.bus.answers["attachment_update"] = RemoteFault("InvalidInput", "Invalid input received: no initiator")
    assert volume.put(f"/attachments/{row['id']}", body, version="3.27").status == 400
    connect(row["id"])
    volume.bus.answers["attachment_delete"] = RemoteFault("VolumeBackendAPIException", "busy")
    assert volume.delete(f"/attachments/{row['id']}", version="3.27").status == 500
    assert len(backend.attachments(mine)) == 1


def test_a_volume_in_error_is_not_connected(volume, made, reserve, backend):
    mine = made()
    attachment = reserve(mine).body["attachment"]["id"]
    backend.force(mine, status="error")
    body = {"attachment": {"connector": CONNECTOR}}
    assert volume.put(f"/attachments/{attachment}", body, version="3.27").status == 409


def test_lists_show_the_own_project(volume, made, reserve, other, admin):
    mine = made()
    attachment = reserve(mine).body["attachment"]["id"]
    reserve(made())
    assert len(volume.get("/attachments", version="3.27").body["attachments"]) == 2
    found = volume.get(f"/attachments/detail?volume_id={mine}", version="3.27").body["attachments"]
    assert [row["id"] for row in found] == [attachment]
    assert volume.get("/attachments", version="3.27", who=other).body == {"attachments": []}
    assert volume.get(f"/attachments/{attachment}", version="3.27", who=other).status == 404
    assert set(volume.get("/attachments", version="3.27").body["attachments"][0]) == {
        "id",
        "status",
        "instance",
        "volume_id",
    }
    assert len(volume.get("/attachments?limit=1", version="3.27").body["attachments"]) == 1
