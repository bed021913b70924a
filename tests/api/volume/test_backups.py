"""Backups (states and answers: cinder 29.0.0, measured)."""

import base64
import json
from datetime import UTC, datetime

import pytest
from fakes.api import OTHER, PROJECT, Identity

from api.volume import world
from keel_common.db.stores.cinder import backups, quotas

STRANGER = Identity("stranger", OTHER, ("member", "reader"))
ADMIN = Identity.ADMIN


@pytest.fixture
def back_up(volume):
    def do(volume_id, version="3.71", **asked):
        return volume.post("/backups", {"backup": {"volume_id": volume_id, **asked}}, version=version)

    return do


def finish(volume, backup_id, **values):
    """What the backup service writes in the end."""
    volume.db.run(backups.change, backup_id, {"status": "available", "host": "bk", "service": "posix", **values})


def used(volume, resource):
    return volume.db.read(quotas.usages, PROJECT, [resource])[resource].in_use


def test_a_backup_holds_its_volume_and_is_told_to_the_scheduler(volume, made, backend, back_up):
    mine = made(3)
    reply = back_up(mine, name=" b ", metadata={"k": "v"})
    assert reply.status == 202 and set(reply.body["backup"]) == {"id", "name", "links"}
    row = backend.row(mine)
    assert (row["status"], row["previous_status"]) == ("backing-up", "available")
    method, sent = volume.bus.sent[-1]
    assert method == "create_backup" and sent["backup"].metadata == {"k": "v"} and sent["backup"].host is None
    assert (used(volume, "backups"), used(volume, "backup_gigabytes")) == (1, 3)
    shown = volume.get(f"/backups/{reply.body['backup']['id']}", version="3.71").body["backup"]
    assert shown["data_timestamp"] == shown["created_at"] and shown["metadata"] == {"k": "v"}
    assert not shown["is_incremental"] and "os-backup-project-attr:project_id" not in shown
    assert back_up(mine).status == 400


def test_an_attached_volume_needs_force_and_other_states_are_refused(made, backend, back_up):
    mine = made()
    backend.force(mine, status="in-use")
    assert back_up(mine).status == 400
    assert back_up(mine, force=True).status == 202
    assert backend.row(mine)["previous_status"] == "in-use"
    backend.force(mine, status="error")
    assert back_up(mine, force=True).status == 400


def test_a_backup_of_a_snapshot_leaves_the_volume_alone(volume, made, backend, back_up):
    mine, other = made(), made()
    cut = volume.post("/snapshots", {"snapshot": {"volume_id": mine}}).ok.body["snapshot"]["id"]
    assert back_up(mine, snapshot_id=cut).status == 400  # still creating
    backend.finish_snapshot(cut)
    assert back_up(other, snapshot_id=cut).status == 400
    assert back_up(mine, snapshot_id=cut).status == 202
    assert backend.snapshot(cut)["status"] == "backing-up" and backend.row(mine)["status"] == "available"


def test_an_incremental_backup_builds_on_the_newest_and_stays_at_its_host(volume, made, backend, back_up):
    mine = made()
    assert back_up(mine, incremental=True).status == 400
    first = back_up(mine).body["backup"]["id"]
    finish(volume, first)
    backend.force(mine, status="available")
    second = back_up(mine, incremental=True).body["backup"]["id"]
    row = volume.db.read(backups.get, second)
    assert (row["parent_id"], row["host"]) == (first, "bk")
    backend.service("bk", "cinder-backup", updated_at=datetime.now(UTC).replace(tzinfo=None))
    assert volume.delete(f"/backups/{first}").message.endswith("Incremental backups exist for this backup.")


def test_a_backup_nobody_takes_gives_its_source_back(volume, made, backend, back_up):
    mine = made()
    volume.bus.answers["create_backup"] = RuntimeError("no broker")
    assert back_up(mine).status == 500
    assert backend.row(mine)["status"] == "available"
    (shown,) = volume.get("/backups/detail").body["backups"]
    assert shown["status"] == "error"


def test_full_quotas_refuse(volume, made, back_up):
    volume.db.run(quotas.set_limits, PROJECT, {"backups": 0})
    assert back_up(made()).message.startswith("BackupLimitExceeded: ")
    volume.db.run(quotas.set_limits, PROJECT, {"backups": 9, "backup_gigabytes": 1})
    assert back_up(made(2)).message.startswith("VolumeBackupSizeExceedsAvailableQuota: ")


