"""Rows of attachments: which server or host holds which volume."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder import listing
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, now
from keel_common.domain.volume.attachments import BUSY, volume_state_after_detach
from keel_common.domain.volume.lists import Paging

_JSON = ("connection_info", "connector")


def _decoded(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its JSON columns as objects."""
    for name in _JSON:
        if isinstance(row.get(name), str):
            row[name] = json.loads(row[name])
    return row


def _encoded(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as the columns hold them."""
    return {
        name: json.dumps(value) if name in _JSON and value is not None and not isinstance(value, str) else value
        for name, value in values.items()
    }


def get(conn: sa.Connection, attachment_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """One live attachment (of a volume of this project unless None), with `project_id` and `volume_host` of its
    volume."""
    table, volumes = TABLES["volume_attachment"], TABLES["volumes"]
    query = sa.select(table, volumes.c.project_id, volumes.c.host.label("volume_host"))
    query = query.join_from(table, volumes, volumes.c.id == table.c.volume_id).where(
        table.c.id == attachment_id, alive(table)
    )
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    row = first(conn, query)
    return _decoded(row) if row else None


def of_volumes(conn: sa.Connection, volume_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """volume id -> its live attachments, oldest first. One statement."""
    table = TABLES["volume_attachment"]
    ids = list(volume_ids)
    result: dict[str, list[dict[str, Any]]] = {}
    if ids:
        query = (
            sa.select(table).where(table.c.volume_id.in_(ids), alive(table)).order_by(table.c.created_at, table.c.id)
        )
        for row in every(conn, query):
            result.setdefault(row["volume_id"], []).append(_decoded(row))
    return result


def of_volume(conn: sa.Connection, volume_id: str) -> list[dict[str, Any]]:
    """Live attachments of one volume, oldest first."""
    return of_volumes(conn, [volume_id]).get(volume_id, [])


def find(
    conn: sa.Connection, filters: Mapping[str, Any], paging: Paging, project_id: str | None
) -> list[dict[str, Any]]:
    """A page of attachments of the volumes of a project (None: of all). Raises MarkerGone."""
    table, volumes = TABLES["volume_attachment"], TABLES["volumes"]
    query = sa.select(table, volumes.c.project_id).join_from(table, volumes, volumes.c.id == table.c.volume_id)
    query = query.where(alive(table))
    if project_id is not None:
        query = query.where(volumes.c.project_id == project_id)
    try:
        query = query.where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return [_decoded(row) for row in every(conn, listing.page(conn, query, table, paging))]


def create(conn: sa.Connection, volume_id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Insert an attachment (id made when absent); returns its row."""
    row = insert(conn, TABLES["volume_attachment"], {"id": new_id(), "volume_id": volume_id, **_encoded(values)})
    return _decoded(row)


def change(
    conn: sa.Connection, attachment_id: str, values: Mapping[str, Any], where: Iterable[sa.ColumnElement[bool]] = ()
) -> bool:
    """Write columns of a live attachment (connection_info and connector as objects); False when it does not match."""
    table = TABLES["volume_attachment"]
    return cas(conn, table, _encoded(values), where=[table.c.id == attachment_id, alive(table), *where])


def mark_attaching(conn: sa.Connection, volume_id: str, attachment_id: str, values: Mapping[str, Any]) -> bool:
    """A connection is being made: the attachment and its volume become `attaching`. False when the attachment is gone.

    values: connector, attached_host, mountpoint, attach_mode.
    """
    if not change(conn, attachment_id, {"attach_status": "attaching", "attach_time": now(), **values}):
        return False
    return _write_volume(conn, volume_id, {"status": unless_busy("attaching"), "attach_status": "attaching"})


def mark_attached(
    conn: sa.Connection, volume_id: str, attachment_id: str, values: Mapping[str, Any] | None = None
) -> bool:
    """The connection is in use: the attachment is `attached`, the volume `in-use`. False when the attachment is
    gone."""
    if not change(conn, attachment_id, {"attach_status": "attached", **(values or {})}):
        return False
    return _write_volume(conn, volume_id, {"status": unless_busy("in-use"), "attach_status": "attached"})


def finish_detach(conn: sa.Connection, volume: Mapping[str, Any], attachment_id: str | None) -> list[dict[str, Any]]:
    """Take an attachment away and give its volume the state that the others leave it in; returns the others.

    `volume`: its row as read (and locked) in this transaction. An attachment that is gone already changes nothing but
    the
    state of the volume.
    """
    table, admin = TABLES["volume_attachment"], TABLES["volume_admin_metadata"]
    moment = now()
    if attachment_id is not None:
        bury(conn, table, [table.c.id == attachment_id], {"attach_status": "detached", "detach_time": moment})
    left = of_volume(conn, volume["id"])
    _write_volume(conn, volume["id"], volume_state_after_detach(volume, [row["attach_status"] for row in left]))
    bury(conn, admin, [admin.c.volume_id == volume["id"], admin.c.key == "attached_mode"])
    return left


def unless_busy(status: str) -> sa.ColumnElement[str]:
    """The status for a row of `volumes`, or the one it has while its owner still works on it."""
    column = TABLES["volumes"].c.status
    return sa.case((column.in_(BUSY), column), else_=status)


def _write_volume(conn: sa.Connection, volume_id: str, values: Mapping[str, Any]) -> bool:
    volumes = TABLES["volumes"]
    return cas(conn, volumes, values, where=[volumes.c.id == volume_id, alive(volumes)])
