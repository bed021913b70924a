"""The older attach actions, and os-extend, os-reset_status and the flags of a volume."""

import uuid

import pytest
from fakes.api import PROJECT

from keel_common.db.stores.cinder import quotas
from keel_contract.errors import RemoteFault

SERVER = str(uuid.uuid4())


@pytest.fixture
def act(volume):
    def do(volume_id, action, args=None, **how):
        return volume.post(f"/volumes/{volume_id}/action", {action: args if args is not None else {}}, **how)

    return do


def status(backend, volume_id):
    return backend.row(volume_id)["status"]


def test_reserve_and_unreserve(backend, made, act):
    mine = made()
    assert act(mine, "os-reserve").status == 202
    assert status(backend, mine) == "attaching"
    assert act(mine, "os-reserve").status == 400
    assert act(mine, "os-unreserve").status == 202
    assert status(backend, mine) == "available"
    assert act(mine, "os-unreserve").status == 202


def test_detaching_begins_and_rolls_back(backend, made, act):
    mine = made()
    assert act(mine, "os-begin_detaching").status == 400
    backend.force(mine, status="in-use", attach_status="attached")
    assert act(mine, "os-begin_detaching").status == 202
    assert status(backend, mine) == "detaching"
    assert act(mine, "os-roll_detaching").status == 202
    assert status(backend, mine) == "in-use"


def test_a_migrating_volume_passes_begin_detaching_unchanged(backend, made, act):
    mine = made()
    backend.force(mine, status="in-use", attach_status="attached", migration_status="migrating")
    assert act(mine, "os-begin_detaching").status == 202
    assert status(backend, mine) == "in-use"


def test_attach_asks_the_volume_service(volume, backend, made, act):
    mine = made()
    args = {"instance_uuid": SERVER, "mountpoint": "/dev/vdb", "mode": "rw"}
    assert act(mine, "os-attach", args).status == 202
    method, sent = volume.bus.sent[-1]
    assert (method, sent["server"], sent["volume_id"], sent["mode"]) == ("attach_volume", "node-1@csi", mine, "rw")
    assert backend.row(mine)["admin_metadata"] == {"readonly": "False"}


def test_attach_hands_on_the_refusal_of_the_volume_service(volume, made, act):
    volume.bus.answers["attach_volume"] = RemoteFault("InvalidVolume", "Invalid volume: it is busy")
    reply = act(made(), "os-attach", {"instance_uuid": SERVER, "mountpoint": "/dev/vdb"})
    assert (reply.status, reply.message) == (400, "Invalid volume: it is busy")
    volume.bus.answers["attach_volume"] = RemoteFault("DriverNotInitialized", "no")
    assert act(made(), "os-attach", {"instance_uuid": SERVER, "mountpoint": "/dev/vdb"}).status == 500


def test_a_readonly_volume_is_attached_readonly_only(made, act):
    mine = made()
    assert act(mine, "os-update_readonly_flag", {"readonly": "true"}).status == 202
    assert act(mine, "os-attach", {"instance_uuid": SERVER, "mountpoint": "/dev/vdb"}).status == 400
    assert act(mine, "os-attach", {"instance_uuid": SERVER, "mountpoint": "/dev/vdb", "mode": "ro"}).status == 202


def test_connections_are_made_and_ended_by_the_volume_service(volume, made, act):
    mine = made()
    volume.bus.answers["initialize_connection"] = {"driver_volume_type": "csi", "data": {"pvc": "x"}}
    reply = act(mine, "os-initialize_connection", {"connector": {"host": "node-1"}})
    assert reply.body == {"connection_info": {"driver_volume_type": "csi", "data": {"pvc": "x"}}}
    assert act(mine, "os-terminate_connection", {"connector": {"host": "node-1"}}).status == 202
    volume.bus.answers["initialize_connection"] = RemoteFault("InvalidInput", "Invalid input received: no host")
    assert act(mine, "os-initialize_connection", {"connector": {}}).status == 400


def test_extend_reserves_quota_and_asks_the_scheduler(volume, backend, made, act):
    mine = made(2)
    assert act(mine, "os-extend", {"new_size": 5}).status == 202
    method, sent = volume.bus.sent[-1]
    assert (method, sent["new_size"]) == ("extend_volume", 5)
    assert sent["request_spec"]["volume_id"] == mine and len(sent["reservations"]) == 2
    row = backend.row(mine)
    assert (row["status"], row["previous_status"], row["size"]) == ("extending", "available", 2)
    counter = volume.db.read(quotas.usages, PROJECT, ["gigabytes"])["gigabytes"]
    assert (counter.in_use, counter.reserved) == (2, 3)
    volume.db.run(quotas.commit, sent["reservations"])
    counter = volume.db.read(quotas.usages, PROJECT, ["gigabytes"])["gigabytes"]
    assert (counter.in_use, counter.reserved) == (5, 0)


