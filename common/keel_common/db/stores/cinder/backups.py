"""Rows of backups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing, metadata
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, update
from keel_common.domain.volume.lists import Paging

Row = dict[str, Any]


def get(conn: sa.Connection, backup_id: str, project_id: str | None = None) -> Row | None:
    """One live backup (of this project unless None), or None. One statement."""
    table = TABLES["backups"]
    where = [table.c.id == backup_id, alive(table)]
    if project_id is not None:
        where.append(table.c.project_id == project_id)
    return first(conn, sa.select(table).where(*where))


def show(conn: sa.Connection, backup_id: str, project_id: str | None = None) -> Row | None:
    """`get` with the `metadata` of the backup: two statements."""
    row = get(conn, backup_id, project_id)
    return enrich(conn, [row])[0] if row else None


def enrich(conn: sa.Connection, rows: list[Row]) -> list[Row]:
    """Add `metadata` to the rows. One statement."""
    pairs = metadata.read(conn, metadata.BACKUP, [row["id"] for row in rows])
    return [{**row, "metadata": pairs[row["id"]]} for row in rows]


def find(
    conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None, counted: bool = False
) -> tuple[list[Row], int | None]:
    """A page of backups and, if `counted`, how many match in all. Raises MarkerGone."""
    table = TABLES["backups"]
    query = sa.select(table).where(alive(table))
    if project_id is not None:
        query = query.where(table.c.project_id == project_id)
    try:
        query = query.where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return [], 0 if counted else None
    total = listing.count(conn, query) if counted else None
    return every(conn, listing.page(conn, query, table, paging)), total


def parent_of_next(conn: sa.Connection, volume_id: str, project_id: str, before: Any = None) -> Row | None:
    """The available backup an incremental one builds on: the newest by data_timestamp (older than `before`)."""
    table = TABLES["backups"]
    where = [table.c.volume_id == volume_id, table.c.project_id == project_id, table.c.status == "available"]
    if before is not None:
        where.append(table.c.data_timestamp < before)
    query = sa.select(table).where(*where, alive(table)).order_by(table.c.data_timestamp.desc(), table.c.id.desc())
    return first(conn, query.limit(1))


def has_children(conn: sa.Connection, backup_id: str) -> bool:
    """Whether incremental backups build on this one."""
    table = TABLES["backups"]
    return first(conn, sa.select(table.c.id).where(table.c.parent_id == backup_id, alive(table)).limit(1)) is not None


def create(conn: sa.Connection, values: Mapping[str, Any], pairs: Mapping[str, str] | None = None) -> Row:
    """Insert a backup (id made when absent); returns its row with `metadata`."""
    start = {"id": new_id(), "num_dependent_backups": 0, "object_count": 0}
    row = insert(conn, TABLES["backups"], {**start, **values})
    if row["data_timestamp"] is None:
        row["data_timestamp"] = row["created_at"]
        change(conn, row["id"], {"data_timestamp": row["created_at"]})
    metadata.add(conn, metadata.BACKUP, row["id"], pairs or {})
    return {**row, "metadata": dict(pairs or {})}


def status_of_any(conn: sa.Connection, backup_id: str) -> str | None:
    """Status of the row with this id, deleted rows included; None when there never was one."""
    table = TABLES["backups"]
    row = first(conn, sa.select(table.c.status, table.c.deleted).where(table.c.id == backup_id))
    return None if row is None else ("deleted" if row["deleted"] else row["status"])


def revive(conn: sa.Connection, backup_id: str, values: Mapping[str, Any]) -> Row | None:
    """Make a deleted row live again with these values (an import of its record); None when it is not deleted."""
    table = TABLES["backups"]
    where = [table.c.id == backup_id, table.c.deleted == sa.true()]
    if not update(conn, table, where, {**values, "deleted": False, "deleted_at": None}):
        return None
    return show(conn, backup_id)


def change(conn: sa.Connection, backup_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns that are no state; False when the backup is gone."""
    table = TABLES["backups"]
    return update(conn, table, [table.c.id == backup_id, alive(table)], values) > 0


def change_dependents(conn: sa.Connection, backup_id: str, by: int) -> None:
    """Count one child more (1) or less (-1)."""
    table = TABLES["backups"]
    update(conn, table, [table.c.id == backup_id], {"num_dependent_backups": table.c.num_dependent_backups + by})


def destroy(conn: sa.Connection, backup_id: str) -> bool:
    """Soft delete a backup with its metadata; False when it was gone."""
    table = TABLES["backups"]
    gone = bury(conn, table, [table.c.id == backup_id], {"status": "deleted"})
    metadata.remove_all(conn, metadata.BACKUP, backup_id)
    return gone > 0


def unfinished(conn: sa.Connection, host: str, statuses: Iterable[str]) -> list[Row]:
    """Live backups of a host in these statuses, oldest first."""
    table = TABLES["backups"]
    where = [table.c.host == host, table.c.status.in_(list(statuses)), alive(table)]
    return every(conn, sa.select(table).where(*where).order_by(table.c.created_at, table.c.id))
