"""Rows of group snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing, metadata
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, update
from keel_common.domain.volume.lists import Paging

Row = dict[str, Any]


def _select(project_id: str | None) -> sa.Select:
    """Live group snapshots with the name of their type as `group_type_name`."""
    table, types = TABLES["group_snapshots"], TABLES["group_types"]
    joined = table.outerjoin(types, types.c.id == table.c.group_type_id)
    query = sa.select(table, types.c.name.label("group_type_name")).select_from(joined).where(alive(table))
    return query if project_id is None else query.where(table.c.project_id == project_id)


def get(conn: sa.Connection, group_snapshot_id: str, project_id: str | None = None) -> Row | None:
    """One live group snapshot (of this project unless None), or None. One statement."""
    return first(conn, _select(project_id).where(TABLES["group_snapshots"].c.id == group_snapshot_id))


def find(
    conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None, consistency: bool = False
) -> list[Row]:
    """A page of group snapshots: those of groups, or those of old consistency groups. Raises MarkerGone."""
    table, types = TABLES["group_snapshots"], TABLES["group_types"]
    other = sa.or_(types.c.name.is_(None), types.c.name != CONSISTENCY_TYPE)
    query = _select(project_id).where((types.c.name == CONSISTENCY_TYPE) if consistency else other)
    try:
        query = query.where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return every(conn, listing.page(conn, query, table, paging))


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """Insert a group snapshot in `creating`. The caller has locked the group and seen that it allows it."""
    return insert(conn, TABLES["group_snapshots"], {"id": new_id(), "status": "creating", **values})


def change(conn: sa.Connection, group_snapshot_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns of a group snapshot; False when it is gone."""
    table = TABLES["group_snapshots"]
    return update(conn, table, [table.c.id == group_snapshot_id, alive(table)], values) > 0


def destroy(conn: sa.Connection, group_snapshot_id: str) -> bool:
    """Soft delete a group snapshot; False when it was gone."""
    table = TABLES["group_snapshots"]
    return bury(conn, table, [table.c.id == group_snapshot_id], {"status": "deleted"}) > 0


def snapshots(conn: sa.Connection, group_snapshot_id: str) -> list[Row]:
    """Live snapshots of a group snapshot with their metadata, oldest first. Two statements."""
    table = TABLES["snapshots"]
    query = sa.select(table).where(table.c.group_snapshot_id == group_snapshot_id, alive(table))
    rows = every(conn, query.order_by(table.c.created_at, table.c.id))
    pairs = metadata.read(conn, metadata.SNAPSHOT, [row["id"] for row in rows])
    return [{**row, "metadata": pairs[row["id"]]} for row in rows]


def mark_snapshots(conn: sa.Connection, group_snapshot_id: str, status: str) -> None:
    """Write the status of every snapshot of a group snapshot."""
    table = TABLES["snapshots"]
    update(conn, table, [table.c.group_snapshot_id == group_snapshot_id, alive(table)], {"status": status})


def not_a_source() -> sa.ColumnElement[bool]:
    """Condition on `group_snapshots`: no group is being made from this one."""
    table, groups = TABLES["group_snapshots"], TABLES["groups"]
    making = (groups.c.group_snapshot_id == table.c.id, groups.c.status == "creating", alive(groups))
    return ~sa.exists().where(*making)