def test_extend_refuses_what_does_not_grow_or_fit(volume, backend, made, act):
    mine = made(2)
    assert act(mine, "os-extend", {"new_size": 2}).status == 400
    volume.db.run(quotas.set_limits, PROJECT, {"gigabytes": 3})
    reply = act(mine, "os-extend", {"new_size": 4})
    assert reply.status == 413 and status(backend, mine) == "available"


def test_an_attached_volume_grows_from_3_42(backend, made, act):
    mine = made(2)
    backend.force(mine, status="in-use", attach_status="attached")
    assert act(mine, "os-extend", {"new_size": 3}, version="3.41").status == 400
    assert act(mine, "os-extend", {"new_size": 3}, version="3.42").status == 202


def test_an_extension_that_cannot_be_sent_leaves_no_trace(volume, backend, made, act):
    mine = made(2)
    volume.bus.answers["extend_volume"] = RuntimeError("no broker")
    assert act(mine, "os-extend", {"new_size": 5}).status == 500
    assert status(backend, mine) == "available"
    assert volume.db.read(quotas.usages, PROJECT, ["gigabytes"])["gigabytes"].reserved == 0


def test_an_administrator_resets_states(backend, made, act, admin):
    mine = made()
    assert act(mine, "os-reset_status", {"status": "ERROR"}).status == 403
    assert act(mine, "os-reset_status", {"status": "ERROR"}, who=admin).status == 202
    assert status(backend, mine) == "error"
    assert act(mine, "os-reset_status", {"status": "deleting"}, who=admin).status == 400
    assert act(mine, "os-reset_status", {"status": "in-use"}, who=admin).status == 400
    assert act(mine, "os-reset_status", {"status": "nonsense"}, who=admin).status == 400
    assert act(str(uuid.uuid4()), "os-reset_status", {"status": "error"}, who=admin).status == 404


def test_bootable_and_image_metadata(volume, made, act):
    mine = made()
    assert act(mine, "os-set_bootable", {"bootable": "yes"}).status == 200
    assert act(mine, "os-set_image_metadata", {"metadata": {"os": "x"}}).body == {"metadata": {"os": "x"}}
    shown = volume.get(f"/volumes/{mine}").body["volume"]
    assert (shown["bootable"], shown["volume_image_metadata"]) == ("true", {"os": "x"})
    assert act(mine, "os-show_image_metadata").body == {"metadata": {"os": "x"}}
    assert act(mine, "os-unset_image_metadata", {"key": "os"}).status == 200
    assert act(mine, "os-unset_image_metadata", {"key": "os"}).status == 404


def test_force_delete_is_for_administrators(backend, made, act, admin):
    mine = made()
    backend.force(mine, status="creating")
    assert act(mine, "os-force_delete").status == 403
    assert act(mine, "os-force_delete", who=admin).status == 202
    assert status(backend, mine) == "deleting"


def test_metadata_is_added_replaced_and_taken_away(volume, made):
    path = f"/volumes/{made()}/metadata"
    assert volume.get(path).body == {"metadata": {}}
    assert volume.post(path, {"metadata": {"a": "1"}}).body == {"metadata": {"a": "1"}}
    assert volume.post(path, {"metadata": {"b": "2"}}).body == {"metadata": {"a": "1", "b": "2"}}
    assert volume.put(path, {"metadata": {"b": "3", "c": "4"}}).body == {"metadata": {"b": "3", "c": "4"}}
    assert volume.put(f"{path}/b", {"meta": {"b": "5"}}).body == {"meta": {"b": "5"}}
    assert volume.put(f"{path}/b", {"meta": {"x": "5"}}).status == 400
    assert volume.get(f"{path}/b").body == {"meta": {"b": "5"}}
    assert volume.delete(f"{path}/b").status == 200
    assert volume.delete(f"{path}/b").status == 404
    assert volume.get(path).body == {"metadata": {"c": "4"}}


def test_metadata_can_be_guarded_by_its_etag(volume, made):
    path = f"/volumes/{made()}/metadata"
    assert "Etag" not in volume.get(path).headers
    seen = volume.get(path, version="3.15").headers["Etag"]
    change = {"metadata": {"a": "1"}}
    assert volume.put(path, change, version="3.15", headers={"If-Match": seen}).status == 200
    assert volume.put(path, change, version="3.15", headers={"If-Match": seen}).status == 412


@pytest.mark.parametrize("busy", ["maintenance", "uploading"])
def test_metadata_of_a_busy_volume_stays(volume, backend, made, busy):
    mine = made()
    backend.force(mine, status=busy)
    assert volume.post(f"/volumes/{mine}/metadata", {"metadata": {"a": "1"}}).status == 400


def test_readers_read_metadata_and_change_nothing(volume, made, act, reader):
    mine = made()
    assert volume.get(f"/volumes/{mine}/metadata", who=reader).status == 200
    assert volume.post(f"/volumes/{mine}/metadata", {"metadata": {}}, who=reader).status == 403
    for action in ("os-reserve", "os-unreserve", "os-begin_detaching", "os-roll_detaching"):
        assert act(mine, action, who=reader).status == 403
