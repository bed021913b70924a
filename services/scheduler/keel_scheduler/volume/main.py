"""The process keel-volume-scheduler."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from oslo_config import cfg
from oslo_log import log

from keel_common import config
from keel_common.db import Database
from keel_common.db.fleet import CinderFleet
from keel_common.db.heartbeat import CinderHeartbeat
from keel_common.runtime import Part, run, setup_logging
from keel_contract.bus import Bus, Client, Endpoint
from keel_contract.cinder import OBJECT_VERSION, interfaces
from keel_contract.context import Context
from keel_scheduler.volume import upkeep
from keel_scheduler.volume.choose import Chooser
from keel_scheduler.volume.endpoints import SchedulerEndpoint
from keel_scheduler.volume.pools import Pools

LOG = log.getLogger(__name__)
BINARY = "cinder-scheduler"
#: Seconds between two looks at the reports while a request waits for them.
_GLANCE = 0.2


class FirstReports:
    """A Part that asks every backend for its pools; requests wait (``wait``) until those that are up have answered."""

    name = "first-reports"

    def __init__(self, ask: Callable[[], None], missing: Callable[[], set[str]], patience: float):
        self._ask = ask
        self._missing = missing
        self._until = time.monotonic() + patience
        self._patience = patience
        self._complete = False

    def start(self) -> None:
        """Ask; the answers come over the bus."""
        self._until = time.monotonic() + self._patience
        self._ask()

    def wait(self) -> None:
        """Return once every service that is up has reported, or after scheduler_driver_init_wait_time (cinder 29.0.0
        flows 1.2): a request that waited in the queue must not fail because we have just started."""
        while not self._complete and time.monotonic() < self._until and self._missing():
            time.sleep(_GLANCE)
        self._complete = True

    def stop(self, deadline: float) -> None:
        """Nothing to end."""

    def checks(self) -> dict[str, Callable[[], None]]:
        """Ready once every service that is up has reported, or after scheduler_driver_init_wait_time."""
        return {self.name: self._check}

    def _check(self) -> None:
        missing = self._missing()
        if missing and time.monotonic() < self._until:
            raise RuntimeError(f"no report yet of {', '.join(sorted(missing))}")


def parts(conf: cfg.ConfigOpts) -> list[Part]:
    """Queue, reports and heartbeat of one scheduler."""
    db = Database(conf.database.connection, conf.database)
    bus = Bus(conf, "cinder")
    pools = Pools(conf.max_over_subscription_ratio)
    chooser = Chooser(conf, db, pools)
    fleet = CinderFleet(db)
    volumes = bus.client(interfaces.VOLUME, fleet.pins.of(interfaces.VOLUME))
    backups = bus.client(interfaces.BACKUP, fleet.pins.of(interfaces.BACKUP))
    ask = partial(_ask_for_reports, volumes, backups)
    first_reports = FirstReports(ask, chooser.silent_services, conf.scheduler_driver_init_wait_time)
    endpoint = SchedulerEndpoint(conf, db, pools, chooser, volumes, backups, first_reports.wait)
    versions = {"rpc_current_version": interfaces.SCHEDULER.version, "object_current_version": OBJECT_VERSION}

    # What this service understands is written down before anybody else starts to look, and before it listens.
    return [
        CinderHeartbeat(conf, db, BINARY, [conf.host], versions),
        fleet,
        bus.server(BINARY, conf.host, [Endpoint(interfaces.SCHEDULER, endpoint)], fleet.results),
        first_reports,
        *upkeep.parts(conf, db),
    ]


def _ask_for_reports(volumes: Client, backups: Client) -> None:
    for client in (volumes, backups):
        client.send(Context.admin("cinder"), "publish_service_capabilities")


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop; the exit status."""
    conf = config.load("volume", sys.argv[1:] if argv is None else argv)
    setup_logging(conf, "keel-volume-scheduler")
    return run(conf, parts(conf), "keel-volume-scheduler")


if __name__ == "__main__":
    sys.exit(main())
