"""The process keel-volume-scheduler."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from oslo_config import cfg
from oslo_log import log

from keel_common import config
from keel_common.db import Database
from keel_common.db.heartbeat import CinderHeartbeat
from keel_common.runtime import Part, run, setup_logging
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder import OBJECT_VERSION, interfaces
from keel_contract.context import Context
from keel_scheduler.volume.choose import Chooser
from keel_scheduler.volume.endpoints import SchedulerEndpoint
from keel_scheduler.volume.pools import Pools

LOG = log.getLogger(__name__)
BINARY = "cinder-scheduler"


class FirstReports:
    """A Part that asks every backend for its pools and lets messages in once those that are up have answered."""

    name = "first-reports"

    def __init__(self, ask: Callable[[], None], missing: Callable[[], set[str]], patience: float):
        self._ask = ask
        self._missing = missing
        self._until = 0.0
        self._patience = patience

    def start(self) -> None:
        """Ask; the answers come over the bus."""
        self._until = time.monotonic() + self._patience
        self._ask()

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
    volumes = bus.client(interfaces.VOLUME)
    endpoint = SchedulerEndpoint(conf, db, pools, chooser, volumes)
    versions = {"rpc_current_version": interfaces.SCHEDULER.version, "object_current_version": OBJECT_VERSION}

    def ask() -> None:
        volumes.send(Context.admin("cinder"), "publish_service_capabilities")

    return [
        bus.server(BINARY, conf.host, [Endpoint(interfaces.SCHEDULER, endpoint)]),
        FirstReports(ask, chooser.silent_services, conf.scheduler_driver_init_wait_time),
        CinderHeartbeat(conf, db, BINARY, [conf.host], versions),
    ]


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop; the exit status."""
    conf = config.load("volume", sys.argv[1:] if argv is None else argv)
    setup_logging(conf, "keel-volume-scheduler")
    return run(conf, parts(conf), "keel-volume-scheduler")


if __name__ == "__main__":
    sys.exit(main())
