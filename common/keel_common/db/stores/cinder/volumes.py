"""Rows of volumes: read, list, make, change, take away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import attachments, groups, listing, metadata, volume_filters
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, update
from keel_common.domain.volume.lists import Paging

#: Tables whose rows go together with a volume.
_DEPENDENTS = ("volume_metadata", "volume_admin_metadata", "volume_glance_metadata", "transfers", "snapshots")


def _select(columns: Iterable[str] | None = None) -> sa.Select:
    """Live volumes with the name of their type as `volume_type_name`."""
    volumes, types = TABLES["volumes"], TABLES["volume_types"]
    names = volumes.c.keys() if columns is None else {"id", *columns} & set(volumes.c.keys())
    joined = volumes.outerjoin(types, types.c.id == volumes.c.volume_type_id)
    picked = [volumes.c[name] for name in names]
    return sa.select(*picked, types.c.name.label("volume_type_name")).select_from(joined).where(alive(volumes))


def get(conn: sa.Connection, volume_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """One live volume (of this project unless None), every column and `volume_type_name`; or None. One statement."""
    volumes = TABLES["volumes"]
    query = _select().where(volumes.c.id == volume_id)
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    return first(conn, query)


def lock(conn: sa.Connection, volume_id: str) -> dict[str, Any] | None:
    """The bare row, locked until the transaction ends (on SQLite the writer holds the database anyway); or None."""
    volumes = TABLES["volumes"]
    return first(conn, sa.select(volumes).where(volumes.c.id == volume_id, alive(volumes)).with_for_update())


def enrich(conn: sa.Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add `metadata`, `admin_metadata`, `image_metadata` and `attachments` to the rows, with two statements; with
    one more `is_consistency_group` to those in a group."""
    ids = [row["id"] for row in rows]
    if not ids:
        return rows
    kinds = metadata.read_kinds(conn, (metadata.USER, metadata.ADMIN, metadata.IMAGE), ids)
    attached = attachments.of_volumes(conn, ids)
    consistent = groups.consistency_among(conn, [row["group_id"] for row in rows if row.get("group_id")])
    for row in rows:
        row["is_consistency_group"] = row.get("group_id") in consistent
        row["metadata"] = kinds["volume_metadata"].get(row["id"], {})
        row["admin_metadata"] = kinds["volume_admin_metadata"].get(row["id"], {})
        row["image_metadata"] = kinds["volume_glance_metadata"].get(row["id"], {})
        row["attachments"] = attached.get(row["id"], [])
    return rows


def show(conn: sa.Connection, volume_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """`get` and `enrich` of one volume: three statements."""
    row = get(conn, volume_id, project_id)
    return enrich(conn, [row])[0] if row else None


def find(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    paging: Paging,
    project_id: str | None,
    *,
    columns: Iterable[str] | None = None,
    hide_migration_targets: bool = False,
    counted: bool = False,
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of volumes of a project (None: of all) and, if `counted`, how many match in all.

    filters: columns, `metadata`, `glance_metadata`, `host`, times with operators (see volume_filters). One statement,
    one
    more for a marker and one for the total. Raises MarkerGone.
    """
    volumes = TABLES["volumes"]
    query = _select(columns)
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    if hide_migration_targets:
        query = query.where(
            sa.or_(volumes.c.migration_status.is_(None), ~volumes.c.migration_status.startswith("target:"))
        )
    try:
        query = query.where(*volume_filters.conditions(filters))
    except listing.NothingMatches:
        return [], 0 if counted else None
    total = listing.count(conn, query) if counted else None
    return every(conn, listing.page(conn, query, volumes, paging)), total


def totals(conn: sa.Connection, project_id: str | None) -> tuple[int, int]:
    """(how many, GiB in all) of the volumes of a project (None: of all)."""
    volumes = TABLES["volumes"]
    query = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(volumes.c.size), 0)).where(alive(volumes))
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    number, size = conn.execute(query).one()
    return int(number), int(size)


def metadata_values(conn: sa.Connection, project_id: str | None) -> dict[str, list[str]]:
    """key -> values in use, over the metadata of a project's volumes (None: of all)."""
    volumes, pairs = TABLES["volumes"], TABLES["volume_metadata"]
    query = (
        sa.select(pairs.c.key, pairs.c.value).distinct().join_from(pairs, volumes, volumes.c.id == pairs.c.volume_id)
    )
    query = query.where(alive(pairs), alive(volumes))
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    result: dict[str, list[str]] = {}
    for key, value in conn.execute(query):
        result.setdefault(key, []).append(value)
    return result


def create(
    conn: sa.Connection,
    values: Mapping[str, Any],
    user_metadata: Mapping[str, str] | None = None,
    admin_metadata: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Insert a volume (id made when absent); returns its row with `metadata` and `admin_metadata`."""
    row = insert(conn, TABLES["volumes"], {"id": new_id(), "use_quota": True, **values})
    metadata.add(conn, metadata.USER, row["id"], user_metadata or {})
    metadata.add(conn, metadata.ADMIN, row["id"], admin_metadata or {})
    return {**row, "metadata": dict(user_metadata or {}), "admin_metadata": dict(admin_metadata or {})}


def change(conn: sa.Connection, volume_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns that are no state (names, host, provider ...) of a live volume; False when it is gone.

    States are changed with `transitions.apply`, or by an operator who resets them.
    """
    volumes = TABLES["volumes"]
    return update(conn, volumes, [volumes.c.id == volume_id, alive(volumes)], values) > 0


def destroy(conn: sa.Connection, volume_id: str) -> bool:
    """Soft delete a volume and what hangs on it; snapshots keep their status. False when it was gone."""
    volumes, attached = TABLES["volumes"], TABLES["volume_attachment"]
    gone = bury(conn, volumes, [volumes.c.id == volume_id], {"status": "deleted", "migration_status": None})
    for name in _DEPENDENTS:
        bury(conn, TABLES[name], [TABLES[name].c.volume_id == volume_id])
    bury(conn, attached, [attached.c.volume_id == volume_id])
    return gone > 0


def forget(conn: sa.Connection, volume_id: str) -> None:
    """Remove a row that was just made and never told to anybody."""
    destroy(conn, volume_id)


def restore_status(conn: sa.Connection, volume_id: str, from_status: str, to_status: str) -> bool:
    """Put a status back if nobody changed it meanwhile; True when it was put back."""
    volumes = TABLES["volumes"]
    where = [volumes.c.id == volume_id, volumes.c.status == from_status, alive(volumes)]
    return update(conn, volumes, where, {"status": to_status}) > 0


def of_backend(conn: sa.Connection, backend: str) -> list[dict[str, Any]]:
    """Every live volume of `host@backend` (in any pool), for a volume service that starts."""
    return every(conn, _select().where(*volume_filters.conditions({"host": backend})))
