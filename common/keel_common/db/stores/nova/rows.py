"""What the stores of a Nova cell share: living rows, reading rows as dicts."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.schema import nova_api, nova_cell

TABLES = nova_cell.tables
API_TABLES = nova_api.tables
Row = dict[str, Any]


def living(table: sa.Table, read_deleted: str = "no") -> list[sa.ColumnElement[bool]]:
    """The condition of a context's read_deleted ("no", "yes", "only") on a table with soft delete."""
    if read_deleted == "yes":
        return []
    return [table.c.deleted != 0] if read_deleted == "only" else [table.c.deleted == 0]


def first(conn: sa.Connection, query: sa.Select[Any]) -> Row | None:
    """The first row as a dict, None when there is none."""
    row = conn.execute(query.limit(1)).mappings().first()
    return None if row is None else dict(row)


def every(conn: sa.Connection, query: sa.Select[Any]) -> list[Row]:
    """All rows as dicts."""
    return [dict(row) for row in conn.execute(query).mappings()]


def one(conn: sa.Connection, table: sa.Table, *where: sa.ColumnElement[bool], read_deleted: str = "no") -> Row | None:
    """The first row by id that matches."""
    return first(conn, sa.select(table).where(*living(table, read_deleted), *where).order_by(table.c.id))


def many(conn: sa.Connection, table: sa.Table, *where: sa.ColumnElement[bool], read_deleted: str = "no") -> list[Row]:
    """All rows that match, by id."""
    return every(conn, sa.select(table).where(*living(table, read_deleted), *where).order_by(table.c.id))


def one_of(column: sa.ColumnElement[Any], values: Iterable[Any]) -> sa.ColumnElement[bool]:
    """The column holds one of `values`, where None means NULL."""
    values = list(values)
    named = [value for value in values if value is not None]
    parts = [column.in_(named)] if named else []
    if None in values:
        parts.append(column.is_(None))
    return sa.or_(*parts) if parts else sa.false()


def columns_of(table: sa.Table, values: Mapping[str, Any]) -> Row:
    """Those of `values` that are columns of the table."""
    return {name: value for name, value in values.items() if name in table.c}


def parse(text: str | None) -> Any:
    """JSON text of a column; None for NULL and for empty text."""
    return json.loads(text) if text else None
