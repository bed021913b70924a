from dataclasses import replace

import pytest

from keel_common.clients import errors
from keel_common.db import schema
from keel_common.db.stores.nova import bdms
from keel_contract.errors import RemoteFault

UNKNOWN = "00000000-0000-4000-8000-00000000dead"


def path(uuid, volume=None):
    return f"/servers/{uuid}/os-volume_attachments" + (f"/{volume}" if volume else "")


def actions(cloud):
    table = schema.nova_cell.tables["instance_actions"]
    return cloud.cell.read(lambda conn: [row.action for row in conn.execute(table.select())])


def body(volume, **values):
    return {"volumeAttachment": {"volumeId": volume, **values}}


@pytest.mark.parametrize(
    ("version", "keys"),
    [
        ("2.1", {"id", "volumeId", "serverId", "device"}),
        ("2.70", {"id", "volumeId", "serverId", "device", "tag"}),
        ("2.79", {"id", "volumeId", "serverId", "device", "tag", "delete_on_termination"}),
        ("2.89", {"volumeId", "serverId", "device", "tag", "delete_on_termination", "attachment_id", "bdm_uuid"}),
    ],
)
def test_attachments_have_the_keys_of_their_version(cloud, version, keys):
    volume = cloud.cinder.add()
    uuid = cloud.server(volumes=[volume, cloud.cinder.add()])
    listed = cloud.api.get(path(uuid), version=version).ok.body["volumeAttachments"]
    assert len(listed) == 2 and set(listed[0]) == keys
    assert cloud.api.get(path(uuid, volume), version=version).ok.body["volumeAttachment"] == listed[0]
    sliced = cloud.api.get(path(uuid) + "?limit=1&offset=1", version=version).body["volumeAttachments"]
    assert sliced == listed[1:]
    assert cloud.api.get(path(uuid, UNKNOWN), version=version).status == 404


def test_a_device_without_attachment_id_is_hidden_from_2_89(cloud):
    volume = cloud.cinder.add()
    uuid = cloud.server(volumes=[volume])
    (row,) = cloud.cell.read(bdms.of_servers, [uuid])
    cloud.cell.run(bdms.update, row["id"], {"attachment_id": None})
    assert cloud.api.get(path(uuid), version="2.89").body["volumeAttachments"] == []
    assert cloud.api.get(path(uuid, volume), version="2.89").status == 404
    assert cloud.api.get(path(uuid, volume), version="2.88").status == 200


def test_attaching_waits_for_the_device_name_below_2_101(cloud):
    volume = cloud.cinder.add()
    uuid = cloud.server()
    cloud.api.bus.answers["attach_volume"] = "/dev/vdb"
    reply = cloud.api.post(path(uuid), body(volume, tag="t"), version="2.79")
    assert reply.status == 200
    attached = {"device": "/dev/vdb", "id": volume, "volumeId": volume, "serverId": uuid}
    assert reply.body["volumeAttachment"] == {**attached, "tag": "t", "delete_on_termination": False}
    ((method, sent),) = cloud.api.bus.sent
    assert (method, sent["how"], sent["volume"]["id"], sent["instance"].uuid) == ("attach_volume", "call", volume, uuid)


def test_attaching_does_not_wait_from_2_101(cloud):
    reply = cloud.api.post(path(cloud.server()), body(cloud.cinder.add(), delete_on_termination=True), version="2.101")
    assert reply.headers["Content-Type"] == "text/html; charset=UTF-8"
    assert (reply.status, reply.raw) == (202, b"")
    sent = cloud.api.bus.sent[0][1]
    assert sent["how"] == "cast" and sent["delete_on_termination"] is True


def test_what_forbids_attaching(cloud):
    free, busy = cloud.cinder.add(), cloud.cinder.add(status="in-use")
    shared = cloud.cinder.add(multiattach=True)

    def attach(uuid, volume, version="2.1"):
        return cloud.api.post(path(uuid), body(volume), version=version).status

    uuid = cloud.server(volumes=[free])
    assert attach(uuid, UNKNOWN) == 404
    assert attach(uuid, busy) == 400
    assert attach(uuid, free) == 400
    assert attach(uuid, shared, "2.59") == 400
    assert attach(cloud.server(2, vm_state="suspended"), free) == 409
    assert attach(cloud.server(3, locked=True), free) == 409
    assert attach(cloud.server(4, vm_state="shelved"), free, "2.19") == 409
    cloud.api.bus.answers["attach_volume"] = RemoteFault("TooManyDiskDevices", "full")
    assert attach(cloud.server(5), free) == 403
    cloud.api.bus.answers["attach_volume"] = RemoteFault("InvalidVolume", "no")
    assert attach(cloud.server(6), free) == 400


