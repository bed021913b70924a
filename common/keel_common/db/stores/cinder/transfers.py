"""Rows of transfers: a volume that waits for a project to take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder import listing, transitions
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id
from keel_common.domain.volume.lists import Paging
from keel_common.domain.volume.states import TRANSITIONS

Row = dict[str, Any]


def _select(project_id: str | None) -> sa.Select:
    """Live transfers of volumes of a project (None: of all)."""
    table, volumes = TABLES["transfers"], TABLES["volumes"]
    query = sa.select(table).where(alive(table))
    if project_id is not None:
        mine = sa.exists().where(volumes.c.id == table.c.volume_id, volumes.c.project_id == project_id)
        query = query.where(mine)
    return query


def get(conn: sa.Connection, transfer_id: str, project_id: str | None = None) -> Row | None:
    """One live transfer (of a volume of this project unless None), or None."""
    return first(conn, _select(project_id).where(TABLES["transfers"].c.id == transfer_id))


def find(conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None) -> list[Row]:
    """A page of transfers. One statement, one more for a marker. Raises MarkerGone."""
    table = TABLES["transfers"]
    try:
        query = _select(project_id).where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return every(conn, listing.page(conn, query, table, paging))


def create(conn: sa.Connection, volume: Row, values: Mapping[str, Any]) -> Row | None:
    """Offer a volume: available -> awaiting-transfer, and the row. None when the volume is not available."""
    if not transitions.apply(conn, TRANSITIONS["transfer create"], volume["id"]):
        return None
    start = {"id": new_id(), "volume_id": volume["id"], "source_project_id": volume["project_id"], "accepted": False}
    return insert(conn, TABLES["transfers"], {**start, **values})


def delete(conn: sa.Connection, transfer: Row) -> None:
    """Take an offer back. The row goes whatever the volume's state is (as recorded)."""
    transitions.apply(conn, TRANSITIONS["transfer delete"], transfer["volume_id"])
    table = TABLES["transfers"]
    bury(conn, table, [table.c.id == transfer["id"]])


def accept(conn: sa.Connection, transfer: Row, user_id: str, project_id: str) -> str | None:
    """Give the volume and its snapshots to a project; what refused it ("volume", "snapshot", "transfer") or None.

    After a refusal the transaction has to be rolled back.
    """
    owner = {"user_id": user_id, "project_id": project_id}
    if not transitions.apply(conn, TRANSITIONS["transfer accept"], transfer["volume_id"], owner):
        return "volume"
    if not transfer["no_snapshots"]:
        step = TRANSITIONS["transfer accept snapshot"]
        if not all(transitions.apply(conn, step, snapshot_id, owner) for snapshot_id in _snapshots(conn, transfer)):
            return "snapshot"
    table = TABLES["transfers"]
    done = {"accepted": True, "destination_project_id": project_id}
    if not cas(conn, table, done, where=[table.c.id == transfer["id"], alive(table)]):
        return "transfer"
    bury(conn, table, [table.c.id == transfer["id"]])
    return None


def _snapshots(conn: sa.Connection, transfer: Row) -> list[str]:
    table = TABLES["snapshots"]
    query = sa.select(table.c.id).where(table.c.volume_id == transfer["volume_id"], alive(table))
    return list(conn.execute(query).scalars())
