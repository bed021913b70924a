"""The process keel-compute-scheduler."""

from __future__ import annotations

import sys

from oslo_config import cfg
from oslo_log import log

from keel_common import config
from keel_common.clients import Clients
from keel_common.db import Cells
from keel_common.db.fleet import NovaFleet
from keel_common.db.heartbeat import NovaHeartbeat
from keel_common.manage.cells import discover
from keel_common.runtime import Part, Periodic, run, setup_logging
from keel_contract.bus import Bus, Endpoint
from keel_contract.nova import interfaces
from keel_contract.nova.baseapi import BaseEndpoint
from keel_scheduler.compute.choose import Chooser
from keel_scheduler.compute.endpoints import SchedulerEndpoint
from keel_scheduler.compute.world import World

LOG = log.getLogger(__name__)
BINARY = "nova-scheduler"


def parts(conf: cfg.ConfigOpts) -> list[Part]:
    """The check at start, queue, heartbeat and (where configured) the discovery of new hosts."""
    cells = Cells(conf)
    bus = Bus(conf, "nova")
    chooser = Chooser(conf, World(conf, cells), Clients(conf, "compute").placement)
    endpoints = [
        Endpoint(interfaces.SCHEDULER, SchedulerEndpoint(chooser)),
        Endpoint(interfaces.BASE, BaseEndpoint("scheduler")),
    ]
    found: list[Part] = [
        NovaFleet(conf, cells),
        NovaHeartbeat(conf, cells.local, BINARY, "scheduler"),
        bus.server("scheduler", conf.host, endpoints),
    ]
    if conf.scheduler.discover_hosts_in_cells_interval > 0:
        found.append(
            Periodic("discover-hosts", conf.scheduler.discover_hosts_in_cells_interval, lambda: discover_all(cells))
        )
    return found


def discover_all(cells: Cells) -> None:
    """Map compute hosts that no cell owns yet; whoever loses a race finds them mapped the next time."""
    for cell in cells.working():
        new = discover(cells.api, cell.id, cell.db)
        if new:
            LOG.info("mapped hosts %s to cell %s", ", ".join(new), cell.uuid)


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop; the exit status."""
    conf = config.load("compute", sys.argv[1:] if argv is None else argv)
    setup_logging(conf, "keel-compute-scheduler")
    return run(conf, parts(conf), "keel-compute-scheduler")


if __name__ == "__main__":
    sys.exit(main())
