"""Small words shared by the stores: the clock, live rows, dicts, inserts."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db import schema

TABLES = schema.cinder.tables


def now() -> datetime:
    """The time as the database holds it: UTC without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def new_id() -> str:
    """A fresh identifier of a resource."""
    return str(uuid.uuid4())


def alive(table: sa.FromClause) -> sa.ColumnElement[bool]:
    """Condition: the row is not soft deleted."""
    return table.c.deleted == sa.false()


def one_of(column: sa.ColumnElement, allowed: Iterable[Any]) -> sa.ColumnElement[bool]:
    """Condition: the column holds one of these values; None among them matches NULL."""
    values = list(allowed)
    plain = [value for value in values if value is not None]
    parts = []
    if plain:
        parts.append(column == plain[0] if len(plain) == 1 else column.in_(plain))
    if None in values:
        parts.append(column.is_(None))
    return sa.or_(*parts)


def other_than(column: sa.ColumnElement, value: Any) -> sa.ColumnElement[bool]:
    """Condition: the column does not hold this value; NULL counts as different."""
    return sa.or_(column != value, column.is_(None))


def first(conn: sa.Connection, query: sa.Select) -> dict[str, Any] | None:
    """The first row as a dict, or None."""
    row = conn.execute(query).mappings().first()
    return dict(row) if row is not None else None


def every(conn: sa.Connection, query: sa.Executable) -> list[dict[str, Any]]:
    """All rows as dicts."""
    return [dict(row) for row in conn.execute(query).mappings()]


def insert(conn: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Insert one live row made now; returns every column of the row, an automatic id included."""
    row = {"created_at": now(), "updated_at": None, "deleted_at": None, "deleted": False, **values}
    if not isinstance(table.c.deleted.type, sa.Boolean):
        row["deleted"] = int(row["deleted"])
    result = conn.execute(table.insert().values(row))
    full = {column.name: None for column in table.columns} | row
    if "id" in table.c and full.get("id") is None and result.inserted_primary_key:
        full["id"] = result.inserted_primary_key[0]
    return full


def insert_many(conn: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    """Insert live rows made now with one statement; every row has the same keys."""
    if rows:
        made = {"created_at": now(), "deleted": False}
        conn.execute(table.insert().values([{**made, **row} for row in rows]))


def update(conn: sa.Connection, table: sa.Table, where: list, values: Mapping[str, Any]) -> int:
    """Write columns of the rows and their updated_at; returns how many rows there were."""
    return conn.execute(table.update().where(*where).values({"updated_at": now(), **values})).rowcount


def bury(conn: sa.Connection, table: sa.Table, where: list, values: Mapping[str, Any] | None = None) -> int:
    """Soft delete live rows (deleted, deleted_at); updated_at is kept as it was, as recorded."""
    kept = {"updated_at": table.c.updated_at} if "updated_at" in table.c else {}
    change = {"deleted": True, "deleted_at": now(), **kept, **(values or {})}
    return conn.execute(table.update().where(*where, alive(table)).values(change)).rowcount
