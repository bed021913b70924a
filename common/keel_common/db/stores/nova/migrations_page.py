"""Migrations as the API lists them: by filters, newest first, page by page (nova 34.0.0 list_rules /os-migrations)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row, every, first, living

TABLE = TABLES["migrations"]
IN_PROGRESS = ("queued", "preparing", "running", "post-migrating")
"""States of a live migration in which the API shows it as going on."""
LIVE = "live-migration"
_EXACT = ("status", "migration_type", "instance_uuid", "user_id", "project_id", "hidden", "source_compute")


def page(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    limit: int | None = None,
    after: tuple[datetime, int] | None = None,
    newest_first: bool = True,
) -> list[Row]:
    """The migrations of a cell that match; `host` is the source or the destination.

    `after` is (created_at, id) of the row before the page. Without `newest_first` the order is that of the ids.
    """
    where = [*living(TABLE), *_matching(filters)]
    if after is not None:
        moment, key = after
        where.append(sa.or_(TABLE.c.created_at < moment, sa.and_(TABLE.c.created_at == moment, TABLE.c.id < key)))
    order = (TABLE.c.created_at.desc(), TABLE.c.id.desc()) if newest_first else (TABLE.c.id,)
    return every(conn, sa.select(TABLE).where(*where).order_by(*order).limit(limit))


def _matching(filters: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    where: list[sa.ColumnElement[bool]] = [TABLE.c[name] == filters[name] for name in _EXACT if name in filters]
    if "host" in filters:
        host = filters["host"]
        where.append(sa.or_(TABLE.c.source_compute == host, TABLE.c.dest_compute == host))
    if "since" in filters:
        where.append(TABLE.c.updated_at >= filters["since"])
    if "before" in filters:
        where.append(TABLE.c.updated_at <= filters["before"])
    return where


def by_uuid(conn: sa.Connection, uuid: str) -> Row | None:
    """One migration by its uuid, for a marker."""
    return first(conn, sa.select(TABLE).where(*living(TABLE), TABLE.c.uuid == uuid))


def of_server(conn: sa.Connection, uuid: str, migration_id: int) -> Row | None:
    """One migration of a server; None when it is another server's."""
    return first(
        conn, sa.select(TABLE).where(*living(TABLE), TABLE.c.id == migration_id, TABLE.c.instance_uuid == uuid)
    )
