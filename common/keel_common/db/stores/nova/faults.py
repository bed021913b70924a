"""Rows of instance_faults: why a server failed."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import add
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, first

TABLE = TABLES["instance_faults"]
MESSAGE_LENGTH = 255


def create(conn: sa.Connection, fault: Mapping[str, Any]) -> Row:
    """Records a fault (instance_uuid, code, message, details, host); the message is cut to 255 characters."""
    row = columns_of(TABLE, fault)
    row["message"] = (row.get("message") or "")[:MESSAGE_LENGTH]
    return first(conn, sa.select(TABLE).where(TABLE.c.id == add(conn, TABLE, row))) or {}


def latest(conn: sa.Connection, uuid: str) -> Row | None:
    """The newest fault of a server."""
    query = sa.select(TABLE).where(TABLE.c.instance_uuid == uuid, TABLE.c.deleted == 0)
    return first(conn, query.order_by(TABLE.c.created_at.desc(), TABLE.c.id.desc()))
