"""Rows of groups and of what makes them up: their types of volumes, their volumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, insert_many, new_id, update
from keel_common.domain.volume.lists import Paging

Row = dict[str, Any]


def _select(project_id: str | None) -> sa.Select:
    """Live groups with the name of their type as `group_type_name`."""
    table, types = TABLES["groups"], TABLES["group_types"]
    joined = table.outerjoin(types, types.c.id == table.c.group_type_id)
    query = sa.select(table, types.c.name.label("group_type_name")).select_from(joined).where(alive(table))
    return query if project_id is None else query.where(table.c.project_id == project_id)


def get(conn: sa.Connection, group_id: str, project_id: str | None = None) -> Row | None:
    """One live group (of this project unless None) with `volume_type_ids`, or None. Two statements."""
    row = first(conn, _select(project_id).where(TABLES["groups"].c.id == group_id))
    return enrich(conn, [row])[0] if row else None


def lock(conn: sa.Connection, group_id: str) -> Row | None:
    """The bare row, locked until the transaction ends; or None."""
    table = TABLES["groups"]
    return first(conn, sa.select(table).where(table.c.id == group_id, alive(table)).with_for_update())


def enrich(conn: sa.Connection, rows: list[Row]) -> list[Row]:
    """Add `volume_type_ids` to the rows. One statement."""
    found: dict[str, list[str]] = {row["id"]: [] for row in rows}
    if found:
        table = TABLES["group_volume_type_mapping"]
        query = sa.select(table.c.group_id, table.c.volume_type_id)
        query = query.where(table.c.group_id.in_(list(found)), alive(table)).order_by(table.c.id)
        for group_id, type_id in conn.execute(query):
            found[group_id].append(type_id)
    return [{**row, "volume_type_ids": found[row["id"]]} for row in rows]


def find(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    paging: Paging,
    project_id: str | None,
    consistency_too: bool = False,
) -> list[Row]:
    """A page of groups; those of the old consistency groups only when asked. Raises MarkerGone."""
    table, types = TABLES["groups"], TABLES["group_types"]
    query = _select(project_id)
    if not consistency_too:
        query = query.where(sa.or_(types.c.name.is_(None), types.c.name != CONSISTENCY_TYPE))
    try:
        query = query.where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return every(conn, listing.page(conn, query, table, paging))


def consistency_among(conn: sa.Connection, group_ids: Iterable[str]) -> set[str]:
    """Those of the groups that are old consistency groups. No statement for no group."""
    ids = sorted(set(group_ids))
    if not ids:
        return set()
    table, types = TABLES["groups"], TABLES["group_types"]
    query = sa.select(table.c.id).join(types, types.c.id == table.c.group_type_id)
    return set(conn.execute(query.where(table.c.id.in_(ids), types.c.name == CONSISTENCY_TYPE)).scalars())


def create(conn: sa.Connection, values: Mapping[str, Any], type_ids: Iterable[str]) -> Row:
    """Insert a group (id made when absent) for these types of volumes; returns its row with `volume_type_ids`."""
    start = {"id": new_id(), "status": "creating", "replication_status": "disabled"}
    row = insert(conn, TABLES["groups"], {**start, **values})
    wanted = list(type_ids)
    rows = [{"volume_type_id": type_id, "group_id": row["id"]} for type_id in wanted]
    insert_many(conn, TABLES["group_volume_type_mapping"], rows)
    return {**row, "volume_type_ids": wanted}


def change(conn: sa.Connection, group_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns of a group; False when it is gone."""
    table = TABLES["groups"]
    return update(conn, table, [table.c.id == group_id, alive(table)], values) > 0


def destroy(conn: sa.Connection, group_id: str) -> bool:
    """Soft delete a group with its types of volumes; False when it was gone."""
    table, mapping = TABLES["groups"], TABLES["group_volume_type_mapping"]
    gone = bury(conn, table, [table.c.id == group_id], {"status": "deleted"})
    bury(conn, mapping, [mapping.c.group_id == group_id])
    return gone > 0


def volumes(conn: sa.Connection, group_id: str) -> list[Row]:
    """Live volumes of a group, oldest first."""
    table = TABLES["volumes"]
    query = sa.select(table).where(table.c.group_id == group_id, alive(table))
    return every(conn, query.order_by(table.c.created_at, table.c.id))


def snapshots_exist(conn: sa.Connection, group_id: str) -> bool:
    """Whether the group has group snapshots."""
    table = TABLES["group_snapshots"]
    query = sa.select(table.c.id).where(table.c.group_id == group_id, alive(table)).limit(1)
    return first(conn, query) is not None


def guards_of_delete(delete_volumes: bool) -> list[sa.ColumnElement[bool]]:
    """Conditions on `groups` for a deletion (source: cinder 29.0.0 state table): no group snapshot, no group that is
    made from it, no volume - or, when they go too, no attached volume and none with snapshots."""
    table, volumes_, snapshots = TABLES["groups"], TABLES["volumes"], TABLES["snapshots"]
    group_snapshots = TABLES["group_snapshots"]
    mine = (volumes_.c.group_id == table.c.id, alive(volumes_))
    guards = [~sa.exists().where(group_snapshots.c.group_id == table.c.id, alive(group_snapshots)), not_a_source()]
    if not delete_volumes:
        return [*guards, ~sa.exists().where(*mine)]
    cut = sa.exists().where(snapshots.c.volume_id == volumes_.c.id, alive(snapshots))
    return [*guards, ~sa.exists().where(*mine, volumes_.c.attach_status == "attached"), ~sa.exists().where(*mine, cut)]


def not_a_source() -> sa.ColumnElement[bool]:
    """Condition on `groups`: no group is being made from this one.

    MySQL does not read the table it changes, so the groups that are made stand in a derived table."""
    table = TABLES["groups"]
    inner = sa.select(table.c.source_group_id.label("source")).where(table.c.status == "creating", alive(table))
    made = inner.where(table.c.source_group_id.is_not(None)).subquery("made_from_group")
    return table.c.id.not_in(sa.select(made.c.source))
