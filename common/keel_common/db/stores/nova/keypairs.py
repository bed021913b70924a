"""Key pairs of users (API database)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, select
from sqlalchemy.exc import IntegrityError

from keel_common.db.schema import nova_api
from keel_common.db.statements import add

TABLE = nova_api.tables["key_pairs"]
Row = dict[str, Any]


class Exists(Exception):
    """The user has a key pair of this name."""


def find(conn: Connection, user_id: str, name: str) -> Row | None:
    """A key pair by name."""
    query = select(TABLE).where(TABLE.c.user_id == user_id, TABLE.c.name == name)
    row = conn.execute(query).mappings().first()
    return dict(row) if row else None


def page(conn: Connection, user_id: str, limit: int | None = None, marker: str | None = None) -> list[Row] | None:
    """Key pairs of a user by name, from behind ``marker`` (a name); None when the marker is not there."""
    query = select(TABLE).where(TABLE.c.user_id == user_id).order_by(TABLE.c.name)
    if marker is not None:
        if find(conn, user_id, marker) is None:
            return None
        query = query.where(TABLE.c.name > marker)
    return [dict(row) for row in conn.execute(query.limit(limit)).mappings()]


def create(conn: Connection, values: Mapping[str, Any]) -> Row:
    """Add one. Raises Exists."""
    if find(conn, values["user_id"], values["name"]) is not None:
        raise Exists
    try:
        add(conn, TABLE, values)
    except IntegrityError as error:
        raise Exists from error
    row = find(conn, values["user_id"], values["name"])
    assert row is not None
    return row


def remove(conn: Connection, user_id: str, name: str) -> bool:
    """Delete one; False when it is not there."""
    return conn.execute(delete(TABLE).where(TABLE.c.user_id == user_id, TABLE.c.name == name)).rowcount > 0
