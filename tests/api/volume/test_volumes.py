"""Create, list, show, change and delete volumes."""

import uuid

import pytest
from fakes.api import PROJECT

from keel_common.db import count_statements
from keel_common.db.stores.cinder import quotas, rows, workers

_BASE = {
    "id", "status", "size", "availability_zone", "created_at", "updated_at", "name", "description", "volume_type",
    "snapshot_id", "source_volid", "metadata", "links", "user_id", "bootable", "encrypted", "replication_status",
    "consistencygroup_id", "multiattach", "attachments",
}  # fmt: skip


def used(volume, resource="volumes"):
    return volume.db.read(quotas.usages, PROJECT, [resource])[resource].in_use


def test_a_new_volume_is_creating_and_told_to_the_scheduler(volume):
    reply = volume.post("/volumes", {"volume": {"size": 2, "name": " data ", "metadata": {"k": "v"}}})
    assert reply.status == 202
    shown = reply.body["volume"]
    assert set(shown) == _BASE
    assert (shown["status"], shown["size"], shown["name"], shown["bootable"]) == ("creating", 2, "data", "false")
    assert (shown["volume_type"], shown["availability_zone"], shown["metadata"]) == ("__DEFAULT__", "nova", {"k": "v"})
    method, sent = volume.bus.sent[0]
    assert method == "create_volume"
    assert sent["volume"].id == shown["id"] == sent["request_spec"].volume_id
    assert sent["request_spec"].volume_properties.size == 2
    assert sent["filter_properties"] == {}
    assert len(sent["request_spec"].volume_properties.reservations) == 4


def test_the_row_of_a_new_volume_is_what_the_services_expect(volume, backend):
    row = backend.row(volume.post("/volumes", {"volume": {"size": 2}}).ok.body["volume"]["id"])
    assert (row["host"], row["replication_status"], row["use_quota"], row["attach_status"]) == (
        None,
        None,
        True,
        "detached",
    )
    assert volume.db.read(workers.get, "Volume", row["id"])["status"] == "creating"


def test_the_messages_can_be_written_to_the_wire(volume):
    assert volume.post(
        "/volumes", {"volume": {"size": 2}, "OS-SCH-HNT:scheduler_hints": {"query": "x"}}, version="3.71"
    ).ok
    sent = volume.bus.sent[0][1]
    wire = sent["request_spec"].to_primitive()["versioned_object.data"]
    assert wire["volume"]["versioned_object.data"]["volume_attachment"]["versioned_object.data"] == {"objects": []}
    assert "versioned_object.changes" not in wire["volume"]
    assert wire["volume_type"]["versioned_object.data"]["projects"] == []
    assert wire["availability_zones"] == ["nova"]
    assert sent["filter_properties"] == {"scheduler_hints": {"query": "x"}}


def test_creating_takes_at_most_ten_statements(volume):
    assert volume.post("/volumes", {"volume": {"size": 1}}).ok
    with count_statements() as seen:
        assert volume.post("/volumes", {"volume": {"size": 1, "metadata": {"k": "v"}}}).ok
    assert len(seen) <= 10, "\n".join(seen)


def test_quota_counts_the_new_volume_at_once(volume):
    assert volume.post("/volumes", {"volume": {"size": 7}}).ok
    assert (used(volume), used(volume, "gigabytes"), used(volume, "gigabytes___DEFAULT__")) == (1, 7, 7)
    held = rows.TABLES["reservations"]
    deleted = volume.db.read(lambda conn: [row.deleted for row in conn.execute(held.select())])
    assert deleted == [True] * 4


def test_a_full_quota_is_413(volume):
    volume.set("quota_volumes", 1)
    volume.db.run(quotas.set_limits, PROJECT, {"volumes": 1})
    assert volume.post("/volumes", {"volume": {"size": 1}}).ok
    reply = volume.post("/volumes", {"volume": {"size": 1}})
    assert reply.status == 413 and reply.headers["Retry-After"] == "0"
    assert reply.body["overLimit"]["retryAfter"] == "0"
    assert reply.body["overLimit"]["message"].startswith("VolumeLimitExceeded: ")
    assert used(volume) == 1


