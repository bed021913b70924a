"""The few statements that every store shares: guarded update, soft delete, insert with times, and the clock."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Connection, Table, false, insert, update


def now() -> datetime.datetime:
    """UTC without zone and without fractions, as every recorded `datetime` column holds it."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)


def cas(conn: Connection, table: Table, values: Mapping[str, Any], where: Sequence[ColumnElement[bool]]) -> bool:
    """Changes the rows that (still) match `where`; False when there were none.

    Sets `updated_at`. Values are set in the order given: MySQL evaluates SET from left to right, so a copy of an old
    value (`previous_status=table.c.status`) must come before the new one. Source: cinder 29.0.0 db semantics.
    """
    pairs = [(table.c[name], value) for name, value in values.items()]
    if "updated_at" in table.c and "updated_at" not in values:
        pairs.append((table.c.updated_at, now()))
    return conn.execute(update(table).where(*where).ordered_values(*pairs)).rowcount > 0


def soft_delete(conn: Connection, table: Table, where: Sequence[ColumnElement[bool]], **extra: Any) -> int:
    """Marks living rows deleted, as recorded: `deleted` = id (nova, integer) or true (cinder, boolean); `updated_at`
    kept.

    `extra` columns are set too. Returns how many rows it were.
    """
    boolean = isinstance(table.c.deleted.type, Boolean)
    living = table.c.deleted == false() if boolean else table.c.deleted == 0
    values = {"deleted": True if boolean else table.c.id, "deleted_at": now(), **extra}
    return conn.execute(update(table).where(living, *where).values(**values)).rowcount


def add(conn: Connection, table: Table, *rows: Mapping[str, Any]) -> int:
    """Inserts rows (all with the same columns) with created_at and deleted filled in; the id of a single row, else
    0."""
    first: dict[str, Any] = {}
    if "created_at" in table.c:
        first["created_at"] = now()
    if "deleted" in table.c:
        first["deleted"] = False if isinstance(table.c.deleted.type, Boolean) else 0
    if not rows:
        return 0
    if len(rows) == 1:
        key = conn.execute(insert(table).values(first | dict(rows[0]))).inserted_primary_key
        return key[0] if key else 0
    conn.execute(insert(table), [first | dict(row) for row in rows])
    return 0
