"""What the volume scheduler reads and writes: where volumes are, and where a new one goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder import quotas, workers
from keel_common.db.stores.cinder.rows import TABLES, alive, every, now


def hosts_of(conn: sa.Connection, volume_ids: Iterable[str]) -> dict[str, str]:
    """volume id -> host@backend#pool of the living volumes among these."""
    table = TABLES["volumes"]
    query = sa.select(table.c.id, table.c.host).where(table.c.id.in_(list(volume_ids)), alive(table))
    return {row.id: row.host for row in conn.execute(query) if row.host}


def placed(conn: sa.Connection, volume_id: str, host: str, cluster: str | None, zone: str) -> Mapping[str, Any] | None:
    """Write where a creating volume goes; the written columns, or None when it is not waiting any more."""
    values = {"host": host, "cluster_name": cluster, "availability_zone": zone, "scheduled_at": now()}
    table = TABLES["volumes"]
    guards = [table.c.id == volume_id, alive(table), table.c.status == "creating"]
    return values if cas(conn, table, values, where=guards) else None


def failed(conn: sa.Connection, volume_id: str) -> bool:
    """creating -> error: no pool takes it."""
    table = TABLES["volumes"]
    guards = [table.c.id == volume_id, alive(table), table.c.status == "creating"]
    if not cas(conn, table, {"status": "error"}, where=guards):
        return False
    workers.remove(conn, "Volume", volume_id)
    return True


def status_by_attachments() -> sa.ColumnElement[str]:
    """in-use for a row of `volumes` with living attachments, else available."""
    volumes, held = TABLES["volumes"], TABLES["volume_attachment"]
    has_one = sa.exists().where(held.c.volume_id == volumes.c.id, alive(held))
    return sa.case((has_one, "in-use"), else_="available")


def lost(conn: sa.Connection, before: datetime) -> list[dict[str, Any]]:
    """Volumes that wait for a place since before that moment (UTC without zone)."""
    table = TABLES["volumes"]
    asked = sa.func.coalesce(table.c.updated_at, table.c.created_at)
    waiting = (table.c.status == "creating", table.c.host.is_(None), asked < before, alive(table))
    return every(conn, sa.select(table.c.id, table.c.project_id).where(*waiting))


def lost_failed(conn: sa.Connection, volume_id: str) -> bool:
    """creating -> error for a volume that found no place in time; False when it has one now."""
    table = TABLES["volumes"]
    guards = [table.c.id == volume_id, alive(table), table.c.status == "creating", table.c.host.is_(None)]
    if not cas(conn, table, {"status": "error"}, where=guards):
        return False
    workers.remove(conn, "Volume", volume_id)
    return True


def extension_refused(conn: sa.Connection, volume_id: str, reservations: Iterable[str]) -> bool:
    """extending -> as it was before (its attachments say so: one may have gone meanwhile), quota given back."""
    table = TABLES["volumes"]
    guards = [table.c.id == volume_id, alive(table), table.c.status == "extending"]
    done = cas(conn, table, {"status": status_by_attachments(), "previous_status": None}, where=guards)
    quotas.rollback(conn, reservations)
    return done


def snapshot_refused(conn: sa.Connection, snapshot_id: str) -> bool:
    """creating -> error."""
    table = TABLES["snapshots"]
    guards = [table.c.id == snapshot_id, alive(table), table.c.status == "creating"]
    return cas(conn, table, {"status": "error"}, where=guards)
