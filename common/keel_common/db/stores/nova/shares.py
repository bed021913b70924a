"""Shared file systems of servers (table share_mapping, which knows no soft deletion)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import now
from keel_common.db.schema import nova_cell

TABLE = nova_cell.tables["share_mapping"]


def of_server(conn: sa.Connection, server: str) -> list[dict[str, Any]]:
    """The shares of a server, oldest first."""
    query = sa.select(TABLE).where(TABLE.c.instance_uuid == server).order_by(TABLE.c.id)
    return [dict(row) for row in conn.execute(query).mappings()]


def of_share(conn: sa.Connection, server: str, share_id: str) -> dict[str, Any] | None:
    """One share at one server."""
    query = sa.select(TABLE).where(TABLE.c.instance_uuid == server, TABLE.c.share_id == share_id)
    row = conn.execute(query).mappings().first()
    return dict(row) if row else None


def create(conn: sa.Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """A new row; None when the server has that share or a share with that tag."""
    taken = sa.select(TABLE.c.id).where(
        TABLE.c.instance_uuid == values["instance_uuid"],
        sa.or_(TABLE.c.share_id == values["share_id"], TABLE.c.tag == values["tag"]),
    )
    if conn.execute(taken).first() is not None:
        return None
    row = {**values, "created_at": now(), "updated_at": None}
    try:
        made = conn.execute(sa.insert(TABLE).values(row))
    except sa.exc.IntegrityError:  # another request was faster; the unique keys decide
        return None
    key: Any = made.inserted_primary_key
    return {**row, "id": key[0]}


def change(conn: sa.Connection, row_id: int, values: Mapping[str, Any]) -> bool:
    """Change fields of a row; False when it is gone."""
    changed = sa.update(TABLE).where(TABLE.c.id == row_id).values({**values, "updated_at": now()})
    return conn.execute(changed).rowcount > 0