def test_detaching_marks_the_volume_and_tells_the_host(cloud):
    cloud.service()
    volume = cloud.cinder.add(status="in-use")
    uuid = cloud.server(volumes=[volume])
    (row,) = cloud.cell.read(bdms.of_servers, [uuid])
    assert cloud.api.delete(path(uuid, volume)).status == 202
    ((method, sent),) = cloud.api.bus.sent
    assert method == "detach_volume"
    assert (sent["volume_id"], sent["attachment_id"]) == (volume, row["attachment_id"])
    assert cloud.cinder.volumes[volume]["status"] == "detaching" and actions(cloud) == ["detach_volume"]
    assert cloud.api.delete(path(uuid, volume)).status == 400


def test_a_volume_is_in_use_again_when_the_host_cannot_be_told(cloud):
    cloud.service()
    volume = cloud.cinder.add(status="in-use")
    uuid = cloud.server(volumes=[volume])
    cloud.api.bus.answers["detach_volume"] = ConnectionError("no broker")
    assert cloud.api.delete(path(uuid, volume)).status == 500
    assert cloud.cinder.volumes[volume]["status"] == "in-use"


def test_what_forbids_detaching(cloud):
    volume = cloud.cinder.add(status="in-use")
    uuid = cloud.server(volumes=[volume])
    assert cloud.api.delete(path(uuid, volume)).status == 409  # the host was never seen
    assert cloud.api.delete(path(uuid, cloud.cinder.add())).status == 404
    (row,) = cloud.cell.read(bdms.of_servers, [uuid])
    cloud.cell.run(bdms.update, row["id"], {"boot_index": 0})
    reply = cloud.api.delete(path(uuid, volume))
    assert (reply.status, reply.message) == (400, "Cannot detach a root device volume")


def test_only_delete_on_termination_of_an_attachment_changes(cloud):
    volume = cloud.cinder.add()
    uuid = cloud.server(volumes=[volume])

    def put(version="2.85", **values):
        return cloud.api.put(path(uuid, volume), body(volume, **values), version=version).status

    assert put(delete_on_termination=True, device="/dev/vdb") == 202
    assert cloud.cell.read(bdms.of_servers, [uuid])[0]["delete_on_termination"]
    assert put(device="/dev/vdc") == 400
    assert put(tag="new") == 400
    assert put("2.84") == 403  # below, it always is a swap


# -- shelved servers off their host


def offloaded(cloud, **values):
    return cloud.server(vm_state="shelved_offloaded", host=None, node=None, **values)


def events(cloud):
    table = schema.nova_cell.tables["instance_actions_events"]
    return cloud.cell.read(lambda conn: [(row.event, row.result) for row in conn.execute(table.select())])


@pytest.mark.parametrize(("version", "code"), [("2.20", 200), ("2.100", 200), ("2.101", 202)])
def test_a_volume_waits_for_a_shelved_server(cloud, version, code):
    volume, uuid = cloud.cinder.add(), offloaded(cloud)
    asked = body(volume, device="/dev/vdc")
    reply = cloud.api.post(path(uuid), asked, version=version)
    assert reply.status == code and cloud.api.bus.sent == []
    assert code == 202 or reply.body["volumeAttachment"]["device"] == "/dev/vdc"
    (row,) = cloud.cell.read(bdms.of_servers, [uuid])
    assert row["volume_id"] == volume and row["attachment_id"] in cloud.cinder.attachments
    assert actions(cloud) == ["attach_volume"] and events(cloud) == [("api_attach_volume", "Success")]


@pytest.mark.parametrize(("volume", "asked"), [({"multiattach": True}, {}), ({}, {"tag": "t"})])
def test_what_only_a_host_can_attach(cloud, volume, asked):
    uuid = offloaded(cloud)
    assert cloud.api.post(path(uuid), body(cloud.cinder.add(**volume), **asked), version="2.60").status == 400
    assert cloud.cell.read(bdms.of_servers, [uuid]) == []


def test_a_volume_that_cannot_be_reserved_leaves_a_failed_event(cloud, monkeypatch):
    uuid, volume = offloaded(cloud), cloud.cinder.add()
    from_cinder = errors.BadRequest(400, "busy", "volume")
    monkeypatch.setattr(cloud.cinder, "create_attachment", _raising(from_cinder))
    assert cloud.api.post(path(uuid), body(volume), version="2.60").status == 400
    assert events(cloud) == [("api_attach_volume", "Error")] and cloud.cell.read(bdms.of_servers, [uuid]) == []


