"""The process keel-volume-csi: one backend, its queues, its watches, its reports."""

from __future__ import annotations

import sys
from typing import Any

from oslo_config import cfg

from keel_common import config
from keel_common.clients import Clients
from keel_common.config.backends import backends
from keel_common.db import Database
from keel_common.db.fleet import CinderFleet
from keel_common.db.heartbeat import CinderHeartbeat
from keel_common.kube import NAMESPACE, AlreadyExists, Kube
from keel_common.runtime import Part, Periodic, run, setup_logging
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder import OBJECT_VERSION, interfaces
from keel_volume import stats
from keel_volume.backend import Backend, Caches
from keel_volume.endpoints import VolumeEndpoint
from keel_volume.reconcile import Reconciler
from keel_volume.transfers import Transfers

BINARY = "cinder-volume"


class ConfigurationError(ValueError):
    """cinder.conf does not describe what this process needs."""


def parts(conf: cfg.ConfigOpts) -> list[Part]:
    """Everything of one backend, in the order of starting: watches, flows, queues, reports, heartbeat."""
    section = _section(conf)
    name = f"{section.backend_host or conf.host}@{section.name}"
    db = Database(conf.database.connection, conf.database)
    bus = Bus(conf, "cinder")
    fleet = CinderFleet(db)
    kube = Kube.of(conf.csi)
    _ensure_namespace(kube, conf.csi.namespace)
    reconciler = Reconciler(conf.csi.workers, conf.csi.audit_interval)
    caches = Caches.of(kube, conf.csi.namespace, reconciler.on_event)
    transfers = Transfers(conf.csi.transfers, reconciler.soon)
    backend = Backend(
        name=name,
        conf=conf,
        db=db,
        kube=kube,
        caches=caches,
        clients=Clients(conf, "volume"),
        scheduler=bus.client(interfaces.SCHEDULER, fleet.pins.of(interfaces.SCHEDULER)),
        cluster=conf.keel.cluster,
        namespace=conf.csi.namespace,
        transfers=transfers,
        backups=bus.client(interfaces.BACKUP, fleet.pins.of(interfaces.BACKUP)),
    )
    reconciler.serve(backend)
    versions = {"rpc_current_version": interfaces.VOLUME.version, "object_current_version": OBJECT_VERSION}
    heartbeat = CinderHeartbeat(conf, db, BINARY, [name], versions)

    def publish() -> None:
        stats.publish(backend, section)

    endpoint = Endpoint(interfaces.VOLUME, VolumeEndpoint(backend, reconciler, lambda: heartbeat.ids[0], publish))
    host, _, _ = name.partition("@")
    return [
        *caches.all(),
        heartbeat,
        fleet,
        reconciler,
        transfers,
        bus.server("cinder-volume", name, [endpoint], fleet.results),
        bus.server(f"cinder-volume.{name}", host, [endpoint], fleet.results),
        Periodic("pools", conf.backend_stats_polling_interval, publish, first=1),
    ]


def _section(conf: cfg.ConfigOpts) -> Any:
    found = backends(conf)
    if len(found) != 1:
        raise ConfigurationError(
            f"keel-volume-csi serves one backend, enabled_backends names {len(found)}: start one process for each"
        )
    return found[0]


def _ensure_namespace(kube: Kube, name: str) -> None:
    """Our claims need their namespace; whoever comes first makes it."""
    if kube.find(NAMESPACE, name) is None:
        try:
            kube.create(NAMESPACE, NAMESPACE.body(name))
        except AlreadyExists:
            return


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop; the exit status."""
    conf = config.load("volume", sys.argv[1:] if argv is None else argv)
    setup_logging(conf, "keel-volume-csi")
    return run(conf, parts(conf), "keel-volume-csi")


if __name__ == "__main__":
    sys.exit(main())
