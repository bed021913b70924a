"""Groups and group snapshots as the volume service reads and finishes them; each function is one transaction's work.

Every ending is guarded (domain.volume.group_states): True means that this caller made the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import backend, group_snapshots, groups, metadata, quotas, transitions
from keel_common.db.stores.cinder.rows import TABLES, alive, first, now, update
from keel_common.domain.volume.group_states import GROUP_TRANSITIONS, OWNED_GROUP, OWNED_GROUP_SNAPSHOT

Row = dict[str, Any]


def group(conn: sa.Connection, group_id: str) -> Row | None:
    """A living group with the ``group_specs`` of its type, or None."""
    row = groups.get(conn, group_id)
    return _with_specs(conn, row) if row else None


def cut(conn: sa.Connection, group_snapshot_id: str) -> Row | None:
    """A living group snapshot with the ``host`` of its group and the ``group_specs`` of its type, or None."""
    table, origin = TABLES["group_snapshots"], TABLES["groups"]
    query = sa.select(table, origin.c.host).select_from(table.join(origin, origin.c.id == table.c.group_id))
    row = first(conn, query.where(table.c.id == group_snapshot_id, alive(table)))
    return _with_specs(conn, row) if row else None


def _with_specs(conn: sa.Connection, row: Row) -> Row:
    type_id = row["group_type_id"]
    specs = metadata.read(conn, metadata.GROUP_TYPE_SPECS, [type_id])[type_id] if type_id else {}
    return {**row, "group_specs": specs}


def snapshots(conn: sa.Connection, group_snapshot_id: str) -> list[Row]:
    """The living snapshots of a group snapshot, each as stores.cinder.backend.snapshot gives it."""
    ids = [row["id"] for row in group_snapshots.snapshots(conn, group_snapshot_id)]
    return [row for row in (backend.snapshot(conn, one) for one in ids) if row is not None]


def volumes(conn: sa.Connection, group_id: str) -> list[Row]:
    """The living volumes of a group, each as stores.cinder.backend.volume gives it."""
    ids = [row["id"] for row in groups.volumes(conn, group_id)]
    return [row for row in (backend.volume(conn, one) for one in ids) if row is not None]


def unfinished_groups(conn: sa.Connection, name: str) -> list[str]:
    """Ids of the groups of a backend (host@backend) that are in a status we must end."""
    table = TABLES["groups"]
    here = table.c.host.startswith(f"{name}#", autoescape=True)
    query = sa.select(table.c.id).where(here, alive(table), table.c.status.in_(OWNED_GROUP))
    return list(conn.execute(query).scalars())


def unfinished_cuts(conn: sa.Connection, name: str) -> list[str]:
    """The same for group snapshots."""
    table, origin = TABLES["group_snapshots"], TABLES["groups"]
    here = origin.c.host.startswith(f"{name}#", autoescape=True)
    query = sa.select(table.c.id).select_from(table.join(origin, origin.c.id == table.c.group_id))
    return list(conn.execute(query.where(here, alive(table), table.c.status.in_(OWNED_GROUP_SNAPSHOT))).scalars())


def group_created(conn: sa.Connection, group_id: str) -> bool:
    """creating -> available; created_at is the moment of it, as recorded."""
    return transitions.apply(conn, GROUP_TRANSITIONS["group created"], group_id, {"created_at": now()})


def group_failed(conn: sa.Connection, group_id: str) -> bool:
    """creating, updating or deleting -> error."""
    return transitions.apply(conn, GROUP_TRANSITIONS["group failed"], group_id)


def group_updated(conn: sa.Connection, group_id: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> bool:
    """updating -> available, with other volumes in it: all of them or, when one is in another group now, none."""
    if not transitions.apply(conn, GROUP_TRANSITIONS["group updated"], group_id):
        return False
    table = TABLES["volumes"]
    for volume_id in add:
        free = [table.c.id == volume_id, alive(table), table.c.group_id.is_(None)]
        if not update(conn, table, free, {"group_id": group_id}):
            raise Taken(volume_id)
    for volume_id in remove:
        update(conn, table, [table.c.id == volume_id, table.c.group_id == group_id, alive(table)], {"group_id": None})
    return True


class Taken(Exception):
    """A volume that was to join a group is gone or in another group: nothing was written."""


def group_deleted(conn: sa.Connection, settings: quotas.Settings, row: Mapping[str, Any]) -> bool:
    """The group goes with its quota, once it has no volumes."""
    table = TABLES["volumes"]
    empty = ~sa.exists().where(table.c.group_id == TABLES["groups"].c.id, alive(table))
    if not transitions.apply(conn, GROUP_TRANSITIONS["group deleted"], row["id"], {"status": "deleted"}, [empty]):
        return False
    groups.destroy(conn, row["id"])
    quotas.give_back(conn, settings, row["project_id"], {"groups": -1})
    return True


def replication_failed(conn: sa.Connection, group_id: str) -> bool:
    """No replication here: group and volumes say so (as recorded for drivers without it)."""
    table = TABLES["volumes"]
    update(conn, table, [table.c.group_id == group_id, alive(table)], {"replication_status": "error"})
    return transitions.apply(conn, GROUP_TRANSITIONS["group replication failed"], group_id)


def cut_created(conn: sa.Connection, group_snapshot_id: str, places: Mapping[str, str]) -> bool:
    """creating -> available, the snapshots too; ``places``: id of a snapshot -> name of its VolumeSnapshot."""
    if not transitions.apply(conn, GROUP_TRANSITIONS["cut created"], group_snapshot_id):
        return False
    table = TABLES["snapshots"]
    for row in snapshots(conn, group_snapshot_id):
        if row["id"] in places:
            update(conn, table, [table.c.id == row["id"]], {"provider_location": places[row["id"]]})
            backend.snapshot_created(conn, row)
    return True


def cut_failed(conn: sa.Connection, group_snapshot_id: str) -> bool:
    """creating or deleting -> error; snapshots that were being made with it are in error, too."""
    for row in group_snapshots.snapshots(conn, group_snapshot_id):
        backend.snapshot_failed(conn, row["id"])
    return transitions.apply(conn, GROUP_TRANSITIONS["cut failed"], group_snapshot_id)


def cut_deleted(conn: sa.Connection, group_snapshot_id: str) -> bool:
    """The group snapshot goes, once it has no snapshots."""
    table = TABLES["snapshots"]
    empty = ~sa.exists().where(table.c.group_snapshot_id == TABLES["group_snapshots"].c.id, alive(table))
    change = {"status": "deleted"}
    if not transitions.apply(conn, GROUP_TRANSITIONS["cut deleted"], group_snapshot_id, change, [empty]):
        return False
    return group_snapshots.destroy(conn, group_snapshot_id)
