"""What the volume service writes when a volume has been put back, has another type or lies elsewhere.

Like stores.cinder.backend: each function is one transaction's work and guarded; True means that this caller made the
change. Source: cinder 29.0.0 flows 7.3, 10 and 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import transitions
from keel_common.db.stores.cinder.rows import TABLES, alive
from keel_common.domain.volume.states import TRANSITIONS

VOLUMES, SNAPSHOTS = TABLES["volumes"], TABLES["snapshots"]


def restored_snapshot(conn: sa.Connection, volume_id: str) -> str | None:
    """Id of the snapshot that a volume is being put back to, None when there is none (any more)."""
    query = sa.select(SNAPSHOTS.c.id).where(
        SNAPSHOTS.c.volume_id == volume_id, SNAPSHOTS.c.status == "restoring", alive(SNAPSHOTS)
    )
    return conn.execute(query.limit(1)).scalar()


def reverted(conn: sa.Connection, row: Mapping[str, Any], snapshot_id: str, claim: str) -> bool:
    """reverting -> available with the claim made of the snapshot, restoring -> available."""
    if not transitions.apply(conn, TRANSITIONS["revert done"], row["id"], {"provider_location": claim}):
        return False
    transitions.apply(conn, TRANSITIONS["revert snapshot done"], snapshot_id)
    return True


def revert_failed(conn: sa.Connection, volume_id: str, snapshot_id: str | None) -> bool:
    """reverting -> error, restoring -> available (cinder 29.0.0 flows 7.3)."""
    if snapshot_id:
        transitions.apply(conn, TRANSITIONS["revert snapshot done"], snapshot_id)
    return transitions.apply(conn, TRANSITIONS["revert failed"], volume_id)
