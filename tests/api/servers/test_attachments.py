import pytest

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
