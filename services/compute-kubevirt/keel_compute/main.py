"""keel-compute-kubevirt: a nova-compute whose hosts are Kubernetes nodes."""

from __future__ import annotations

import logging
import time
from typing import Any

from keel_common.clients import Clients
from keel_common.config import load, warn_without_effect
from keel_common.kube import DATAVOLUME, NODE, VM, VMI, Informer, Kube
from keel_common.kube.lease import Membership
from keel_common.runtime import Periodic, Workers, run, setup_logging
from keel_compute.fleet import Fleet
from keel_compute.hosts import leftovers
from keel_compute.hosts.deeds import Deeds
from keel_compute.hosts.host import Host
from keel_compute.hosts.registry import Registry
from keel_compute.records import Records
from keel_compute.site import Site, cache
from keel_compute.sync.power import PowerSync
from keel_contract.bus import Bus, Client
from keel_contract.context import Context
from keel_contract.errors import RpcTimeout
from keel_contract.nova.interfaces import BASE, COMPUTE, COMPUTE_TASK, CONDUCTOR, SCHEDULER
from keel_contract.nova.remote import RemoteObjects

LOG = logging.getLogger(__name__)

NAME = "keel-compute-kubevirt"
GROUP = "keel-compute-kubevirt"
DEFAULT_INTERVAL = 60
"""Seconds of a periodic task whose option is 0 (nova 34.0.0 periodic_tasks spacing rule)."""


class Conductor:
    """A Part that waits at start until a conductor answers: nothing can be recorded before (nova 34.0.0 compute
    start).
    """

    name = "conductor"

    def __init__(self, base: Client, timeout: float) -> None:
        self._client = base
        self._timeout = timeout

    def start(self) -> None:
        """Ping until there is an answer."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                self._client.send(Context.admin("nova"), "ping", topic="conductor", timeout=10, arg="1.21 GigaWatts")
                return
            except RpcTimeout:
                if time.monotonic() > deadline:
                    raise
                LOG.warning("No conductor answers yet; waiting")

    def stop(self, deadline: float) -> None:
        """Nothing is held."""

    def checks(self) -> dict[str, Any]:
        """The bus servers tell when the broker is away."""
        return {}


FIRST_SWEEP = 60.0
"""Seconds after a start until leftovers are searched: a process that often starts anew must get there, too."""


def interval(seconds: int) -> float | None:
    """Seconds between runs of a periodic task, None when it is off."""
    return None if seconds < 0 else float(seconds or DEFAULT_INTERVAL)


def parts(conf: Any, clients: Clients | None = None) -> list[Any]:
    """Everything the process runs, in start order. `clients` replaces the peers that the configuration names."""
    bus = Bus(conf, "nova")
    group = conf.kubevirt
    kube = Kube.of(group)
    machines, instances, volumes = (cache(kube, kind, group.namespace) for kind in (VM, VMI, DATAVOLUME))
    fleet = Fleet(conf, lambda: remote)
    pins = fleet.pins
    remote = RemoteObjects(bus.client(CONDUCTOR, pins.of(CONDUCTOR)))
    site = Site(
        conf=conf,
        kube=kube,
        clients=clients or Clients(conf, "compute"),
        records=Records(remote),
        remote=remote,
        conductor=bus.client(COMPUTE_TASK, pins.of(COMPUTE_TASK)),
        scheduler=bus.client(SCHEDULER, pins.of(SCHEDULER)),
        computes=bus.client(COMPUTE, pins.of(COMPUTE)),
        machines=machines,
        instances=instances,
        volumes=volumes,
    )
    workers = Workers("compute", group.workers)
    member = conf.host if group.share_nodes else None
    nodes = Informer(kube, NODE, labels=group.node_selector)
    deeds = Deeds(kube, group.namespace, member) if member else None
    registry = Registry(nodes, lambda name: Host(site, bus, name, nodes, workers), member, deeds)
    nodes.listen(registry.node_changed)
    sync = PowerSync(site, workers, registry.host)
    instances.listen(sync.changed)
    # Stopped in reverse: hosts are handed over while this replica still counts as alive, then it leaves, then the pool
    # finishes, and only then the caches that its jobs wait on end.
    conductor = Conductor(bus.client(BASE, pins.of(BASE)), group.conductor_timeout)
    found: list[Any] = [conductor, fleet, machines, instances, volumes, nodes, workers]
    if member:
        found.append(Membership(kube, group.namespace, GROUP, member, registry.share, group.lease_seconds))
    found.append(registry)
    found.append(Periodic("heartbeat", conf.report_interval, lambda: registry.each(Host.beat)))
    if seconds := interval(conf.update_resources_interval):
        found.append(Periodic("resources", seconds, lambda: registry.each(Host.audit)))
    soon = min(FIRST_SWEEP, group.sweep_interval)
    found.append(Periodic("leftovers", group.sweep_interval, lambda: leftovers.sweep(site, registry.places), soon))
    if seconds := interval(conf.sync_power_state_interval):
        found.append(Periodic("power states", seconds, lambda: registry.each(sync.audit)))
    return found


def main(argv: list[str] | None = None) -> int:
    """The console script; answers the exit code."""
    conf = load("compute", argv, prog=NAME)
    setup_logging(conf, NAME)
    warn_without_effect(conf)
    return run(conf, parts(conf), NAME)
