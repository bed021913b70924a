"""Rows of group types and their specs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing, metadata
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, update
from keel_common.domain.volume.lists import Paging

Row = dict[str, Any]

#: The type whose groups are the consistency groups of the old API; made by the migrations.
CONSISTENCY_TYPE = "default_cgsnapshot_type"


def _visible(project_id: str | None) -> list[sa.ColumnElement[bool]]:
    """Conditions for the types a project sees: public ones and those it was given. None (an administrator): all."""
    if project_id is None:
        return []
    types, given = TABLES["group_types"], TABLES["group_type_projects"]
    mine = sa.exists().where(given.c.group_type_id == types.c.id, given.c.project_id == project_id, alive(given))
    return [sa.or_(types.c.is_public == sa.true(), mine)]


def _with_specs(conn: sa.Connection, rows: list[Row]) -> list[Row]:
    specs = metadata.read(conn, metadata.GROUP_TYPE_SPECS, [row["id"] for row in rows])
    return [{**row, "group_specs": specs[row["id"]]} for row in rows]


def _one(conn: sa.Connection, where: Iterable[sa.ColumnElement[bool]]) -> Row | None:
    table = TABLES["group_types"]
    row = first(conn, sa.select(table).where(alive(table), *where))
    return _with_specs(conn, [row])[0] if row else None


def get(conn: sa.Connection, type_id: str, project_id: str | None = None) -> Row | None:
    """A group type by id with its `group_specs`, if the project sees it; or None. Two statements."""
    return _one(conn, [TABLES["group_types"].c.id == type_id, *_visible(project_id)])


def get_by_name(conn: sa.Connection, name: str, project_id: str | None = None) -> Row | None:
    """A group type by name, if the project sees it; or None."""
    return _one(conn, [TABLES["group_types"].c.name == name, *_visible(project_id)])


def find(
    conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None, is_public: bool | None
) -> list[Row]:
    """A page of group types with their specs. A marker nobody knows is not heard, as with volume types."""
    table = TABLES["group_types"]
    try:
        where = listing.conditions(table, filters)
    except listing.NothingMatches:
        return []
    if is_public is not None:
        where.append(table.c.is_public == sa.literal(is_public))
    query = sa.select(table).where(alive(table), *where, *_visible(project_id))
    try:
        rows = every(conn, listing.page(conn, query, table, paging))
    except listing.MarkerGone:
        rows = every(conn, listing.page(conn, query, table, dataclasses.replace(paging, marker=None)))
    return _with_specs(conn, rows)


def create(
    conn: sa.Connection, name: str, description: str | None, is_public: bool, specs: Mapping[str, str | None]
) -> Row:
    """A new group type; the caller has made sure that the name is free."""
    values = {"id": new_id(), "name": name, "description": description, "is_public": is_public}
    row = insert(conn, TABLES["group_types"], values)
    metadata.add(conn, metadata.GROUP_TYPE_SPECS, row["id"], specs)
    return {**row, "group_specs": dict(specs)}


def change(conn: sa.Connection, type_id: str, values: Mapping[str, Any]) -> None:
    """Write columns of a group type."""
    table = TABLES["group_types"]
    update(conn, table, [table.c.id == type_id, alive(table)], values)


def delete(conn: sa.Connection, type_id: str) -> None:
    """Soft delete a group type with its specs."""
    table = TABLES["group_types"]
    bury(conn, table, [table.c.id == type_id])
    metadata.remove_all(conn, metadata.GROUP_TYPE_SPECS, type_id)


def in_use(conn: sa.Connection, type_id: str) -> bool:
    """Whether a live group has this type."""
    table = TABLES["groups"]
    return first(conn, sa.select(table.c.id).where(table.c.group_type_id == type_id, alive(table)).limit(1)) is not None
