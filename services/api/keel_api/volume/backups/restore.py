"""Write a backup into a volume, a new one when none is named (source: cinder 29.0.0 backup flow)."""

from __future__ import annotations

import time
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import backup_rpc, faults, lookup
from keel_api.volume.backups import place
from keel_api.volume.volumes import create as creation
from keel_api.volume.volumes.wish import Wish
from keel_common.db.stores.cinder import backups, transitions, volumes
from keel_common.domain.volume.states import TRANSITIONS

Row = dict[str, Any]
_POLL_SECONDS = 1.0


@handles("POST /backups/{id}/restore")
def restore(req: Request) -> Row:
    """Start to restore: 202. Without volume_id the answer waits until the new volume is made (as recorded)."""
    asked = req.body["restore"] or {}
    row = req.services.db.read(_restorable, req)
    named = asked.get("volume_id")
    volume_id: str = named or _new_volume(req, row, asked.get("name"))
    volume, held = req.services.db.run(_hold, req, row["id"], volume_id)
    backup_rpc.restore(req, held, volume_id, named is None)
    return {"restore": {"backup_id": row["id"], "volume_id": volume_id, "volume_name": volume["display_name"]}}


def _restorable(conn: Any, req: Request) -> Row:
    row = place.load(conn, req, "backup:restore")
    if row["status"] != "available":
        raise faults.invalid("InvalidBackup", "Backup status must be available")
    if row["size"] is None:
        raise faults.invalid("InvalidBackup", "Backup to be restored has invalid size")
    return row


def _new_volume(req: Request, row: Row, name: str | None) -> str:
    """Make a volume of the size of the backup and wait until somebody has made it."""
    wish = Wish(
        size=row["size"],
        name=name or f"restore_backup_{row['id']}",
        description="auto-created_from_restore_from_backup",
    )
    made = creation.make(req, wish)
    deadline = time.monotonic() + req.services.conf.migration_create_volume_timeout_secs
    while True:
        found = req.services.db.read(volumes.get, made["id"])
        if found is None or found["status"] != "creating" or time.monotonic() >= deadline:
            break
        time.sleep(_POLL_SECONDS)
    if found is None or found["status"] != "available":
        raise faults.invalid_volume(f"Error while creating volume {made['id']} for restoring backup {row['id']}.")
    return made["id"]


def _hold(conn: Any, req: Request, backup_id: str, volume_id: str) -> tuple[Row, Row]:
    """Both rows in their states of a restore, or none of them."""
    row = place.load(conn, req, "backup:restore", backup_id)
    volume = lookup.volume(conn, req, volume_id)
    if volume["status"] != "available":
        raise faults.invalid_volume("Volume to be restored to must be available")
    if volume["size"] < row["size"]:
        size = volume["size"]
        raise faults.invalid_volume(f"volume size {size} is too small to restore backup of size {row['size']}.")
    host = place.host_for(conn, req, row, volume["availability_zone"])
    values = {"host": host, "restore_volume_id": volume_id}
    for transition, target, changes in (
        (TRANSITIONS["backup restore"], row["id"], values),
        (TRANSITIONS["restore"], volume_id, {}),
    ):
        if not transitions.apply(conn, transition, target, changes):
            raise faults.refused_transition(transition, "its status changed meanwhile")
    return volume, backups.show(conn, row["id"]) or row
