"""User messages: why an operation on a resource failed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, now
from keel_common.domain.volume import messages as rules
from keel_common.domain.volume.lists import Paging


def create(
    conn: sa.Connection,
    project_id: str,
    request_id: str,
    action: str,
    *,
    ttl_seconds: int,
    resource_uuid: str | None = None,
    resource_type: str = "VOLUME",
    detail: str | None = None,
    exception_name: str | None = None,
) -> dict[str, Any]:
    """Record that `action` failed. `action`, `detail`: names of domain.volume.messages; level ERROR; expires after
    the TTL."""
    action_number = rules.ACTIONS[action][0]
    detail_number = rules.detail_id(detail, exception_name)
    values = {
        "id": new_id(),
        "project_id": project_id,
        "request_id": request_id,
        "resource_type": resource_type,
        "resource_uuid": resource_uuid,
        "action_id": action_number,
        "detail_id": detail_number,
        "message_level": "ERROR",
        "event_id": rules.event_id(resource_type, action_number, detail_number),
        "expires_at": now() + timedelta(seconds=ttl_seconds),
    }
    return insert(conn, TABLES["messages"], values)


def find(conn: sa.Connection, filters: Mapping[str, Any], paging: Paging | None) -> list[dict[str, Any]]:
    """A page of messages of every project (as recorded: the list is not limited to the caller's)."""
    table = TABLES["messages"]
    try:
        query = sa.select(table).where(alive(table), *listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return every(
        conn, listing.page(conn, query, table, paging) if paging else query.order_by(table.c.created_at.desc())
    )


def get(conn: sa.Connection, message_id: str, project_id: str | None) -> dict[str, Any] | None:
    """One message (of this project unless None), or None."""
    table = TABLES["messages"]
    where = [table.c.id == message_id, alive(table)]
    if project_id is not None:
        where.append(table.c.project_id == project_id)
    return first(conn, sa.select(table).where(*where))


def delete(conn: sa.Connection, message_id: str) -> None:
    """Soft delete a message."""
    table = TABLES["messages"]
    bury(conn, table, [table.c.id == message_id])


def reap(conn: sa.Connection) -> int:
    """Remove messages past their time (a hard delete, as recorded); returns how many."""
    table = TABLES["messages"]
    return conn.execute(table.delete().where(table.c.expires_at < now())).rowcount
