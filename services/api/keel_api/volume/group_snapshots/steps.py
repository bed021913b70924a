"""Take and delete group snapshots, for both APIs (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from keel_api.http.request import Request
from keel_api.volume import faults, group_rpc, settings
from keel_api.volume.group_snapshots.lookup import load
from keel_api.volume.groups.create import owner, project_needed, words
from keel_api.volume.groups.lookup import load as load_group
from keel_api.volume.groups.lookup import not_frozen
from keel_common.db.stores.cinder import group_snapshots, groups, quotas, snapshots, transitions, types
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import TRANSITIONS, snapshot_refusal

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_BUSY = ("creating", "updating")


def take(req: Request, group_id: str, asked: Row, allowed: Callable[[Row], Row]) -> Row:
    """Write a group snapshot with a snapshot of each volume and send it to the backend of the group; its row."""
    project_needed(req)
    try:
        group, row = req.services.db.run(_take, req, group_id, asked, allowed)
    except quota_rules.OverQuota as error:
        size = next((delta for name, delta in error.deltas.items() if "gigabytes" in name), 0)
        raise faults.over_quota(error, "snapshots", size) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        group_rpc.create_snapshot(req, group, row)
    except Exception:
        LOG.exception("Group snapshot %s could not be handed to its backend", row["id"])
        req.services.db.run(_give_up, row["id"])
        raise
    return row


def _take(conn: Any, req: Request, group_id: str, asked: Row, allowed: Callable[[Row], Row]) -> tuple[Row, Row]:
    group = allowed(load_group(conn, req, None, group_id))
    req.must("group:create_group_snapshot")
    group.update(groups.lock(conn, group_id) or {})
    members = groups.volumes(conn, group_id)
    if not members or group["status"] in _BUSY:
        raise faults.invalid(
            "InvalidGroup",
            "Source group cannot be empty or in 'creating' or 'updating' state. No group snapshot will be created.",
        )
    not_frozen(conn, group)
    values = {**owner(req), **words(asked), "group_id": group_id, "group_type_id": group["group_type_id"]}
    row = group_snapshots.create(conn, values)
    for member in members:
        reason = snapshot_refusal(member, attached_too=True)
        if reason:
            raise faults.invalid_volume(reason)
        _take_one(conn, req, row, member)
    return group, row


def _take_one(conn: Any, req: Request, row: Row, member: Row) -> None:
    req.must("volume:create_snapshot", {"project_id": member["project_id"], "user_id": member["user_id"]})
    type_row = types.get(conn, member["volume_type_id"])
    options, project = settings.quotas(req), req.context.project_id
    name = type_row["name"] if type_row else None
    deltas = quota_rules.create_snapshot(member["size"], name, options.snapshot_sizes_count)
    quotas.take(conn, options, project, deltas, quotas.limits(conn, options, project, deltas, req.context.quota_class))
    values = {
        **owner(req),
        "volume_id": member["id"],
        "group_snapshot_id": row["id"],
        "status": "creating",
        "progress": "0%",
        "volume_size": member["size"],
        "display_name": row["name"],
        "display_description": row["description"],
        "volume_type_id": member["volume_type_id"],
        "encryption_key_id": member["encryption_key_id"],
    }
    snapshots.create(conn, values)


def _give_up(conn: Any, group_snapshot_id: str) -> None:
    group_snapshots.change(conn, group_snapshot_id, {"status": "error"})
    group_snapshots.mark_snapshots(conn, group_snapshot_id, "error")


def delete(req: Request, allowed: Callable[[Row], Row]) -> None:
    """Mark a group snapshot and its snapshots as deleting and send it to the backend. `allowed` raises for those the
    calling API may not touch."""

    def work(conn: Any) -> tuple[Row, Row]:
        row = allowed(load(conn, req, "group:delete_group_snapshot"))
        group = groups.get(conn, row["group_id"])
        if group is None or not group["host"]:
            raise faults.invalid("InvalidGroupSnapshot", "its group lies on no backend")
        not_frozen(conn, group)
        transition = TRANSITIONS["group snapshot delete"]
        if not transitions.apply(conn, transition, row["id"], where=[group_snapshots.not_a_source()]):
            raise faults.refused_transition(
                transition,
                "GroupSnapshot status must be available or error, and no Group can be currently using it as source "
                "for its creation.",
            )
        group_snapshots.mark_snapshots(conn, row["id"], "deleting")
        return group, {**row, "status": "deleting"}

    group, row = req.services.db.run(work)
    group_rpc.delete_snapshot(req, group, row)
