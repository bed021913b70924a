"""What the volume service writes when a consumer connects to a volume or leaves it (cinder 29.0.0 flows 4 and 5).

How attachments and the state of their volume hang together stands in `attachments`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import attachments, metadata, volumes
from keel_common.db.stores.cinder.rows import now

ATTACHED_MODE = "attached_mode"
READONLY = "readonly"


def admin_metadata(conn: sa.Connection, volume_id: str) -> dict[str, str | None]:
    """Metadata of a volume that only administrators see."""
    return metadata.read(conn, metadata.ADMIN, [volume_id])[volume_id]


def connect(conn: sa.Connection, attachment_id: str, volume_id: str, connector: Mapping[str, Any], mode: str) -> bool:
    """reserved -> attaching: remember the connector; the volume shows attaching. False when the attachment is gone."""
    values = {
        "connector": dict(connector),
        "attached_host": connector.get("host") or "",
        "mountpoint": connector.get("mountpoint") or "na",
        "attach_mode": mode,
    }
    return attachments.mark_attaching(conn, volume_id, attachment_id, values)


def attach(
    conn: sa.Connection, volume_id: str, server: str | None, host: str | None, mountpoint: str, mode: str
) -> str:
    """The old way: a new row that is attached at once, the volume in-use. Returns the id of the attachment."""
    values = {
        "instance_uuid": server,
        "attached_host": host,
        "mountpoint": mountpoint,
        "attach_mode": mode,
        "attach_status": "attached",
        "attach_time": now(),
    }
    row = attachments.create(conn, volume_id, values)
    metadata.merge(conn, metadata.ADMIN, volume_id, {ATTACHED_MODE: mode})
    attachments.mark_attached(conn, volume_id, row["id"])
    return row["id"]


def detach(conn: sa.Connection, volume_id: str, attachment_id: str | None) -> None:
    """End an attachment (None: there is none to end) and compute the volume's state from those that are left."""
    row = volumes.lock(conn, volume_id)
    if row is not None:
        attachments.finish_detach(conn, row, attachment_id)
