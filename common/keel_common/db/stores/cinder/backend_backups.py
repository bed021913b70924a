"""Backups as the scheduler, the backup service and the volume service finish them; each function is one transaction.

Every ending is guarded (domain.volume.backup_states): True means that this caller made the change. What a backup holds
(a volume or a snapshot in ``backing-up``) is let go in the transaction that ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import backups, metadata, quotas, transitions, workers
from keel_common.db.stores.cinder.rows import TABLES, alive, every, first, now
from keel_common.domain.volume import quotas as rules
from keel_common.domain.volume.backup_states import BACKUP_TRANSITIONS, OWNED_BACKUP

Row = Mapping[str, Any]
BACKUPS, VOLUMES = TABLES["backups"], TABLES["volumes"]
#: Statuses of backups whose data is there.
_WHOLE = ("available", "restoring", "deleting", "error_deleting")


def unfinished(conn: sa.Connection, host: str) -> list[dict[str, Any]]:
    """Backups of a host in a status we must end, oldest first."""
    return backups.unfinished(conn, host, OWNED_BACKUP)


def status(conn: sa.Connection, backup_id: str) -> str | None:
    """The status of a living backup, None when it is gone."""
    query = sa.select(BACKUPS.c.status).where(BACKUPS.c.id == backup_id, alive(BACKUPS))
    return conn.execute(query).scalar()


def placed(conn: sa.Connection, backup_id: str, host: str) -> bool:
    """Write which service makes a creating backup."""
    return transitions.apply(conn, BACKUP_TRANSITIONS["backup placed"], backup_id, {"host": host})


def begun(conn: sa.Connection, backup_id: str, values: Mapping[str, Any]) -> bool:
    """Write what is known of a backup before its data is: service, zone, container, place in the store."""
    return transitions.apply(conn, BACKUP_TRANSITIONS["backup begun"], backup_id, values)


def made(conn: sa.Connection, row: Row, values: Mapping[str, Any]) -> bool:
    """creating -> available; the source is free, the parent has one child more."""
    if not transitions.apply(conn, BACKUP_TRANSITIONS["backup made"], row["id"], values):
        return False
    release_source(conn, row, "backing-up")
    _count_children(conn, row["parent_id"])
    return True


def failed(conn: sa.Connection, row: Row, reason: str, before: str = "error_backing-up") -> bool:
    """creating -> error with the reason; the source is free and its previous status tells of it."""
    values = {"fail_reason": reason[:255]}
    if not transitions.apply(conn, BACKUP_TRANSITIONS["backup failed"], row["id"], values):
        return False
    release_source(conn, row, before)
    return True


def release_source(conn: sa.Connection, row: Row, before: str) -> bool:
    """Give volume or snapshot of a backup their status back, unless another backup holds them now. ``before``: the
    previous status of the volume from now on."""
    snapshot = row["snapshot_id"]
    other = (BACKUPS.c.id != row["id"], BACKUPS.c.status == "creating", alive(BACKUPS))
    same = BACKUPS.c.snapshot_id == snapshot if snapshot else BACKUPS.c.volume_id == row["volume_id"]
    also = () if snapshot else (BACKUPS.c.snapshot_id.is_(None),)
    free = ~sa.exists().where(*other, same, *also)
    if snapshot:
        return transitions.apply(conn, BACKUP_TRANSITIONS["source snapshot released"], snapshot, where=[free])
    back = sa.func.coalesce(VOLUMES.c.previous_status, "available")
    values = {"status": back, "previous_status": before}
    return transitions.apply(conn, BACKUP_TRANSITIONS["source released"], row["volume_id"], values, [free])


def fill_begun(conn: sa.Connection, backup_id: str, volume_id: str, host: str) -> dict[str, Any] | None:
    """available -> restoring into a volume that is being created from it; its row, None when it is not available."""
    values = {"restore_volume_id": volume_id, "host": host}
    if not transitions.apply(conn, BACKUP_TRANSITIONS["fill begun"], backup_id, values):
        return None
    return backups.show(conn, backup_id)


def is_being_filled(conn: sa.Connection, volume_id: str) -> bool:
    """Whether a backup is being written into a volume."""
    filling = (BACKUPS.c.restore_volume_id == volume_id, BACKUPS.c.status == "restoring", alive(BACKUPS))
    return conn.execute(sa.select(BACKUPS.c.id).where(*filling).limit(1)).first() is not None


def restored(conn: sa.Connection, row: Row, volume: Row, claim: str | None, facts: Mapping[str, Any]) -> bool:
    """restoring -> available, the volume too; ``claim``: the claim that has taken the place of its own.

    ``facts``: bootable and the image facts of the volume that was backed up, which the volume takes when it has none.
    """
    values: dict[str, Any] = {"provider_location": claim} if claim else {}
    if volume["status"] == "creating":
        values["launched_at"] = now()
    image = facts.get("image") or {}
    known = metadata.read(conn, metadata.IMAGE, [volume["id"]])[volume["id"]]
    if facts.get("bootable"):
        values["bootable"] = True
    restoring = sa.exists().where(BACKUPS.c.id == row["id"], BACKUPS.c.status == "restoring", alive(BACKUPS))
    if not transitions.apply(conn, BACKUP_TRANSITIONS["filled"], volume["id"], values, [restoring]):
        return False
    transitions.apply(conn, BACKUP_TRANSITIONS["backup restored"], row["id"])
    if image and not known:
        metadata.merge(conn, metadata.IMAGE, volume["id"], image)
    if row["volume_id"] != volume["id"]:
        metadata.merge(conn, metadata.USER, volume["id"], {"src_backup_id": row["id"]})
    workers.remove(conn, "Volume", volume["id"])
    return True


def restore_failed(conn: sa.Connection, row: Row) -> bool:
    """restoring -> available; the volume is in error_restoring."""
    if not transitions.apply(conn, BACKUP_TRANSITIONS["backup restored"], row["id"]):
        return False
    _spoil(conn, row, "fill failed")
    return True


def restore_cancelled(conn: sa.Connection, row: Row) -> bool:
    """The backup is being deleted while it was restored: the volume is in error (as recorded)."""
    return _spoil(conn, row, "fill cancelled")


def _spoil(conn: sa.Connection, row: Row, name: str) -> bool:
    volume_id = row["restore_volume_id"]
    other = (BACKUPS.c.id != row["id"], BACKUPS.c.restore_volume_id == volume_id, BACKUPS.c.status == "restoring")
    alone = ~sa.exists().where(*other, alive(BACKUPS))
    if not volume_id or not transitions.apply(conn, BACKUP_TRANSITIONS[name], volume_id, where=[alone]):
        return False
    workers.remove(conn, "Volume", volume_id)
    return True


def deleted(conn: sa.Connection, settings: quotas.Settings, row: Row) -> bool:
    """deleting -> deleted: row, quota, what it held, and the child that its parent counts, in one transaction."""
    if not transitions.apply(conn, BACKUP_TRANSITIONS["backup deleted"], row["id"]):
        return False
    backups.destroy(conn, row["id"])
    _count_children(conn, row["parent_id"])
    release_source(conn, row, "error_backing-up")
    deltas = {name: -amount for name, amount in rules.create_backup(row["size"] or 0).items()}
    quotas.give_back(conn, settings, row["project_id"], deltas)
    return True


def _count_children(conn: sa.Connection, parent_id: str | None) -> None:
    """Write how many backups build on one: counted anew each time, so that it cannot drift."""
    if not parent_id:
        return
    first(conn, sa.select(BACKUPS.c.id).where(BACKUPS.c.id == parent_id).with_for_update())
    children = (BACKUPS.c.parent_id == parent_id, BACKUPS.c.status.in_(_WHOLE), alive(BACKUPS))
    count = conn.execute(sa.select(sa.func.count()).select_from(BACKUPS).where(*children)).scalar()
    backups.change(conn, parent_id, {"num_dependent_backups": count})


def delete_failed(conn: sa.Connection, backup_id: str, reason: str) -> bool:
    """deleting -> error."""
    values = {"fail_reason": reason[:255]}
    return transitions.apply(conn, BACKUP_TRANSITIONS["backup delete failed"], backup_id, values)


def imported(conn: sa.Connection, backup_id: str, values: Mapping[str, Any]) -> bool:
    """creating -> available with what a record tells."""
    if not transitions.apply(conn, BACKUP_TRANSITIONS["backup imported"], backup_id, values):
        return False
    _count_children(conn, values.get("parent_id"))
    return True


def reset(conn: sa.Connection, row: Row, wanted: str) -> bool:
    """Write a status an operator knows to be true; what a backup held that is not made any more is free."""
    if not backups.change(conn, row["id"], {"status": wanted}):
        return False
    if row["status"] == "creating":
        release_source(conn, row, "error_backing-up")
    return True


def volume_facts(conn: sa.Connection, volume: Row) -> dict[str, Any]:
    """What of a volume goes into the metadata of its backup."""
    return {
        "name": volume["display_name"],
        "description": volume["display_description"],
        "bootable": bool(volume["bootable"]),
        "image": dict(metadata.read(conn, metadata.IMAGE, [volume["id"]])[volume["id"]]),
        "metadata": dict(metadata.read(conn, metadata.USER, [volume["id"]])[volume["id"]]),
    }


def lost(conn: sa.Connection, before: datetime) -> list[dict[str, Any]]:
    """Backups that nobody has found a service for since before then."""
    waiting = (BACKUPS.c.status == "creating", BACKUPS.c.host.is_(None), BACKUPS.c.created_at < before)
    return every(conn, sa.select(BACKUPS).where(*waiting, alive(BACKUPS)))


def source_zone(conn: sa.Connection, volume_id: str) -> tuple[str | None, str | None]:
    """(availability zone, host column) of a volume."""
    row = first(conn, sa.select(VOLUMES.c.availability_zone, VOLUMES.c.host).where(VOLUMES.c.id == volume_id))
    return (row["availability_zone"], row["host"]) if row else (None, None)
