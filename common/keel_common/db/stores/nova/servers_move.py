"""What the moves of a server read and write beside its own row: flavors, shares, its migration, its info cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.nova import actions, extras
from keel_common.db.stores.nova.rows import TABLES, Row

INSTANCES = TABLES["instances"]
MIGRATIONS = TABLES["migrations"]
CACHES = TABLES["instance_info_caches"]
SHARES = TABLES["share_mapping"]


def flavors(conn: sa.Connection, uuid: str) -> dict[str, dict[str, Any] | None]:
    """The fields of the flavors of a server under `cur`, `old` and `new`; None where there is none."""
    stored = extras.get(conn, uuid, "flavor")[1] or {}
    return {name: stored[name]["nova_object.data"] if stored.get(name) else None for name in ("cur", "old", "new")}


def has_shares(conn: sa.Connection, uuid: str) -> bool:
    """Whether a shared file system belongs to a server, in whatever state."""
    query = sa.select(SHARES.c.id).where(SHARES.c.instance_uuid == uuid).limit(1)
    return conn.execute(query).first() is not None


def take_migration(
    conn: sa.Connection, migration: Row, status: str, uuid: str, action: Mapping[str, Any] | None = None
) -> bool:
    """Set the status of a migration that still has the status it was read with, and record the action of its server.

    False, with nothing changed, when somebody else was faster.
    """
    where = [MIGRATIONS.c.id == migration["id"], MIGRATIONS.c.status == migration["status"], MIGRATIONS.c.deleted == 0]
    if not cas(conn, MIGRATIONS, {"status": status}, where):
        return False
    if action is not None:
        actions.start(conn, uuid, action)
    return True


def give_migration_back(conn: sa.Connection, migration: Row, status: str) -> bool:
    """Undo `take_migration` when nobody could be told."""
    where = [MIGRATIONS.c.id == migration["id"], MIGRATIONS.c.status == status, MIGRATIONS.c.deleted == 0]
    return cas(conn, MIGRATIONS, {"status": migration["status"]}, where)


def restore_here(conn: sa.Connection, uuid: str, action: Mapping[str, Any]) -> bool:
    """Make a soft-deleted server without a host active again; False when it is no longer one."""
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0, INSTANCES.c.vm_state == "soft-delete"]
    where += [INSTANCES.c.task_state.is_(None), INSTANCES.c.host.is_(None)]
    if not cas(conn, INSTANCES, {"vm_state": "active", "task_state": None, "deleted_at": None}, where):
        return False
    actions.start(conn, uuid, action)
    return True


def save_network_info(conn: sa.Connection, uuid: str, network_info: list[dict[str, Any]]) -> bool:
    """Write what is known of the ports of a server; False when it is gone."""
    where = [CACHES.c.instance_uuid == uuid, CACHES.c.deleted == 0]
    return cas(conn, CACHES, {"network_info": orjson.dumps(network_info).decode()}, where)
