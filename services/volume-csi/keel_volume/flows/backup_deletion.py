"""Delete a backup: its objects, then row, quota and what it held (cinder 29.0.0 flows 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.db.stores.cinder import backups
from keel_volume.backup.service import Service
from keel_volume.backup.store import StoreError, checked

LOG = log.getLogger(__name__)


def advance(service: Service, row: Mapping[str, Any]) -> None:
    """Take a deleting backup away. What cannot be reached now is tried again, then it is in error."""
    db = service.backend.db
    if db.read(backups.has_children, row["id"]):
        _fail(service, row, "other backups build on it")
        return
    if row["service"] not in (None, service.store.name):
        _fail(service, row, f"it is of {row['service']}, this service has {service.store.name}")
        return
    try:
        if row["service_metadata"]:
            service.store.remove(checked(row["service_metadata"]))
    except ValueError as problem:
        _fail(service, row, str(problem))
        return
    except StoreError as problem:
        LOG.warning("backup %s cannot be deleted: %s", row["id"], problem)
        if service.counts(row):
            service.backend.transfers.pause(1.0)
        else:
            _fail(service, row, str(problem))
        return
    db.run(rows.restore_cancelled, row)
    if db.run(rows.deleted, service.backend.quota, dict(row)):
        LOG.info("backup %s is gone", row["id"])
    service.forget(row)


def _fail(service: Service, row: Mapping[str, Any], reason: str) -> None:
    LOG.error("backup %s cannot be deleted: %s", row["id"], reason)
    service.forget(row)
    if service.backend.db.run(rows.delete_failed, row["id"], reason):
        service.tell_user(row, "BACKUP_DELETE", "BACKUP_DELETE_DRIVER_ERROR")
