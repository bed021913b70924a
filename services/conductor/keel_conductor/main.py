"""The process keel-conductor: answers computes about their objects and runs the long operations on servers."""

import sys
from typing import Any

from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import Cells
from keel_common.db.heartbeat import NovaHeartbeat
from keel_common.db.stores.nova import quotas
from keel_common.runtime import Part, Periodic, StartCheck, run
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_conductor.flows.expire import Expiry
from keel_conductor.flows.unattached import Unattached
from keel_conductor.peers import Peers
from keel_contract.bus import Bus, Endpoint
from keel_contract.nova import interfaces
from keel_contract.nova.baseapi import BaseEndpoint

BINARY = "nova-conductor"
TOPIC = "conductor"
EXPIRY_EVERY = 60.0


def parts(conf: Any) -> list[Part]:
    """The checks at start, the services row, the bus server, and the search for what a dead conductor left behind."""
    bus = Bus(conf, "nova")
    peers = Peers(conf, Cells(conf), Clients(conf, "compute"), bus)
    endpoints = [
        Endpoint(interfaces.CONDUCTOR, ObjectEndpoint(conf, peers.cells)),
        Endpoint(interfaces.BASE, BaseEndpoint("conductor")),
        Endpoint(interfaces.COMPUTE_TASK, TaskEndpoint(peers)),
    ]
    return [
        StartCheck("quota-driver", lambda: quotas.refuse_unbuilt_driver(conf)),
        peers.fleet,
        NovaHeartbeat(conf, peers.cells.local, BINARY, TOPIC),
        bus.server(TOPIC, conf.host, endpoints),
        Periodic("expire-builds", EXPIRY_EVERY, Expiry(peers).run),
        Periodic("undo-attachments", EXPIRY_EVERY, Unattached(peers).run),
    ]


def main(argv: list[str] | None = None) -> int:
    """Runs until told to stop; the exit code."""
    conf = load("compute", sys.argv[1:] if argv is None else argv, prog=BINARY)
    return run(conf, parts(conf), "keel-conductor")


if __name__ == "__main__":
    sys.exit(main())
