"""The encrypted password of a server: four pieces of 255 letters in its system metadata (nova 34.0.0 db semantics)."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from keel_common.db import soft_delete
from keel_common.db.stores.nova.rows import TABLES

TABLE = TABLES["instance_system_metadata"]
KEYS = tuple(f"password_{number}" for number in range(4))


def password_of(system_metadata: Mapping[str, str | None]) -> str:
    """The password in one piece; empty when there is none."""
    return "".join(system_metadata.get(key) or "" for key in KEYS)


def clear(conn: sa.Connection, uuid: str) -> None:
    """Forget the password of a server."""
    soft_delete(conn, TABLE, [TABLE.c.instance_uuid == uuid, TABLE.c.key.in_(KEYS)])
