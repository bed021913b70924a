"""Which backup service makes a backup (cinder 29.0.0 scheduler, backup_placement)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from oslo_config import cfg
from oslo_log import log

from keel_common.db import Database
from keel_common.db.stores.cinder import backend_backups as store
from keel_common.db.stores.cinder import backups, messages, services
from keel_common.db.stores.cinder.rows import now
from keel_common.domain.volume import hosts
from keel_common.wire.backup import backup as on_wire
from keel_contract.bus import Client

LOG = log.getLogger(__name__)
_BINARY = "cinder-backup"


class NoBackupHost(Exception):
    """No backup service can take it."""


class BackupReports:
    """What the backup services say of themselves, in memory. One that has said nothing yet is taken at its row."""

    def __init__(self) -> None:
        self._reports: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._lock = Lock()

    def update(self, host: str, capabilities: Mapping[str, Any], timestamp: str) -> None:
        """Take a report; older ones than the one held are ignored."""
        with self._lock:
            if timestamp >= self._reports.get(host, ("", {}))[0]:
                self._reports[host] = (timestamp, dict(capabilities))

    def broken(self) -> set[str]:
        """Hosts of the services that say that their store does not answer."""
        with self._lock:
            return {host for host, (_, report) in self._reports.items() if not report.get("backend_state")}


class BackupEndpoint:
    """The method of topic cinder-scheduler for backups."""

    _ready: Callable[[], None]
    _conf: cfg.ConfigOpts
    _db: Database
    _backup_reports: BackupReports
    _backups: Client

    def create_backup(self, context: Any, backup: Any) -> None:
        """Choose a backup service and hand the backup to it; without one it is in error, its source as before."""
        self._ready()
        row = self._db.read(backups.show, backup.id)
        if row is None or row["status"] != "creating":
            LOG.info("backup %s is not waiting for a host any more", backup.id)
            return
        try:
            host = row["host"] or self._host_for(row)
        except Exception as refusal:
            LOG.error("backup %s: %s", row["id"], refusal, exc_info=not isinstance(refusal, NoBackupHost))
            fail(self._conf, self._db, row, str(refusal), context.request_id or "")
            return
        if not self._db.run(store.placed, row["id"], host):
            LOG.info("backup %s is not waiting for a host any more", row["id"])
            return
        self._backups.send(context, "create_backup", server=host, backup=on_wire({**row, "host": host}))

    def _host_for(self, row: Mapping[str, Any]) -> str:
        """A service that is up and enabled, its store not broken, in the zone that was asked for or the volume's.

        Raises NoBackupHost.
        """
        zone, place = self._db.read(store.source_zone, row["volume_id"])
        up = {one["host"]: one for one in self._db.read(services.listing, _BINARY) if self._is_up(one)}
        if self._conf.backup_use_same_host:
            host = hosts.split(place or "")[0]
            if host in up:
                return host
            raise NoBackupHost(f"no backup service is up on {host}, the host of the volume")
        wanted = row["availability_zone"] or zone
        broken = self._backup_reports.broken()
        fitting = [
            host for host, its in up.items() if host not in broken and wanted in (None, its["availability_zone"])
        ]
        if not fitting:
            raise NoBackupHost(f"no backup service is up in zone {wanted}")
        return random.choice(fitting)

    def _is_up(self, row: Mapping[str, Any]) -> bool:
        return not row["disabled"] and services.is_up(row, self._conf.service_down_time)


def fail(conf: cfg.ConfigOpts, db: Database, row: Mapping[str, Any], reason: str, request_id: str = "") -> None:
    """creating -> error with a message; volume or snapshot as before."""
    if db.run(store.failed, row, f"No valid host was found. {reason}", "backing-up"):
        db.run(
            messages.create,
            row["project_id"],
            request_id,
            "BACKUP_CREATE",
            ttl_seconds=conf.message_ttl,
            resource_type="VOLUME_BACKUP",
            resource_uuid=row["id"],
            detail="BACKUP_SCHEDULE_ERROR",
        )


def end_lost(conf: cfg.ConfigOpts, db: Database) -> None:
    """A backup whose request was lost before it had a host goes to error after ``[keel]build_deadline``."""
    before: datetime = now() - timedelta(seconds=conf.keel.build_deadline)
    for row in db.read(store.lost, before):
        LOG.error("backup %s: nobody looked for a host for it in %s s", row["id"], conf.keel.build_deadline)
        fail(conf, db, row, "The request was lost.")
