"""What the volume scheduler reads and writes: where volumes are, and where a new one goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder import quotas
from keel_common.db.stores.cinder.rows import TABLES, alive, now


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
    return cas(conn, table, {"status": "error"}, where=guards)


def extension_refused(conn: sa.Connection, volume_id: str, reservations: Iterable[str]) -> bool:
    """extending -> the status before, quota given back."""
    table = TABLES["volumes"]
    guards = [table.c.id == volume_id, alive(table), table.c.status == "extending"]
    # The status first: MySQL evaluates SET from left to right.
    done = cas(conn, table, {"status": table.c.previous_status, "previous_status": None}, where=guards)
    quotas.rollback(conn, reservations)
    return done


def snapshot_refused(conn: sa.Connection, snapshot_id: str) -> bool:
    """creating -> error."""
    table = TABLES["snapshots"]
    guards = [table.c.id == snapshot_id, alive(table), table.c.status == "creating"]
    return cas(conn, table, {"status": "error"}, where=guards)
