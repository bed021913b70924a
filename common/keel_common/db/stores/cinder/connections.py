"""What the volume service writes when a consumer connects to a volume or leaves it (cinder 29.0.0 flows 4 and 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db.stores.cinder import metadata
from keel_common.db.stores.cinder.rows import TABLES, alive, every, first, insert, new_id, now, update
from keel_common.domain.volume.attachments import volume_state_after_detach

ATTACHED_MODE = "attached_mode"
READONLY = "readonly"


def attachment(conn: sa.Connection, attachment_id: str) -> dict[str, Any] | None:
    """A living attachment row, or None."""
    table = TABLES["volume_attachment"]
    return first(conn, sa.select(table).where(table.c.id == attachment_id, alive(table)))


def attachments(conn: sa.Connection, volume_id: str) -> list[dict[str, Any]]:
    """Living attachment rows of a volume, oldest first."""
    table = TABLES["volume_attachment"]
    query = sa.select(table).where(table.c.volume_id == volume_id, alive(table)).order_by(table.c.created_at)
    return every(conn, query)


def admin_metadata(conn: sa.Connection, volume_id: str) -> dict[str, str | None]:
    """Metadata of a volume that only administrators see."""
    return metadata.read(conn, metadata.ADMIN, [volume_id])[volume_id]


def connect(conn: sa.Connection, attachment_id: str, volume_id: str, connector: Mapping[str, Any], mode: str) -> None:
    """reserved -> attaching: remember the connector; the volume shows attaching."""
    values = {
        "attach_status": "attaching",
        "connector": orjson.dumps(dict(connector)).decode(),
        "attached_host": connector.get("host") or "",
        "mountpoint": connector.get("mountpoint") or "na",
        "attach_mode": mode,
        "attach_time": now(),
    }
    table, volumes = TABLES["volume_attachment"], TABLES["volumes"]
    update(conn, table, [table.c.id == attachment_id, alive(table)], values)
    busy = {"status": "attaching", "attach_status": "attaching"}
    update(conn, volumes, [volumes.c.id == volume_id, alive(volumes)], busy)


def attach(
    conn: sa.Connection, row: Mapping[str, Any], server: str | None, host: str | None, mountpoint: str, mode: str
) -> str:
    """The old way: a new row that is attached at once, the volume in-use. Returns the id of the attachment."""
    attachment_id = new_id()
    values = {
        "id": attachment_id,
        "volume_id": row["id"],
        "instance_uuid": server,
        "attached_host": host,
        "mountpoint": mountpoint,
        "attach_mode": mode,
        "attach_status": "attached",
        "attach_time": now(),
    }
    insert(conn, TABLES["volume_attachment"], values)
    metadata.merge(conn, metadata.ADMIN, row["id"], {ATTACHED_MODE: mode})
    set_in_use(conn, row["id"])
    return attachment_id


def set_in_use(conn: sa.Connection, volume_id: str) -> None:
    """The volume is attached."""
    table = TABLES["volumes"]
    update(conn, table, [table.c.id == volume_id, alive(table)], {"status": "in-use", "attach_status": "attached"})


def detach(conn: sa.Connection, row: Mapping[str, Any], attachment_id: str | None) -> None:
    """End an attachment (None: there is none to end) and compute the volume's state from those that are left."""
    if attachment_id is not None:
        table = TABLES["volume_attachment"]
        gone = {"attach_status": "detached", "detach_time": now(), "deleted": True, "deleted_at": now()}
        update(conn, table, [table.c.id == attachment_id, alive(table)], gone)
    left = [item["attach_status"] for item in attachments(conn, row["id"])]
    volumes = TABLES["volumes"]
    update(conn, volumes, [volumes.c.id == row["id"], alive(volumes)], volume_state_after_detach(row, left))
    metadata.remove(conn, metadata.ADMIN, row["id"], ATTACHED_MODE)
