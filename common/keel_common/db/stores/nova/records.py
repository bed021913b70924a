"""Rows by the values of their columns, for objects that are little more than a row."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova.rows import API_TABLES, TABLES, Row, columns_of, every, first, living

Table = sa.Table


def api(name: str) -> Table:
    """A table of the API database."""
    return API_TABLES[name]


def cell(name: str) -> Table:
    """A table of a cell database."""
    return TABLES[name]


def one(conn: sa.Connection, table: Table, read_deleted: str = "no", /, **equal: Any) -> Row | None:
    """The first row by id whose columns have these values."""
    return first(conn, _select(table, read_deleted, equal))


def many(conn: sa.Connection, table: Table, read_deleted: str = "no", /, **equal: Any) -> list[Row]:
    """All rows by id whose columns have these values; a list means any of them."""
    return every(conn, _select(table, read_deleted, equal))


def create(conn: sa.Connection, table: Table, values: Mapping[str, Any]) -> Row:
    """A new row as it stands in the database; values without a column are left out."""
    key = add(conn, table, columns_of(table, values))
    return first(conn, sa.select(table).where(table.c.id == key)) or {}


def change(conn: sa.Connection, table: Table, values: Mapping[str, Any], /, **equal: Any) -> Row | None:
    """Changes the living row whose columns have these values; the row afterwards, None when there is none."""
    known = columns_of(table, values)
    if known:
        cas(conn, table, known, [*_living(table, "no"), *_equal(table, equal)])
    return one(conn, table, **equal)


def remove(conn: sa.Connection, table: Table, /, **equal: Any) -> int:
    """Deletes rows for real; how many there were."""
    return conn.execute(sa.delete(table).where(*_equal(table, equal))).rowcount


def count(conn: sa.Connection, table: Table, /, **equal: Any) -> int:
    """How many living rows have these values."""
    where = [*_living(table, "no"), *_equal(table, equal)]
    return int(conn.execute(sa.select(sa.func.count()).select_from(table).where(*where)).scalar_one())


def _select(table: Table, read_deleted: str, equal: Mapping[str, Any]) -> sa.Select[Any]:
    where = [*_living(table, read_deleted), *_equal(table, equal)]
    return sa.select(table).where(*where).order_by(*table.primary_key)


def _living(table: Table, read_deleted: str) -> list[sa.ColumnElement[bool]]:
    return living(table, read_deleted) if "deleted" in table.c else []


def _equal(table: Table, values: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    return [_is(table.c[name], value) for name, value in values.items()]


def _is(column: sa.ColumnElement[Any], value: Any) -> sa.ColumnElement[bool]:
    if isinstance(value, list | tuple | set):
        return column.in_(list(value))
    return column.is_(None) if value is None else column == value