def test_restoring_holds_both_and_names_a_live_host(everything):
    volume, ids = everything
    path = f"/backups/{ids['backup']}/restore"
    reply = volume.post(path, {"restore": {"volume_id": ids["cut_volume"]}})
    assert reply.status == 202
    assert reply.body["restore"] == {"backup_id": ids["backup"], "volume_id": ids["cut_volume"], "volume_name": None}
    method, sent = volume.bus.sent[-1]
    assert (method, sent["server"], sent["volume_is_new"]) == ("restore_backup", "bk", False)
    assert sent["backup"].status == "restoring" and sent["backup"].restore_volume_id == ids["cut_volume"]
    assert volume.post(path, {"restore": {"volume_id": ids["cut_volume"]}}).status == 400


def test_restoring_without_a_volume_makes_one_and_fails_with_it(everything):
    volume, ids = everything
    volume.set("migration_create_volume_timeout_secs", 0)
    reply = volume.post(f"/backups/{ids['backup']}/restore", {"restore": {}})
    assert reply.message.startswith("Invalid volume: Error while creating volume ")
    method, sent = volume.bus.sent[-1]
    assert method == "create_volume" and sent["volume"].display_name == f"restore_backup_{ids['backup']}"


def test_deleting_needs_a_live_service_and_force_a_store_that_can(everything):
    volume, ids = everything
    path = f"/backups/{ids['backup']}"
    volume.bus.answers["check_support_to_force_delete"] = False
    assert volume.post(f"{path}/action", {"os-force_delete": {}}, who=ADMIN).status == 405
    assert volume.delete(path, who=STRANGER).status == 404
    volume.set("service_down_time", -60)
    assert volume.delete(path).message == "Service cinder-backup could not be found."
    volume.set("service_down_time", 86400)
    assert volume.delete(path).status == 202
    assert volume.bus.methods()[-1] == "delete_backup"
    assert volume.delete(path).status == 400


def record(**values):
    return base64.b64encode(json.dumps(values).encode()).decode()


@pytest.mark.parametrize(
    "url",
    [
        record(),
        record(id="x", size=1),
        record(id="b17b7831-fe14-43c6-8643-c774f5b11555"),
        base64.b64encode(b"[1]").decode(),
        "eHg=",
    ],
)
def test_records_that_are_none(everything, url):
    volume, _ = everything
    body = {"backup-record": {"backup_service": "s", "backup_url": url}}
    assert volume.post("/backups/import_record", body, who=ADMIN).status == 400


def test_a_record_is_imported_once(everything):
    volume, ids = everything
    url = world.record()
    body = {"backup-record": {"backup_service": "s", "backup_url": url}}
    first = volume.post("/backups/import_record", body, who=ADMIN)
    assert first.status == 201
    method, sent = volume.bus.sent[-1]
    assert (method, sent["server"], sent["backup_hosts"], sent["backup_url"]) == ("import_record", "bk", [], url)
    assert volume.post("/backups/import_record", body, who=ADMIN).status == 400
    volume.db.run(backups.destroy, first.body["backup"]["id"])
    assert volume.post("/backups/import_record", body, who=ADMIN).status == 201


def test_volumes_are_made_from_backups(everything):
    volume, ids = everything
    reply = volume.post("/volumes", {"volume": {"backup_id": ids["backup"]}}, version="3.47")
    assert reply.status == 202 and reply.body["volume"]["size"] == 1
    _, sent = volume.bus.sent[-1]
    assert sent["backup_id"] == sent["request_spec"].backup_id == ids["backup"]


def test_lists_filter_sort_and_count(everything):
    volume, ids = everything
    page = volume.get("/backups/detail?limit=1&with_count=1", version="3.45").body
    assert page["count"] == 1 and [row["id"] for row in page["backups"]] == [ids["backup"]]
    assert volume.get("/backups?status=error").body == {"backups": []}
    assert volume.get("/backups?sort=name:asc", version="3.36").status == 400
    assert volume.get("/backups?host=bk", version="3.31").status == 400
    assert volume.get("/backups?all_tenants=perhaps", who=ADMIN).status == 400
    assert volume.get("/backups", who=STRANGER).body == {"backups": []}
