"""Encryption of volume types (the row alone; keys live in a key manager)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, alive, bury, first, insert, new_id, update


def get(conn: sa.Connection, type_id: str) -> dict[str, Any] | None:
    """The encryption of a type, every column, or None."""
    table = TABLES["encryption"]
    return first(conn, sa.select(table).where(table.c.volume_type_id == type_id, alive(table)))


def create(conn: sa.Connection, type_id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Write the encryption of a type that has none."""
    return insert(conn, TABLES["encryption"], {"encryption_id": new_id(), "volume_type_id": type_id, **values})


def change(conn: sa.Connection, type_id: str, values: Mapping[str, Any]) -> bool:
    """Write columns of the encryption of a type; False when it has none."""
    table = TABLES["encryption"]
    return update(conn, table, [table.c.volume_type_id == type_id, alive(table)], values) > 0


def delete(conn: sa.Connection, type_id: str) -> bool:
    """Soft delete the encryption of a type; False when it has none."""
    table = TABLES["encryption"]
    return bury(conn, table, [table.c.volume_type_id == type_id]) > 0
