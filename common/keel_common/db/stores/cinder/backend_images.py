"""What the volume service writes when a volume has become an image, or an image a volume.

Like stores.cinder.backend: each function is one transaction's work and guarded; True means that this caller made the
change. Source: cinder 29.0.0 flows 1.8, 11 and 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import metadata, placement, transitions, workers
from keel_common.domain.volume.backend_states import BACKEND_TRANSITIONS

Row = Mapping[str, Any]


def uploaded(conn: sa.Connection, volume_id: str) -> bool:
    """uploading -> in-use or available, by its attachments."""
    values = {"status": placement.status_by_attachments()}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["uploaded"], volume_id, values):
        return False
    workers.remove(conn, "Volume", volume_id)
    return True


def reimaged(conn: sa.Connection, row: Row, claim: str, facts: Mapping[str, Any]) -> bool:
    """downloading -> the status before, on the claim that holds the image; what it remembers is of the new image."""
    values = {"status": row["previous_status"], "provider_location": claim}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["reimaged"], row["id"], values):
        return False
    metadata.merge(conn, metadata.IMAGE, row["id"], {key: str(value) for key, value in facts.items()}, replace=True)
    workers.remove(conn, "Volume", row["id"])
    return True


def reimage_failed(conn: sa.Connection, row: Row) -> bool:
    """downloading -> error; the status before is the one it had while it was written."""
    values = {"previous_status": row["status"]}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["reimage failed"], row["id"], values):
        return False
    workers.remove(conn, "Volume", row["id"])
    return True
