"""Sorting, paging and plain column filters of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import alive, first
from keel_common.domain.volume.lists import Paging

_LARGEST = 2**63 - 1


class MarkerGone(LookupError):
    """The row the page should start after does not exist. `marker`: its id."""

    def __init__(self, marker: str):
        super().__init__(marker)
        self.marker = marker


class NothingMatches(LookupError):
    """A filter names no column: the list is empty."""


def conditions(table: sa.Table, filters: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    """Conditions of `column: value` filters. A list of values means any of them, `column~` a part of the text.

    Raises NothingMatches for a key that is no column.
    """
    result = []
    for key, value in filters.items():
        name = key.removesuffix("~")
        if name not in table.c:
            raise NothingMatches(key)
        column = table.c[name]
        if key.endswith("~"):
            result.append(column.contains(str(value), autoescape=True))
        elif isinstance(value, list | tuple | set | frozenset):
            result.append(column.in_([_fitting(column, one) for one in value]))
        elif value is None:
            result.append(column.is_(None))
        else:
            result.append(column == _fitting(column, value))
    return result


def _fitting(column: sa.Column, value: Any) -> Any:
    """The value in the type of the column: text columns compare with text even when the query read like a number.

    Raises NothingMatches for what no column can hold."""
    if isinstance(value, dict | list | tuple | set | bytes) or (isinstance(value, int) and abs(value) > _LARGEST):
        raise NothingMatches(str(value))
    if isinstance(column.type, sa.String) and not isinstance(value, str):
        return str(value)
    return value


def page(conn: sa.Connection, query: sa.Select, table: sa.Table, paging: Paging) -> sa.Select:
    """The query, sorted and cut to the page. Reads the marker row when there is a marker; raises MarkerGone without it.

    NULL sorts before every value, as SQLite and MySQL do.
    """
    if paging.marker is not None:
        query = query.where(_after(table, paging, _marker_row(conn, table, paging)))
    order = [table.c[key].asc() if direction == "asc" else table.c[key].desc() for key, direction in paging.sort]
    query = query.order_by(*order).limit(paging.limit)
    return query.offset(paging.offset) if paging.offset else query


def _marker_row(conn: sa.Connection, table: sa.Table, paging: Paging) -> dict[str, Any]:
    columns = [table.c[key] for key, _ in paging.sort]
    row = first(conn, sa.select(*columns).where(table.c.id == paging.marker, alive(table)))
    if row is None:
        raise MarkerGone(paging.marker or "")
    return row


def _after(table: sa.Table, paging: Paging, marker: Mapping[str, Any]) -> sa.ColumnElement[bool]:
    """Rows that come after the marker: equal in the first keys, beyond it in the next one."""
    cases: list[sa.ColumnElement[bool]] = []
    equal: list[sa.ColumnElement[bool]] = []
    for key, direction in paging.sort:
        column, value = table.c[key], marker[key]
        cases.append(sa.and_(*equal, _beyond(column, value, direction)))
        equal.append(column.is_(None) if value is None else column == value)
    return sa.or_(*cases)


def _beyond(column: sa.Column, value: Any, direction: str) -> sa.ColumnElement[bool]:
    if direction == "asc":
        return column.is_not(None) if value is None else column > value
    if value is None:
        return sa.false()
    return sa.or_(column < value, column.is_(None))


def count(conn: sa.Connection, query: sa.Select) -> int:
    """How many rows the query has before it is cut into pages."""
    inner = query.order_by(None).with_only_columns(sa.literal(1)).subquery()
    return conn.execute(sa.select(sa.func.count()).select_from(inner)).scalar_one()
