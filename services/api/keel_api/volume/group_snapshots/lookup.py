"""Load a group snapshot for a request."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.volume import faults, lookup
from keel_common.db.stores.cinder import group_snapshots

Row = dict[str, Any]


def load(conn: Any, req: Request, rule: str | None = None, group_snapshot_id: str | None = None) -> Row:
    """The group snapshot of the request that the caller may see, else 404. `rule`: checked on it as well."""
    group_snapshot_id = req.path["id"] if group_snapshot_id is None else group_snapshot_id
    row = group_snapshots.get(conn, group_snapshot_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("GroupSnapshot", group_snapshot_id)
    for wanted in filter(None, ("group:get_group_snapshot", rule)):
        req.must(wanted, lookup.target(row))
    return row
