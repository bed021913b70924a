"""Rows of block_device_mapping: the disks of a server."""

import datetime
import uuid as uuids
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import not_found
from keel_common.db.statements import add, cas, soft_delete
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, many, one

TABLE = TABLES["block_device_mapping"]
INSTANCES = TABLES["instances"]
AT_REST = ("active", "paused", "rescued", "stopped", "suspended")
_EMPTY = {
    column.name: None for column in TABLE.c if column.name not in ("id", "created_at", "updated_at", "deleted_at")
}


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new row as it stands in the database; its uuid is made unless given."""
    return create_all(conn, [values])[0]


def create_all(conn: sa.Connection, devices: Sequence[Mapping[str, Any]]) -> list[Row]:
    """New rows of one server, in the order given; an old swap or ephemeral row of the same device name is not
    touched."""
    if not devices:
        return []
    rows = [{**_EMPTY, "encrypted": False, **columns_of(TABLE, device), "deleted": 0} for device in devices]
    for row in rows:
        row["uuid"] = row["uuid"] or str(uuids.uuid4())
    add(conn, TABLE, *rows)
    found = {row["uuid"]: row for row in many(conn, TABLE, TABLE.c.uuid.in_([row["uuid"] for row in rows]))}
    return [found[row["uuid"]] for row in rows]


def update(conn: sa.Connection, device_id: int, values: Mapping[str, Any]) -> Row:
    """Changes a living row. Raises Refused VolumeBDMNotFound... when it is gone."""
    cas(conn, TABLE, columns_of(TABLE, values), [TABLE.c.id == device_id, TABLE.c.deleted == 0])
    row = one(conn, TABLE, TABLE.c.id == device_id)
    if row is None:
        raise not_found("BDMNotFound", f"Block device {device_id}", id=device_id)
    return row


def of_name(conn: sa.Connection, instance_uuid: str, device_name: str) -> Row | None:
    """The row of a server with this device name."""
    return one(conn, TABLE, TABLE.c.instance_uuid == instance_uuid, TABLE.c.device_name == device_name)


def destroy(conn: sa.Connection, device_id: int) -> bool:
    """Soft-deletes a row."""
    return soft_delete(conn, TABLE, [TABLE.c.id == device_id]) > 0


def never_attached(conn: sa.Connection, before: datetime.datetime) -> list[Row]:
    """Volumes of servers at rest that no compute ever connected, and to which nothing happened since `before`.

    A shelved server is no such case: its volumes are reserved until it is back.
    """
    servers = sa.select(INSTANCES.c.uuid).where(
        INSTANCES.c.deleted == 0, INSTANCES.c.task_state.is_(None), INSTANCES.c.vm_state.in_(AT_REST)
    )
    moved = sa.func.coalesce(TABLE.c.updated_at, TABLE.c.created_at)
    unconnected = [
        TABLE.c.source_type == "volume",
        TABLE.c.destination_type == "volume",
        TABLE.c.connection_info.is_(None),
    ]
    return many(conn, TABLE, *unconnected, moved < before, TABLE.c.instance_uuid.in_(servers))


def destroy_unattached(conn: sa.Connection, device_id: int) -> bool:
    """Soft-deletes a row that still has no connection."""
    return soft_delete(conn, TABLE, [TABLE.c.id == device_id, TABLE.c.connection_info.is_(None)]) > 0


def of_servers(conn: sa.Connection, instances: Iterable[str]) -> list[Row]:
    """The disks of servers, by id."""
    return many(conn, TABLE, TABLE.c.instance_uuid.in_(list(instances)))


def of_volume(conn: sa.Connection, volume_id: str, instance_uuid: str | None = None) -> list[Row]:
    """The rows of a volume, newest id last; of one server only when that is given."""
    mine = [TABLE.c.instance_uuid == instance_uuid] if instance_uuid else []
    return many(conn, TABLE, TABLE.c.volume_id == volume_id, *mine)
