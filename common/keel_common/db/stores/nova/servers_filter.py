"""A selection of servers as SQL: conditions, order and the rows after a marker (nova 34.0.0 list_rules)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db import schema
from keel_common.domain.server.filters import SOFT_DELETED, Condition, Selection

INSTANCES = schema.nova_cell.tables["instances"]
TAGS = schema.nova_cell.tables["tags"]
MYSQL = ("mysql", "mariadb")


def where_clauses(selection: Selection, dialect: str) -> list[sa.ColumnElement[bool]]:
    """Return the conditions of a selection; address conditions are not SQL's to answer and are left out."""
    clauses = [_clause(c, dialect) for c in selection.conditions if c.op != "address"]
    columns = INSTANCES.c
    reclaimable = columns.vm_state == SOFT_DELETED
    if selection.deleted is True:
        gone = columns.deleted != 0
        clauses.append(sa.or_(gone, reclaimable) if selection.soft_deleted else gone)
    elif selection.deleted is False:
        clauses.append(columns.deleted == 0)
        if not selection.soft_deleted:
            clauses.append(sa.or_(columns.vm_state != SOFT_DELETED, columns.vm_state.is_(None)))
    clauses.append(sa.or_(columns.hidden == sa.false(), columns.hidden.is_(None)))
    return clauses


def _clause(c: Condition, dialect: str) -> sa.ColumnElement[bool]:
    if c.op == "tag":
        return tagged(c.key, c.value)
    column = INSTANCES.c[c.key]
    if c.op == "eq":
        return column.is_(None) if c.value is None else column == c.value
    if c.op == "in":
        return column.in_(c.value)
    if c.op == "since":
        return column >= c.value
    if c.op == "before":
        return column <= c.value
    text = column if isinstance(column.type, sa.String | sa.Text) else sa.cast(column, sa.String(255))
    return text.regexp_match(c.value.replace("|", "\\|") if dialect in MYSQL else c.value)


def tagged(key: str, tags: Sequence[str]) -> sa.ColumnElement[bool]:
    """Servers with all (tags), any (tags-any), not all (not-tags) or none (not-tags-any) of these tags."""
    mine = TAGS.c.resource_id == INSTANCES.c.uuid

    def has(wanted: Sequence[str]) -> sa.ColumnElement[bool]:
        return sa.exists().where(mine, TAGS.c.tag.in_(wanted))

    if key == "tags-any":
        return has(tags)
    if key == "not-tags-any":
        return ~has(tags)
    every = sa.and_(sa.true(), *[has([tag]) for tag in tags])
    return every if key == "tags" else ~every


def ordering(order: Sequence[tuple[str, str]]) -> list[sa.ColumnElement]:
    """Return ORDER BY terms; empty values come first going up, last going down, in every engine we support."""
    return [INSTANCES.c[column].asc() if way == "asc" else INSTANCES.c[column].desc() for column, way in order]


def after_marker(order: Sequence[tuple[str, str]], marker: Mapping[str, Any]) -> sa.ColumnElement[bool]:
    """Return the condition for rows that come after `marker` in `order`: equal so far and further on."""
    alternatives = []
    equal: list[sa.ColumnElement[bool]] = []
    for column, way in order:
        further = _further(INSTANCES.c[column], way, marker[column])
        if further is not None:
            alternatives.append(sa.and_(*equal, further))
        value = marker[column]
        equal.append(INSTANCES.c[column].is_(None) if value is None else INSTANCES.c[column] == value)
    return sa.or_(*alternatives) if alternatives else sa.false()


def _further(column: sa.Column, way: str, value: Any) -> sa.ColumnElement[bool] | None:
    if way == "asc":
        return column.is_not(None) if value is None else column > value
    return None if value is None else sa.or_(column < value, column.is_(None))