def test_too_many_gigabytes_are_413(volume):
    volume.db.run(quotas.set_limits, PROJECT, {"gigabytes": 5, "per_volume_gigabytes": 4})
    assert volume.post("/volumes", {"volume": {"size": 5}}).message.startswith("VolumeSizeExceedsLimit: ")
    assert volume.post("/volumes", {"volume": {"size": 4}}).ok
    reply = volume.post("/volumes", {"volume": {"size": 2}})
    assert reply.status == 413 and reply.message.startswith("VolumeSizeExceedsAvailableQuota: ")


def test_a_volume_that_cannot_be_sent_is_in_error_and_holds_its_quota_until_deleted(volume):
    volume.bus.answers["create_volume"] = RuntimeError("no broker")
    assert volume.post("/volumes", {"volume": {"size": 1}}).status == 500
    (row,) = volume.get("/volumes/detail").body["volumes"]
    assert row["status"] == "error" and used(volume) == 1
    assert volume.delete(f"/volumes/{row['id']}").status == 202
    assert used(volume) == 0


@pytest.mark.parametrize("asked", [{}, {"size": 0}, {"size": "x"}, {"size": None}])
def test_a_size_is_needed(volume, asked):
    assert volume.post("/volumes", {"volume": asked}).status == 400


def test_sources_exclude_each_other(volume):
    body = {"volume": {"size": 1, "snapshot_id": str(uuid.uuid4()), "source_volid": str(uuid.uuid4())}}
    assert volume.post("/volumes", body).status == 400


def test_an_unknown_type_is_404_and_an_unknown_default_500(volume):
    assert volume.post("/volumes", {"volume": {"size": 1, "volume_type": "gold"}}).status == 404
    volume.set("default_volume_type", "gold")
    reply = volume.post("/volumes", {"volume": {"size": 1}})
    assert reply.status == 500
    assert reply.message == "The request cannot be fulfilled as the default volume type gold cannot be found."


def test_an_unknown_zone_is_400_unless_the_deployment_falls_back(volume):
    assert volume.post("/volumes", {"volume": {"size": 1, "availability_zone": "mars"}}).status == 400
    volume.set("allow_availability_zone_fallback", True)
    reply = volume.post("/volumes", {"volume": {"size": 1, "availability_zone": "mars"}}).ok
    assert reply.body["volume"]["availability_zone"] == "nova"


def test_a_copy_takes_size_type_and_place_of_its_source(volume, backend, made):
    first = made(3)
    backend.finish(first, bootable=True)
    copy = volume.post("/volumes", {"volume": {"source_volid": first}}).ok.body["volume"]
    assert (copy["size"], copy["source_volid"], copy["bootable"]) == (3, first, "true")
    assert volume.bus.sent[-1][1]["request_spec"].resource_backend == "node-1@csi#standard"


def test_a_copy_is_not_smaller_than_its_source(volume, made):
    assert volume.post("/volumes", {"volume": {"size": 1, "source_volid": made(3)}}).status == 400


def test_a_source_in_the_wrong_state_is_400(volume, made):
    reply = volume.post("/volumes", {"volume": {"source_volid": made(3, finish=False)}})
    assert reply.status == 400 and reply.message.startswith("Invalid volume: ")


@pytest.mark.parametrize(
    ("key", "version"), [("backup_id", "3.47"), ("group_id", "3.13"), ("consistencygroup_id", "3.0")]
)
def test_a_source_that_is_not_there_is_404(volume, key, version):
    assert volume.post("/volumes", {"volume": {"size": 1, key: str(uuid.uuid4())}}, version=version).status == 404


def test_readers_cannot_create(volume, reader):
    assert volume.post("/volumes", {"volume": {"size": 1}}, who=reader).status == 403


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("3.0", set()),
        ("3.13", {"group_id"}),
        ("3.48", {"group_id", "service_uuid", "shared_targets"}),
        ("3.63", {"group_id", "service_uuid", "shared_targets", "volume_type_id"}),
        ("3.71", {"group_id", "service_uuid", "shared_targets", "volume_type_id", "consumes_quota"}),
    ],
)
def test_a_member_sees_the_fields_of_the_version(volume, made, version, more):
    shown = volume.get(f"/volumes/{made()}", version=version).ok.body["volume"]
    assert set(shown) == _BASE | more | {"os-vol-tenant-attr:tenant_id"}


