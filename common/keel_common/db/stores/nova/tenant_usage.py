"""Servers that ran in a span of time, the deleted ones included, for usage reports (cell database)."""

from __future__ import annotations

import datetime
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row

_INSTANCES = TABLES["instances"]
_EXTRA = TABLES["instance_extra"]


def running(
    conn: sa.Connection,
    start: datetime.datetime,
    stop: datetime.datetime,
    project_id: str | None = None,
    after: tuple[str, str] | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Servers launched before ``stop`` and not ended before ``start``, by project and uuid, with ``flavor`` (fields of
    the flavor they run with, {} when unknown).

    ``after`` is project and uuid of the last server of the page before.
    """
    table = _INSTANCES
    columns = ("uuid", "project_id", "display_name", "launched_at", "terminated_at", "vm_state")
    where = [
        table.c.launched_at < stop,
        sa.or_(table.c.terminated_at.is_(None), table.c.terminated_at > start),
    ]
    if project_id is not None:
        where.append(table.c.project_id == project_id)
    if after is not None:
        same = sa.and_(table.c.project_id == after[0], table.c.uuid > after[1])
        where.append(sa.or_(table.c.project_id > after[0], same))
    query = (
        sa.select(*(table.c[name] for name in columns), _EXTRA.c.flavor)
        .outerjoin(_EXTRA, _EXTRA.c.instance_uuid == table.c.uuid)
        .where(*where)
        .order_by(table.c.project_id, table.c.uuid)
        .limit(limit)
    )
    return [{**row, "flavor": _flavor(row["flavor"])} for row in conn.execute(query).mappings()]


def place(conn: sa.Connection, uuid: str) -> tuple[str, str] | None:
    """Where a server stands in the order of ``running``; None when the cell does not know it."""
    row = conn.execute(sa.select(_INSTANCES.c.project_id, _INSTANCES.c.uuid).where(_INSTANCES.c.uuid == uuid)).first()
    return None if row is None else (row.project_id, row.uuid)


def _flavor(text: str | None) -> dict[str, Any]:
    current = orjson.loads(text).get("cur") if text else None
    return current["nova_object.data"] if current else {}
