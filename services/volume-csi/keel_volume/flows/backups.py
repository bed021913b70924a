"""A volume that is made from a backup: a backup service fills it and writes both rows (cinder 29.0.0 flows 1.7)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.db.stores.cinder import backups, services
from keel_common.wire.backup import backup as on_wire
from keel_volume.backend import Backend
from keel_volume.flows import create

LOG = log.getLogger(__name__)


def fill(backend: Backend, context: Any, volume: Mapping[str, Any], backup_id: str) -> None:
    """available -> restoring, and tell the service that does it; the volume stays `creating` until then.

    When the message is lost, the service finds the row. May be called again.
    """
    if backend.db.read(rows.is_being_filled, volume["id"]):
        return
    backup = backend.db.read(backups.show, backup_id)
    host = _host(backend, backup) if backup else None
    row = backend.db.run(rows.fill_begun, backup_id, volume["id"], host) if host else None
    if row is None:
        LOG.error("volume %s: backup %s is not available, or no service can read it", volume["id"], backup_id)
        create.fail(backend, volume, "CREATE_VOLUME_FROM_BACKEND")
        return
    backend.backups.send(
        context,
        "restore_backup",
        server=row["host"],
        backup=on_wire(row),
        volume_id=volume["id"],
        volume_is_new=True,
    )


def _host(backend: Backend, backup: Mapping[str, Any]) -> str | None:
    """The service that made the backup when it is up, else another; a store on a file system is read there alone."""
    seconds = backend.conf.service_down_time
    found = backend.db.read(services.listing, "cinder-backup")
    up = [one["host"] for one in found if not one["disabled"] and services.is_up(one, seconds)]
    if backup["host"] in up:
        return backup["host"]
    if not up or "posix" in (backup["service"] or ""):
        return None
    return random.choice(up)
