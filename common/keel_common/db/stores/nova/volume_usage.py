"""Rows of volume_usage_cache: what servers read from and wrote to volumes."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import add, cas, now
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import TABLES, Row

TABLE = TABLES["volume_usage_cache"]
COUNTERS = ("reads", "read_bytes", "writes", "write_bytes")
OWNER = ("instance_uuid", "project_id", "user_id", "availability_zone")


def save(conn: sa.Connection, usage: Mapping[str, Any], update_totals: bool) -> Row:
    """Takes counters of a volume (curr_*); with `update_totals` they are added to the totals and begin anew.

    Counters that are lower than the stored ones were reset meanwhile: what was stored goes to the totals.
    """
    row = records.one(conn, TABLE, volume_id=usage["volume_id"])
    measured = {name: usage.get(f"curr_{name}") or 0 for name in COUNTERS}
    owner = {name: usage[name] for name in OWNER if name in usage}
    if row is None:
        values = _zeros("curr") | _zeros("tot") | _counted(measured, measured, update_totals)
        key = add(conn, TABLE, {"volume_id": usage["volume_id"], **owner, **values})
    else:
        key = row["id"]
        cas(conn, TABLE, _next(row, measured, update_totals) | owner, [TABLE.c.id == key])
    return records.one(conn, TABLE, id=key) or {}


def _zeros(kind: str) -> dict[str, int]:
    return {f"{kind}_{name}": 0 for name in COUNTERS}


def _counted(current: Mapping[str, int], totals: Mapping[str, int], update_totals: bool) -> dict[str, Any]:
    if update_totals:
        return {"tot_last_refreshed": now(), **{f"tot_{name}": value for name, value in totals.items()}} | _zeros(
            "curr"
        )
    return {"curr_last_refreshed": now(), **{f"curr_{name}": value for name, value in current.items()}}


def _next(row: Row, measured: Mapping[str, int], update_totals: bool) -> dict[str, Any]:
    stored = {name: row[f"curr_{name}"] or 0 for name in COUNTERS}
    totals = {name: row[f"tot_{name}"] or 0 for name in COUNTERS}
    reset = any(measured[name] < stored[name] for name in ("reads", "writes"))
    base = {name: totals[name] + (stored[name] if reset else 0) for name in COUNTERS}
    if update_totals:
        return _counted(measured, {name: base[name] + measured[name] for name in COUNTERS}, True)
    kept = {f"tot_{name}": base[name] for name in COUNTERS} if reset else {}
    return kept | _counted(measured, totals, False)
