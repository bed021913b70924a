"""Rows of snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing, metadata, volume_filters
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, other_than, update
from keel_common.domain.volume.lists import Paging


def get(conn: sa.Connection, snapshot_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """One live snapshot (of this project unless None), or None. One statement."""
    table = TABLES["snapshots"]
    where = [table.c.id == snapshot_id, alive(table)]
    if project_id is not None:
        where.append(table.c.project_id == project_id)
    return first(conn, sa.select(table).where(*where))


def show(conn: sa.Connection, snapshot_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """`get` with the `metadata` of the snapshot: two statements."""
    row = get(conn, snapshot_id, project_id)
    if row is not None:
        row["metadata"] = metadata.read(conn, metadata.SNAPSHOT, [snapshot_id])[snapshot_id]
    return row


def of_volume(conn: sa.Connection, volume_id: str) -> list[dict[str, Any]]:
    """Live snapshots of a volume, newest first."""
    table = TABLES["snapshots"]
    query = sa.select(table).where(table.c.volume_id == volume_id, alive(table))
    return every(conn, query.order_by(table.c.created_at.desc(), table.c.id.desc()))


def find(
    conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None, counted: bool = False
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of snapshots with their `metadata` and, if `counted`, how many match in all.

    filters: columns, `metadata`, and `host`, `cluster_name`, `availability_zone` of the volume. Two statements, one
    more for
    a marker and one for the total. Raises MarkerGone.
    """
    table = TABLES["snapshots"]
    query = sa.select(table).where(alive(table))
    if project_id is not None:
        query = query.where(table.c.project_id == project_id)
    try:
        query = _filtered(query, filters)
    except listing.NothingMatches:
        return [], 0 if counted else None
    total = listing.count(conn, query) if counted else None
    rows = every(conn, listing.page(conn, query, table, paging))
    pairs = metadata.read(conn, metadata.SNAPSHOT, [row["id"] for row in rows])
    return [{**row, "metadata": pairs[row["id"]]} for row in rows], total


def _filtered(query: sa.Select, filters: Mapping[str, Any]) -> sa.Select:
    table, volumes, pairs = TABLES["snapshots"], TABLES["volumes"], TABLES["snapshot_metadata"]
    plain = dict(filters)
    of_the_volume: dict[str, Any] = {
        key: plain.pop(key) for key in ("host", "cluster_name", "availability_zone") if key in plain
    }
    wanted = plain.pop("metadata", {})
    if not isinstance(wanted, Mapping):
        raise listing.NothingMatches(str(wanted))
    for key, value in wanted.items():
        mine = (pairs.c.snapshot_id == table.c.id, pairs.c.key == key, pairs.c.value == str(value), alive(pairs))
        query = query.where(sa.exists().where(*mine))
    if of_the_volume:
        where = volume_filters.conditions(of_the_volume)
        query = query.where(sa.exists().where(volumes.c.id == table.c.volume_id, alive(volumes), *where))
    return query.where(*listing.conditions(table, plain))


def create(
    conn: sa.Connection, values: Mapping[str, Any], user_metadata: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Insert a snapshot (id made when absent); returns its row with `metadata`."""
    row = insert(conn, TABLES["snapshots"], {"id": new_id(), "use_quota": True, **values})
    metadata.add(conn, metadata.SNAPSHOT, row["id"], user_metadata or {})
    return {**row, "metadata": dict(user_metadata or {})}


def change(conn: sa.Connection, snapshot_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns that are no state; False when the snapshot is gone."""
    table = TABLES["snapshots"]
    return update(conn, table, [table.c.id == snapshot_id, alive(table)], values) > 0


def destroy(conn: sa.Connection, snapshot_id: str) -> bool:
    """Soft delete a snapshot with its metadata and image metadata; False when it was gone."""
    table = TABLES["snapshots"]
    gone = bury(conn, table, [table.c.id == snapshot_id], {"status": "deleted"})
    metadata.remove_all(conn, metadata.SNAPSHOT, snapshot_id)
    metadata.remove_all(conn, metadata.SNAPSHOT_IMAGE, snapshot_id)
    return gone > 0


def guards_of_delete(cascade: bool, force: bool, project_id: str | None) -> list[sa.ColumnElement[bool]]:
    """Conditions on `volumes` that its snapshots have to meet before it may be deleted (source: cinder 29.0.0).

    Without cascade there is none at all. With it, none is busy or in a group snapshot; with force as well, none is in a
    cgsnapshot. `project_id` (a member): none belongs to another project.
    """
    table, volumes = TABLES["snapshots"], TABLES["volumes"]
    mine: Iterable[sa.ColumnElement[bool]] = (table.c.volume_id == volumes.c.id, alive(table))
    if not cascade:
        return [~sa.exists().where(*mine)]
    if force:
        busy: sa.ColumnElement[bool] = table.c.cgsnapshot_id.is_not(None)
    else:
        grouped = sa.and_(table.c.cgsnapshot_id.is_not(None), table.c.group_snapshot_id.is_not(None))
        busy = sa.or_(table.c.status.not_in(["available", "error"]), grouped)
    guards = [~sa.exists().where(*mine, busy)]
    if project_id is not None:
        guards.append(~sa.exists().where(*mine, other_than(table.c.project_id, project_id)))
    return guards
