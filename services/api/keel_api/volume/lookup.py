"""Load what a request names, as far as the caller may see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keel_common.db.stores.cinder.snapshots as snapshot_rows
import keel_common.db.stores.cinder.types as type_rows
import keel_common.db.stores.cinder.volumes as volume_rows
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults


def scope(req: Request) -> str | None:
    """Project whose rows the caller may reach; None for an administrator, who reaches all.

    Raises a 403 for anybody else whose token names no project: without one there is nothing to reach.
    """
    if req.context.is_admin:
        return None
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    return req.context.project_id


def target(row: Mapping[str, Any]) -> dict[str, Any]:
    """What policy rules look at in a row."""
    return {"project_id": row.get("project_id"), "user_id": row.get("user_id")}


def volume(
    conn: Any, req: Request, volume_id: str, rule: str | None = "volume:get", full: bool = False
) -> dict[str, Any]:
    """A volume the caller may see, else 404; `rule` None skips the policy. `full`: with metadata and attachments."""
    row = (volume_rows.show if full else volume_rows.get)(conn, volume_id, scope(req))
    if row is None:
        raise faults.not_found("Volume", volume_id)
    if rule is not None:
        req.must(rule, target(row))
    return row


def snapshot(conn: Any, req: Request, snapshot_id: str, rule: str | None = "volume:get_snapshot") -> dict[str, Any]:
    """A snapshot with its metadata that the caller may see, else 404; `rule` None skips the policy."""
    row = snapshot_rows.show(conn, snapshot_id, scope(req))
    if row is None:
        raise faults.not_found("Snapshot", snapshot_id)
    if rule is not None:
        req.must(rule, target(row))
    return row


def volume_type(conn: Any, req: Request, type_id: str) -> dict[str, Any]:
    """A volume type with its extra specs that the caller may see, else 404."""
    row = type_rows.get(conn, type_id, scope(req))
    if row is None:
        raise faults.not_found("Volume type", type_id)
    return row
