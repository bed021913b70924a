"""Make a backup of a volume or a snapshot (source: cinder 29.0.0 backup flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import backup_rpc, faults, lists, lookup, settings
from keel_api.volume.backups import views
from keel_common.db.stores.cinder import backups, quotas, transitions, volumes
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import TRANSITIONS

LOG = logging.getLogger(__name__)
Row = dict[str, Any]


@handles("POST /backups")
def create(req: Request) -> Row:
    """A backup in `creating`, told to the scheduler: 202. Volume or snapshot are `backing-up` until it is done."""
    asked = req.body["backup"]
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    force = lists.boolean("force", asked.get("force", False))
    incremental = lists.boolean("incremental", asked.get("incremental", False))
    try:
        row = req.services.db.run(_create, req, asked, force, incremental)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "backups", error.deltas["backup_gigabytes"]) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        backup_rpc.create(req, row)
    except Exception:
        LOG.exception("Backup %s could not be handed to the scheduler", row["id"])
        req.services.db.run(_give_up, row)
        raise
    return {"backup": views.render(req, views.SUMMARY, [row])[0]}


def _create(conn: Any, req: Request, asked: Row, force: bool, incremental: bool) -> Row:
    volume = lookup.volume(conn, req, asked["volume_id"])
    req.must("backup:create", lookup.target(volume))
    snapshot = lookup.snapshot(conn, req, asked["snapshot_id"]) if asked.get("snapshot_id") else None
    _check_source(volume, snapshot, force)
    parent = _parent(conn, req, volume, snapshot) if incremental else None
    _take_quota(conn, req, volume["size"])
    _hold(conn, volume, snapshot)
    values = {
        "user_id": req.context.user_id,
        "project_id": req.context.project_id,
        "display_name": _trimmed(asked.get("name")),
        "display_description": _trimmed(asked.get("description")),
        "volume_id": volume["id"],
        "snapshot_id": snapshot["id"] if snapshot else None,
        "status": "creating",
        "container": asked.get("container"),
        "availability_zone": asked.get("availability_zone"),
        "size": volume["size"],
        "parent_id": parent["id"] if parent else None,
        "host": _host_of(parent),
        "data_timestamp": snapshot["created_at"] if snapshot else None,
    }
    return backups.create(conn, values, asked.get("metadata"))


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _check_source(volume: Row, snapshot: Row | None, force: bool) -> None:
    if snapshot is not None:
        if snapshot["volume_id"] != volume["id"]:
            raise faults.invalid_volume(f"Volume {volume['id']} is not the volume of snapshot {snapshot['id']}.")
        if snapshot["status"] != "available":
            raise faults.invalid_snapshot(
                f'Snapshot to be backed up must be available, but the current status is "{snapshot["status"]}".'
            )
        return
    if volume["status"] not in ("available", "in-use"):
        raise faults.invalid_volume(
            f'Volume to be backed up must be available or in-use, but the current status is "{volume["status"]}".'
        )
    if volume["status"] == "in-use" and not force:
        raise faults.invalid_volume("Backing up an in-use volume must use the force flag.")


def _parent(conn: Any, req: Request, volume: Row, snapshot: Row | None) -> Row:
    before = snapshot["created_at"] if snapshot else None
    found = backups.parent_of_next(conn, volume["id"], req.context.project_id, before)
    if found is None:
        raise faults.invalid("InvalidBackup", "No backups available to do an incremental backup.")
    return found


def _host_of(parent: Row | None) -> str | None:
    """A store on the file system of a host holds its chains there: the child goes where its parent lies."""
    return parent["host"] if parent and "posix" in (parent["service"] or "") else None


def _take_quota(conn: Any, req: Request, size: int) -> None:
    options, project = settings.quotas(req), req.context.project_id
    deltas = quota_rules.create_backup(size)
    limits = quotas.limits(conn, options, project, deltas, req.context.quota_class)
    quotas.take(conn, options, project, deltas, limits)


def _hold(conn: Any, volume: Row, snapshot: Row | None) -> None:
    if snapshot is not None:
        transition, done = TRANSITIONS["backup snapshot"], False
        done = transitions.apply(conn, transition, snapshot["id"])
    else:
        transition = TRANSITIONS["backup forced"].from_seen(volume)
        done = transitions.apply(conn, transition, volume["id"], {"previous_status": volume["status"]})
    if not done:
        raise faults.refused_transition(transition, "its status changed meanwhile")


def _give_up(conn: Any, row: Row) -> None:
    """Nobody will make this backup: it is in error, its source as it was."""
    backups.change(conn, row["id"], {"status": "error", "fail_reason": "The scheduler could not be reached."})
    if row["snapshot_id"]:
        transitions.apply(conn, TRANSITIONS["backup snapshot undone"], row["snapshot_id"])
        return
    volume = volumes.get(conn, row["volume_id"])
    if volume is not None:
        values = {"status": volume["previous_status"], "previous_status": "backing-up"}
        transitions.apply(conn, TRANSITIONS["backup undone"], row["volume_id"], values)
