"""Snapshots and their metadata."""

import uuid

import pytest
from fakes.api import PROJECT

from keel_common.db import count_statements
from keel_common.db.stores.cinder import quotas

_BASE = {"id", "created_at", "updated_at", "name", "description", "volume_id", "status", "size", "metadata"}
_EXTENDED = {"os-extended-snapshot-attributes:progress", "os-extended-snapshot-attributes:project_id"}


@pytest.fixture
def take(volume):
    def do(volume_id, version="3.71", who=None, **asked):
        how = {"who": who} if who else {}
        return volume.post("/snapshots", {"snapshot": {"volume_id": volume_id, **asked}}, version=version, **how)

    return do


def used(volume, resource):
    return volume.db.read(quotas.usages, PROJECT, [resource])[resource].in_use


def test_a_new_snapshot_is_creating_and_told_to_the_scheduler(volume, made, take):
    mine = made(3)
    reply = take(mine, version="3.0", name=" s ", metadata={"k": "v"})
    assert reply.status == 202 and set(reply.body["snapshot"]) == _BASE
    shown = reply.body["snapshot"]
    assert (shown["status"], shown["size"], shown["name"], shown["metadata"]) == ("creating", 3, "s", {"k": "v"})
    method, sent = volume.bus.sent[-1]
    assert (method, sent["backend"], sent["snapshot"].id) == ("create_snapshot", "node-1@csi#standard", shown["id"])
    assert sent["request_spec"].volume_properties.size == 3
    assert sent["snapshot"].to_primitive()["versioned_object.data"]["progress"] == "0%"
    assert (used(volume, "snapshots"), used(volume, "gigabytes")) == (1, 6)


def test_sizes_of_snapshots_need_not_count(volume, made, take):
    volume.set("no_snapshot_gb_quota", True)
    assert take(made(3)).status == 202
    assert (used(volume, "snapshots"), used(volume, "gigabytes")) == (1, 3)


def test_an_attached_volume_needs_force_below_3_66(made, take, backend):
    mine = made()
    backend.force(mine, status="in-use", attach_status="attached")
    assert take(mine, version="3.65").status == 400
    assert take(mine, version="3.65", force=True).status == 202
    assert take(mine, version="3.66").status == 202
    assert take(mine, version="3.66", force=True).status == 202
    assert take(mine, version="3.66", force=False).status == 400


@pytest.mark.parametrize("values", [{"status": "error"}, {"status": "maintenance"}, {"migration_status": "migrating"}])
def test_states_of_the_volume_that_refuse_a_snapshot(made, take, backend, values):
    mine = made()
    backend.force(mine, **values)
    assert take(mine, force=True).status == 400


def test_a_volume_without_host_and_a_full_quota_refuse(volume, made, take):
    assert take(made(finish=False)).status == 400
    volume.db.run(quotas.set_limits, PROJECT, {"snapshots": 0})
    assert take(made()).message.startswith("SnapshotLimitExceeded: ")
    volume.db.run(quotas.set_limits, PROJECT, {"snapshots": 9, "gigabytes": 3})
    assert take(made()).message.startswith("VolumeSizeExceedsAvailableQuota: ")


def test_a_snapshot_that_cannot_be_sent_is_in_error(volume, made, take):
    mine = made()
    volume.bus.answers["create_snapshot"] = RuntimeError("no broker")
    assert take(mine).status == 500
    (shown,) = volume.get("/snapshots").body["snapshots"]
    assert shown["status"] == "error"


@pytest.mark.parametrize(
    ("version", "more"),
    [("3.0", set()), ("3.14", {"group_snapshot_id"}), ("3.41", {"group_snapshot_id", "user_id"}),
     ("3.71", {"group_snapshot_id", "user_id", "consumes_quota"})],
)  # fmt: skip
def test_fields_by_version(volume, made, take, version, more):
    snapshot = take(made()).body["snapshot"]["id"]
    assert set(volume.get(f"/snapshots/{snapshot}", version=version).body["snapshot"]) == _BASE | _EXTENDED | more
    (listed,) = volume.get("/snapshots/detail", version=version).body["snapshots"]
    assert set(listed) == _BASE | _EXTENDED | more
    assert set(volume.get("/snapshots", version=version).body["snapshots"][0]) == _BASE


def test_a_list_takes_two_statements(volume, made, take):
    mine = made()
    for _ in range(3):
        assert take(mine).status == 202
    with count_statements() as seen:
        assert len(volume.get("/snapshots/detail").body["snapshots"]) == 3
    assert len(seen) <= 2


