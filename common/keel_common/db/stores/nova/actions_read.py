"""Reads what was done to a server, for those who ask over HTTP."""

from __future__ import annotations

import datetime

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row, every, first

_ACTIONS = TABLES["instance_actions"]
_EVENTS = TABLES["instance_actions_events"]


def page(
    conn: sa.Connection,
    uuid: str,
    limit: int | None = None,
    marker: str | None = None,
    since: datetime.datetime | None = None,
    before: datetime.datetime | None = None,
) -> list[Row] | None:
    """Actions of a server, newest first, from behind the one with request id ``marker``; None when that is unknown.

    ``since`` and ``before`` compare with the last change, both included.
    """
    table = _ACTIONS
    where = [table.c.instance_uuid == uuid, table.c.deleted == 0]
    if marker is not None:
        last = find(conn, uuid, marker)
        if last is None:
            return None
        older = sa.and_(table.c.created_at == last["created_at"], table.c.id < last["id"])
        where.append(sa.or_(table.c.created_at < last["created_at"], older))
    if since is not None:
        where.append(table.c.updated_at >= since)
    if before is not None:
        where.append(table.c.updated_at <= before)
    query = sa.select(table).where(*where).order_by(table.c.created_at.desc(), table.c.id.desc())
    return every(conn, query.limit(limit))


def find(conn: sa.Connection, uuid: str, request_id: str) -> Row | None:
    """The newest action of a server under a request id."""
    where = [_ACTIONS.c.instance_uuid == uuid, _ACTIONS.c.request_id == request_id, _ACTIONS.c.deleted == 0]
    return first(conn, sa.select(_ACTIONS).where(*where).order_by(_ACTIONS.c.id.desc()))


def events(conn: sa.Connection, action_id: int) -> list[Row]:
    """The events of an action, newest first."""
    query = sa.select(_EVENTS).where(_EVENTS.c.action_id == action_id, _EVENTS.c.deleted == 0)
    return every(conn, query.order_by(_EVENTS.c.created_at.desc(), _EVENTS.c.id.desc()))