def _raising(error):
    def refuse(*_args, **_more):
        raise error

    return refuse


def test_a_volume_leaves_a_shelved_server_at_once(cloud):
    volume = cloud.cinder.add(status="in-use")
    uuid = offloaded(cloud, volumes=[volume])
    assert cloud.api.delete(path(uuid, volume), version="2.20").status == 202
    assert cloud.cell.read(bdms.of_servers, [uuid]) == [] and cloud.api.bus.sent == []
    assert events(cloud) == [("api_detach_volume", "Success")]


def test_a_server_without_a_host_is_not_ready(cloud):
    volume = cloud.cinder.add(status="in-use")
    assert cloud.api.delete(path(cloud.server(host=None, volumes=[volume]), volume)).status == 409


# -- exchange


def swap(cloud, uuid, old, new, version="2.84", who=None, **values):
    return cloud.api.put(path(uuid, old), body(new, **values), version=version, who=who)


@pytest.fixture
def pair(cloud):
    """A server with a volume that the volume service is moving, and the volume it moves to."""
    new, old = cloud.cinder.add(size=2), cloud.cinder.add(status="in-use", size=2, migration_status="migrating")
    uuid = cloud.server(volumes=[old])
    cloud.cinder.volumes[old]["attachments"] = [{"server_id": uuid, "attachment_id": "a", "device": "/dev/vdb"}]
    return uuid, old, new


def test_the_host_copies_a_volume_that_is_being_moved(cloud, pair, admin):
    uuid, old, new = pair
    assert swap(cloud, uuid, old, new, who=admin).status == 202
    ((method, sent),) = cloud.api.bus.sent
    assert (method, sent["old_volume_id"], sent["new_volume_id"]) == ("swap_volume", old, new)
    assert cloud.cinder.attachments[sent["new_attachment_id"]]["volume_id"] == new
    assert cloud.cinder.volumes[old]["status"] == "detaching" and actions(cloud) == ["swap_volume"]


def test_services_exchange_volumes_and_members_do_not(cloud, pair, service, member):
    assert swap(cloud, *pair, who=member).status == 403
    assert swap(cloud, *pair, who=service).status == 404  # of another project and no administrator: as measured
    assert swap(cloud, *pair, who=replace(service, project=member.project)).status == 202


@pytest.mark.parametrize(
    ("of", "change", "code"),
    [
        ("old", {"migration_status": None}, 409),
        ("old", {"attachments": []}, 400),
        ("old", {"status": "available"}, 400),
        ("old", {"multiattach": True, "attachments": "two"}, 400),
        ("new", {"size": 1}, 400),
        ("new", {"attachments": [{"server_id": "s"}]}, 400),
        ("new", {"status": "error"}, 400),
    ],
)
def test_volumes_that_cannot_stand_for_each_other(cloud, pair, admin, of, change, code):
    uuid, old, new = pair
    if change.get("attachments") == "two":
        change = {**change, "attachments": [{"server_id": uuid}, {"server_id": UNKNOWN}]}
    cloud.cinder.volumes[old if of == "old" else new].update(change)
    before = cloud.cinder.volumes[old]["status"]
    assert swap(cloud, *pair, who=admin).status == code
    assert cloud.api.bus.sent == [] and actions(cloud) == [] and cloud.cinder.volumes[old]["status"] == before


def test_unknown_volumes_have_codes_of_their_own(cloud, pair, admin):
    uuid, old, new = pair
    assert swap(cloud, uuid, UNKNOWN, new, who=admin).status == 404
    assert swap(cloud, uuid, old, UNKNOWN, who=admin).status == 400
    other = cloud.server()
    cloud.cinder.volumes[old]["attachments"].append({"server_id": other})
    assert swap(cloud, other, old, new, who=admin).status == 404


def test_an_exchange_that_cannot_leave_is_undone(cloud, pair, admin):
    cloud.api.bus.answers["swap_volume"] = ConnectionError("no broker")
    uuid, old, _ = pair
    assert swap(cloud, *pair, who=admin).status == 500
    assert cloud.cinder.volumes[old]["status"] == "in-use" and cloud.cinder.attachments == {}


def test_from_2_85_an_exchange_sets_what_goes_with_the_server_first(cloud, pair, admin):
    uuid, old, _ = pair
    assert swap(cloud, *pair, version="2.85", who=admin, delete_on_termination=True).status == 202
    (row,) = cloud.cell.read(bdms.of_servers, [uuid])
    assert row["delete_on_termination"]