def test_lists_filter_sort_and_page(volume, made, take, other):
    first, second = made(), made()
    ids = [take(one, name=name).body["snapshot"]["id"] for one, name in ((first, "a"), (first, "b"), (second, "c"))]
    names = [row["name"] for row in volume.get("/snapshots?sort=name:asc", version="3.30").body["snapshots"]]
    assert names == ["a", "b", "c"]
    found = volume.get(f"/snapshots?volume_id={second}").body["snapshots"]
    assert [row["id"] for row in found] == ids[2:]
    page = volume.get("/snapshots?limit=2&sort=display_name:asc").body
    assert [row["name"] for row in page["snapshots"]] == ["a", "b"]
    follow = page["snapshots_links"][0]["href"].partition("/v3")[2]
    assert [row["name"] for row in volume.get(follow).body["snapshots"]] == ["c"]
    assert volume.get("/snapshots", who=other).body == {"snapshots": []}
    assert volume.get(f"/snapshots?marker={uuid.uuid4()}").status == 404


def test_name_and_description_change(volume, made, take):
    snapshot = take(made()).body["snapshot"]["id"]
    shown = volume.put(f"/snapshots/{snapshot}", {"snapshot": {"name": "x"}}).body["snapshot"]
    assert shown["name"] == "x" and volume.get(f"/snapshots/{snapshot}").body["snapshot"]["name"] == "x"
    assert volume.put(f"/snapshots/{snapshot}", {"snapshot": {}}).status == 400


def test_deleting_tells_the_backend_of_the_volume(volume, made, take, backend, admin):
    snapshot = take(made()).body["snapshot"]["id"]
    assert volume.delete(f"/snapshots/{snapshot}").status == 400
    backend.finish_snapshot(snapshot)
    assert volume.delete(f"/snapshots/{snapshot}").status == 202
    assert volume.bus.sent[-1][0] == "delete_snapshot" and volume.bus.sent[-1][1]["server"] == "node-1@csi"
    assert backend.snapshot(snapshot)["status"] == "deleting"
    path = f"/snapshots/{snapshot}/action"
    assert volume.post(path, {"os-force_delete": {}}).status == 403
    assert volume.post(path, {"os-force_delete": {}}, who=admin).status == 202


def test_a_volume_with_snapshots_goes_only_by_cascade(volume, made, take, backend):
    mine = made()
    snapshot = take(mine).body["snapshot"]["id"]
    assert volume.delete(f"/volumes/{mine}").status == 400
    assert volume.delete(f"/volumes/{mine}?cascade=true").status == 400
    backend.finish_snapshot(snapshot)
    assert volume.delete(f"/volumes/{mine}?cascade=true").status == 202
    assert backend.snapshot(snapshot)["status"] == "deleting"
    assert volume.bus.sent[-1][1]["cascade"] is True


def test_states_written_by_hand(volume, made, take, backend, admin):
    snapshot = take(made()).body["snapshot"]["id"]
    path = f"/snapshots/{snapshot}/action"
    assert volume.post(path, {"os-reset_status": {"status": "error"}}).status == 403
    assert volume.post(path, {"os-reset_status": {"status": "error"}}, who=admin).status == 202
    assert backend.snapshot(snapshot)["status"] == "error"
    assert volume.post(path, {"os-update_snapshot_status": {"status": "available"}}).status == 400
    backend.finish_snapshot(snapshot, status="creating")
    body = {"os-update_snapshot_status": {"status": "available", "progress": "90%"}}
    assert volume.post(path, body).status == 202
    assert (backend.snapshot(snapshot)["status"], backend.snapshot(snapshot)["progress"]) == ("available", "90%")


def test_a_volume_from_a_snapshot(volume, made, take, backend):
    mine = made(4)
    snapshot = take(mine).body["snapshot"]["id"]
    body = {"volume": {"snapshot_id": snapshot}}
    assert volume.post("/volumes", body).status == 400
    backend.finish_snapshot(snapshot)
    shown = volume.post("/volumes", body).body["volume"]
    assert (shown["size"], shown["snapshot_id"]) == (4, snapshot)
    assert volume.bus.sent[-1][1]["snapshot_id"] == snapshot
    assert volume.bus.sent[-1][1]["request_spec"].resource_backend == "node-1@csi#standard"


def test_metadata(volume, made, take):
    path = f"/snapshots/{take(made()).body['snapshot']['id']}/metadata"
    assert volume.post(path, {"metadata": {"a": "1"}}).body == {"metadata": {"a": "1"}}
    assert volume.put(path, {"metadata": {"b": "2"}}).body == {"metadata": {"b": "2"}}
    assert volume.put(f"{path}/b", {"meta": {"b": "3"}}).body == {"meta": {"b": "3"}}
    assert volume.get(f"{path}/b").body == {"meta": {"b": "3"}}
    assert volume.delete(f"{path}/b").status == 200
    assert volume.get(f"{path}/b").status == 404
    assert volume.get(path).body == {"metadata": {}}
