"""The process keel-volume-backup: one store of backups, its queue, its reports (docs/decisions/0005)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from oslo_config import cfg
from oslo_log import log

from keel_common import config
from keel_common.clients import Clients
from keel_common.db import Database
from keel_common.db.fleet import CinderFleet
from keel_common.db.heartbeat import CinderHeartbeat
from keel_common.kube import Kube
from keel_common.runtime import Part, Periodic, run, setup_logging
from keel_contract.bus import Bus, Client, Endpoint
from keel_contract.cinder import OBJECT_VERSION, interfaces
from keel_contract.context import Context
from keel_volume.backend import Backend, Caches
from keel_volume.backup.endpoints import BackupEndpoint
from keel_volume.backup.runner import Runner
from keel_volume.backup.service import Service
from keel_volume.backup.store import Store, StoreError, open_store
from keel_volume.transfers import Transfers

LOG = log.getLogger(__name__)

BINARY = "cinder-backup"
#: Streams at a time where ``backup_max_operations`` sets no limit.
_UNLIMITED = 64


class Health:
    """A Part that says whether the store answers: a service whose store is away is not ready and does not beat, so
    nobody is sent to it."""

    name = "store"

    def __init__(self, store: Store):
        self._store = store
        self.works = False
        self._problem = "not looked at yet"

    def start(self) -> None:
        """Look once, so that the first heartbeat is true."""
        self.look()

    def stop(self, deadline: float) -> None:
        """Nothing is held."""

    def checks(self) -> dict[str, Callable[[], None]]:
        """Ready while the store answers."""
        return {self.name: self._check}

    def look(self) -> None:
        """Ask the store; a change is logged."""
        try:
            self._store.check()
            problem = ""
        except StoreError as broken:
            problem = str(broken)
        if problem != self._problem:
            LOG.log(logging.WARNING if problem else logging.INFO, "the store of backups: %s", problem or "answers")
        self.works, self._problem = not problem, problem

    def _check(self) -> None:
        if not self.works:
            raise RuntimeError(self._problem)


def parts(conf: cfg.ConfigOpts) -> list[Part]:
    """Everything of one backup service, in the order of starting. Raises UnknownStore."""
    store = open_store(conf)
    health = Health(store)
    db = Database(conf.database.connection, conf.database)
    bus = Bus(conf, "cinder")
    fleet = CinderFleet(db)
    kube = Kube.of(conf.csi)
    caches = Caches.of(kube, conf.csi.namespace, lambda event, item, before: None)
    runner = Runner(conf.csi.audit_interval)
    transfers = Transfers(conf.backup_max_operations or _UNLIMITED, runner.soon)
    scheduler = bus.client(interfaces.SCHEDULER, fleet.pins.of(interfaces.SCHEDULER))
    backend = Backend(
        name=conf.host,
        conf=conf,
        db=db,
        kube=kube,
        caches=caches,
        clients=Clients(conf, "volume"),
        scheduler=scheduler,
        cluster=conf.keel.cluster,
        namespace=conf.csi.namespace,
        transfers=transfers,
    )
    service = Service(backend, store, conf.host, conf.storage_availability_zone)
    runner.serve(service)
    versions = {"rpc_current_version": interfaces.BACKUP.version, "object_current_version": OBJECT_VERSION}

    def publish() -> None:
        health.look()
        _publish(scheduler, service, health.works)

    others = bus.client(interfaces.BACKUP, fleet.pins.of(interfaces.BACKUP))
    endpoint = Endpoint(interfaces.BACKUP, BackupEndpoint(service, runner, publish, others))
    return [
        *caches.all(),
        health,
        CinderHeartbeat(conf, db, BINARY, [conf.host], versions, working=lambda host: health.works),
        fleet,
        transfers,
        runner,
        bus.server(BINARY, conf.host, [endpoint], fleet.results),
        Periodic("store", conf.backup_driver_init_check_interval, health.look),
        Periodic("backup-capabilities", conf.backup_driver_stats_polling_interval, publish, first=1),
    ]


def _publish(scheduler: Client, service: Service, works: bool) -> None:
    """Tell every scheduler that backups are made here (cinder 29.0.0 scheduler, backup_capabilities)."""
    scheduler.send(
        Context.admin("cinder"),
        "update_service_capabilities",
        service_name="backup",
        host=service.host,
        capabilities={
            "backend_state": works,
            "driver_name": service.store.name,
            "availability_zone": service.zone,
        },
        cluster_name=None,
        timestamp=datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds"),
    )


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop; the exit status."""
    conf = config.load("volume", sys.argv[1:] if argv is None else argv)
    setup_logging(conf, "keel-volume-backup")
    return run(conf, parts(conf), "keel-volume-backup")


if __name__ == "__main__":
    sys.exit(main())
