"""What the volume scheduler writes about groups, and about volumes that exist already and are to go elsewhere.

Source: cinder 29.0.0 flows 10, 13 and 14. Each is one guarded UPDATE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder import quotas
from keel_common.db.stores.cinder.rows import TABLES, alive

VOLUMES, SNAPSHOTS, GROUPS = TABLES["volumes"], TABLES["snapshots"], TABLES["groups"]


def group_placed(conn: sa.Connection, group_id: str, host: str, cluster: str | None) -> bool:
    """Write where a creating group goes; False when it is not waiting any more."""
    return cas(conn, GROUPS, {"host": host, "cluster_name": cluster}, where=_in(GROUPS, group_id, "creating"))


def group_failed(conn: sa.Connection, group_id: str) -> bool:
    """creating -> error: no pool takes it."""
    return cas(conn, GROUPS, {"status": "error"}, where=_in(GROUPS, group_id, "creating"))


def retype_refused(conn: sa.Connection, volume_id: str, reservations: Iterable[str]) -> bool:
    """retyping -> the status before; what was reserved for the new type is given back."""
    done = cas(conn, VOLUMES, _back(), where=_in(VOLUMES, volume_id, "retyping"))
    quotas.rollback(conn, reservations)
    return done


def migration_refused(conn: sa.Connection, volume_id: str) -> bool:
    """starting -> error of the migration; a volume that was locked for it has the status before."""
    guards = [VOLUMES.c.id == volume_id, alive(VOLUMES), VOLUMES.c.migration_status == "starting"]
    locked = VOLUMES.c.status == "maintenance"
    values = {
        "migration_status": "error",
        "status": sa.case((locked, VOLUMES.c.previous_status), else_=VOLUMES.c.status),
        "previous_status": sa.case((locked, None), else_=VOLUMES.c.previous_status),
    }
    return cas(conn, VOLUMES, values, where=guards)


def managed_placed(conn: sa.Connection, volume_id: str, host: str, cluster: str | None) -> bool:
    """Write the pool of a volume that is taken over; False when nobody waits for it any more."""
    values = {"host": host, "cluster_name": cluster}
    return cas(conn, VOLUMES, values, where=_in(VOLUMES, volume_id, "managing"))


def managed_refused(conn: sa.Connection, volume_id: str) -> bool:
    """managing -> error_managing."""
    return cas(conn, VOLUMES, {"status": "error_managing"}, where=_in(VOLUMES, volume_id, "managing"))


def _in(table: sa.Table, key: str, status: str) -> list[sa.ColumnElement[bool]]:
    return [table.c.id == key, alive(table), table.c.status == status]


def _back() -> Mapping[str, Any]:
    return {"status": sa.func.coalesce(VOLUMES.c.previous_status, "available"), "previous_status": None}
