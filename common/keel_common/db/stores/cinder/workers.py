"""Rows that say which service works on which resource, so that a crash can be cleaned up (source: cinder 29.0.0
workers)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, every, first, insert, now

_SENTINEL = "SENTINEL"


def create(conn: sa.Connection, resource_type: str, resource_id: str, status: str, fresh: bool = False) -> None:
    """Announce work on a resource (`Volume` or `Snapshot`), owned by nobody yet; an older row of it is taken over.

    `fresh`: the resource was made in this transaction, so that there cannot be an older row.
    """
    table = TABLES["workers"]
    if not fresh:
        change = {
            "service_id": None,
            "status": status,
            "updated_at": now(),
            "race_preventer": table.c.race_preventer + 1,
        }
        if conn.execute(table.update().where(*_of(table, resource_type, resource_id)).values(change)).rowcount:
            return
    values = {"resource_type": resource_type, "resource_id": resource_id, "status": status, "race_preventer": 0}
    insert(conn, table, {**values, "service_id": None, "updated_at": now()})


def get(conn: sa.Connection, resource_type: str, resource_id: str) -> dict[str, Any] | None:
    """The row of a resource, or None."""
    table = TABLES["workers"]
    return first(conn, sa.select(table).where(*_of(table, resource_type, resource_id)))


def of_resource(conn: sa.Connection, resource_id: str, resource_type: str | None = None) -> dict[str, Any] | None:
    """The row of the resource with this id, whatever it is (or only of this type), or None."""
    table = TABLES["workers"]
    where = [table.c.resource_id == resource_id, table.c.resource_type != _SENTINEL]
    if resource_type is not None:
        where.append(table.c.resource_type == resource_type)
    return first(conn, sa.select(table).where(*where))


def claim(conn: sa.Connection, row: dict[str, Any], service_id: int) -> bool:
    """Make the row one's own if nobody was faster since it was read; True when it is ours now."""
    table = TABLES["workers"]
    guards = [table.c[name] == row[name] for name in ("id", "status", "race_preventer")]
    guards.append(table.c.service_id == row["service_id"] if row["service_id"] else table.c.service_id.is_(None))
    change = {"service_id": service_id, "race_preventer": row["race_preventer"] + 1, "updated_at": now()}
    return conn.execute(table.update().where(*guards).values(change)).rowcount == 1


def take(conn: sa.Connection, resource_type: str, resource_id: str, status: str, service_id: int) -> bool:
    """What a receiver does: claim the announced row, or write one of its own when there is none. False: somebody was
    faster."""
    row = get(conn, resource_type, resource_id)
    if row is not None:
        return claim(conn, row, service_id)
    values = {"resource_type": resource_type, "resource_id": resource_id, "status": status, "race_preventer": 0}
    insert(conn, TABLES["workers"], {**values, "service_id": service_id, "updated_at": now()})
    return True


def remove(conn: sa.Connection, resource_type: str, resource_id: str) -> None:
    """Forget the work on a resource (a hard delete, as recorded)."""
    table = TABLES["workers"]
    conn.execute(table.delete().where(*_of(table, resource_type, resource_id)))


def of_service(conn: sa.Connection, service_id: int, until: datetime | None = None) -> list[dict[str, Any]]:
    """Rows a service holds, last touched until then (default: now)."""
    table = TABLES["workers"]
    where = [
        table.c.service_id == service_id,
        table.c.updated_at <= (until or now()),
        table.c.resource_type != _SENTINEL,
    ]
    return every(conn, sa.select(table).where(*where).order_by(table.c.id))


def _of(table: sa.Table, resource_type: str, resource_id: str) -> list[sa.ColumnElement[bool]]:
    return [table.c.resource_type == resource_type, table.c.resource_id == resource_id]
