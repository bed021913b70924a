"""Rows of console_auth_tokens: a console is opened with a token of which only the SHA-256 is stored."""

import hashlib
import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import add
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, first

TABLE = TABLES["console_auth_tokens"]


def digest(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def authorize(conn: sa.Connection, token: str, seconds: int, values: Mapping[str, Any]) -> Row:
    """Stores a token that is good for `seconds`. IntegrityError when it exists."""
    row = columns_of(TABLE, values) | {"token_hash": digest(token), "expires": int(time.time()) + seconds}
    return first(conn, sa.select(TABLE).where(TABLE.c.id == add(conn, TABLE, row))) or {}


def valid(conn: sa.Connection, token: str) -> Row | None:
    """The row of a token that has not expired."""
    alive = TABLE.c.expires > int(time.time())
    return first(conn, sa.select(TABLE).where(TABLE.c.token_hash == digest(token), alive))


def delete_of_instance(conn: sa.Connection, instance_uuid: str) -> int:
    return conn.execute(sa.delete(TABLE).where(TABLE.c.instance_uuid == instance_uuid)).rowcount


def delete_expired(conn: sa.Connection, host: str | None = None) -> int:
    """Removes expired tokens, of one host when told."""
    where = [TABLE.c.expires <= int(time.time())]
    if host is not None:
        where.append(TABLE.c.host == host)
    return conn.execute(sa.delete(TABLE).where(*where)).rowcount
