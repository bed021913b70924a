"""Volumes of the internal tenant that hold an image, for others to be cloned from (cinder 29.0.0 flows 1.8).

An entry is written together with its volume, so that there is never one without the other; it counts when the volume is
available. Entries have no deletion marks: they go.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import connections, quotas, types, volumes, workers
from keel_common.db.stores.cinder.rows import TABLES, alive, every, first, now
from keel_common.domain.volume import quotas as rules

ENTRIES, VOLUMES = TABLES["image_volume_cache_entries"], TABLES["volumes"]
Row = Mapping[str, Any]
#: Statuses of a cached volume that can be given up.
_IDLE = ("available", "error")


def entry(conn: sa.Connection, image_id: str, host: str) -> dict[str, Any] | None:
    """The entry of an image on a pool (host@backend#pool) with its volume's ``status``, ``source_volid``,
    ``provider_location`` and ``_name_id``; all None when the volume is gone."""
    chosen = (ENTRIES.c.image_id == image_id, ENTRIES.c.host == host)
    return first(conn, _with_volumes().where(*chosen).order_by(ENTRIES.c.id).limit(1))


def entries(conn: sa.Connection, host: str) -> list[dict[str, Any]]:
    """All of a pool, the one longest unused first; as :func:`entry` gives them."""
    return every(conn, _with_volumes().where(ENTRIES.c.host == host).order_by(ENTRIES.c.last_used, ENTRIES.c.id))


def _with_volumes() -> sa.Select:
    columns = (VOLUMES.c.status, VOLUMES.c.source_volid, VOLUMES.c.provider_location, VOLUMES.c["_name_id"])
    joined = ENTRIES.outerjoin(VOLUMES, sa.and_(VOLUMES.c.id == ENTRIES.c.volume_id, alive(VOLUMES)))
    return sa.select(ENTRIES, *columns).select_from(joined)


def used(conn: sa.Connection, entry_id: int) -> None:
    """An entry was used now."""
    conn.execute(ENTRIES.update().where(ENTRIES.c.id == entry_id).values(last_used=now()))


def fill(
    conn: sa.Connection,
    settings: quotas.Settings,
    tenant: tuple[str, str],
    row: Row,
    image_id: str,
    updated_at: datetime | None,
) -> dict[str, Any]:
    """A volume of the tenant (project, user) that is to be a clone of ``row``, read-only, and its entry.

    Raises domain.volume.quotas.OverQuota.
    """
    project, user = tenant
    kind = types.get(conn, row["volume_type_id"])
    deltas = rules.create_volume(row["size"], kind["name"] if kind else None)
    quotas.take(conn, settings, project, deltas, quotas.limits(conn, settings, project, deltas))
    values = {
        "display_name": f"image-{image_id}",
        "project_id": project,
        "user_id": user,
        "status": "creating",
        "attach_status": "detached",
        "source_volid": row["id"],
        "scheduled_at": now(),
        "bootable": True,
        "multiattach": False,
        **{name: row[name] for name in ("size", "host", "cluster_name", "volume_type_id", "availability_zone")},
    }
    made = volumes.create(conn, values, {}, {connections.READONLY: "True"})
    workers.create(conn, "Volume", made["id"], "creating", fresh=True)
    kept = {name: row[name] for name in ("host", "cluster_name", "size")}
    conn.execute(
        ENTRIES.insert().values(
            image_id=image_id, volume_id=made["id"], image_updated_at=updated_at, last_used=now(), **kept
        )
    )
    return made


def evict(conn: sa.Connection, found: Row) -> bool:
    """Forget an entry and begin the deletion of its volume; False when the volume is not idle (then both stay)."""
    if found["status"] is not None:
        values = {"status": "deleting", "terminated_at": now(), "updated_at": now()}
        chosen = (VOLUMES.c.id == found["volume_id"], VOLUMES.c.status.in_(_IDLE), alive(VOLUMES))
        if not conn.execute(VOLUMES.update().where(*chosen).values(values)).rowcount:
            return False
        workers.create(conn, "Volume", found["volume_id"], "deleting")
    conn.execute(ENTRIES.delete().where(ENTRIES.c.id == found["id"]))
    return True


def forget_volume(conn: sa.Connection, volume_id: str) -> None:
    """A cached volume is deleted by somebody: its entry goes."""
    conn.execute(ENTRIES.delete().where(ENTRIES.c.volume_id == volume_id))