def test_an_administrator_sees_host_and_migration(volume, made, admin):
    shown = volume.get(f"/volumes/{made()}", version="3.71", who=admin).ok.body["volume"]
    assert shown["os-vol-host-attr:host"] == "node-1@csi#standard"
    assert {"migration_status", "provider_id", "cluster_name", "os-vol-mig-status-attr:migstat"} <= set(shown)


def test_volumes_of_others_are_404(volume, made, other, admin):
    mine = made()
    for call in (volume.get, volume.delete):
        reply = call(f"/volumes/{mine}", who=other)
        assert reply.status == 404 and reply.message == f"Volume {mine} could not be found."
    assert volume.get(f"/volumes/{mine}", who=admin).status == 200
    assert volume.get(f"/volumes/{uuid.uuid4()}").status == 404


def test_showing_takes_at_most_three_statements(volume, made):
    mine = made(metadata={"k": "v"})
    with count_statements() as seen:
        assert volume.get(f"/volumes/{mine}").ok
    assert len(seen) <= 3


def test_name_description_and_metadata_can_be_changed(volume, made):
    mine = made(metadata={"old": "1", "kept": "2"})
    body = {"volume": {"name": "new", "description": "words", "metadata": {"kept": "3"}}}
    shown = volume.put(f"/volumes/{mine}", body).ok.body["volume"]
    assert (shown["name"], shown["description"], shown["metadata"]) == ("new", "words", {"kept": "3"})
    again = volume.get(f"/volumes/{mine}").body["volume"]
    assert (again["name"], again["metadata"]) == ("new", {"kept": "3"})


def test_a_volume_in_maintenance_is_not_changed(volume, made, backend):
    mine = made()
    backend.force(mine, status="maintenance")
    assert volume.put(f"/volumes/{mine}", {"volume": {"name": "x"}}).status == 400


def test_deleting_marks_the_volume_and_tells_its_backend(volume, made, backend):
    mine = made()
    reply = volume.delete(f"/volumes/{mine}")
    assert reply.status == 202 and reply.raw == b""
    assert volume.bus.sent[-1][0] == "delete_volume"
    assert volume.bus.sent[-1][1]["server"] == "node-1@csi"
    row = backend.row(mine)
    assert row["status"] == "deleting" and row["terminated_at"] is not None
    assert volume.db.read(workers.get, "Volume", mine)["status"] == "deleting"


def test_deleting_a_volume_without_host_is_done_at_once(volume, made):
    mine = made(2, finish=False)
    assert volume.delete(f"/volumes/{mine}").status == 202
    assert volume.get(f"/volumes/{mine}").status == 404
    assert (used(volume), used(volume, "gigabytes")) == (0, 0)
    assert "delete_volume" not in volume.bus.methods()


@pytest.mark.parametrize(
    "values", [{"status": "in-use"}, {"attach_status": "attached"}, {"migration_status": "migrating"}]
)
def test_a_busy_volume_is_not_deleted(volume, made, backend, values):
    mine = made()
    backend.force(mine, **values)
    reply = volume.delete(f"/volumes/{mine}")
    assert reply.status == 400 and reply.message.startswith("Invalid volume: ")


def test_force_deletes_in_any_state_for_administrators_only(volume, made, backend, admin):
    mine = made()
    backend.force(mine, status="uploading")
    assert volume.delete(f"/volumes/{mine}?force=true", version="3.23").status == 403
    assert volume.delete(f"/volumes/{mine}?force=true", version="3.22", who=admin).status == 400
    assert volume.delete(f"/volumes/{mine}?force=true", version="3.23", who=admin).status == 202


def test_the_summary_counts(volume, made):
    made(2, metadata={"a": "1"}), made(3, metadata={"a": "2"})
    assert volume.get("/volumes/summary", version="3.12").body == {
        "volume-summary": {"total_count": 2, "total_size": 5}
    }
    assert sorted(volume.get("/volumes/summary", version="3.36").body["volume-summary"]["metadata"]["a"]) == ["1", "2"]
