"""Block devices of servers in their cell: rows of block_device_mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas, schema, soft_delete

DEVICES = schema.nova_cell.tables["block_device_mapping"]


def of_server(conn: sa.Connection, uuid: str) -> list[dict[str, Any]]:
    """Return every block device row of a server, in the order they were made."""
    query = sa.select(DEVICES).where(DEVICES.c.instance_uuid == uuid, DEVICES.c.deleted == 0).order_by(DEVICES.c.id)
    return [dict(row) for row in conn.execute(query).mappings()]


def of_volume(conn: sa.Connection, uuid: str, volume_id: str) -> dict[str, Any] | None:
    """Return the row of one volume on one server, or None."""
    return next((row for row in of_server(conn, uuid) if row["volume_id"] == volume_id), None)


def update(conn: sa.Connection, device_id: int, values: Mapping[str, Any]) -> bool:
    """Write fields of a living row; False when it is gone."""
    return cas(conn, DEVICES, dict(values), [DEVICES.c.id == device_id, DEVICES.c.deleted == 0])


def remove(conn: sa.Connection, device_id: int) -> bool:
    """Soft delete one row; False when it is gone already."""
    return soft_delete(conn, DEVICES, [DEVICES.c.id == device_id]) > 0


def remove_all(conn: sa.Connection, uuid: str) -> int:
    """Soft delete every row of a server; returns how many."""
    return soft_delete(conn, DEVICES, [DEVICES.c.instance_uuid == uuid])
