"""One Nova host while this process owns it: it starts, answers, is watched, and is handed over."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from keel_common.kube import Informer
from keel_common.runtime import Workers, left
from keel_compute.endpoints.compute import ComputeEndpoint
from keel_compute.errors import text
from keel_compute.hosts import node as facts
from keel_compute.hosts import reaper, recovery
from keel_compute.hosts.jobs import Jobs
from keel_compute.hosts.report import Report
from keel_compute.scope import Place
from keel_compute.site import Site
from keel_contract.bus import Bus, Endpoint
from keel_contract.context import Context
from keel_contract.nova.baseapi import BaseEndpoint
from keel_contract.nova.interfaces import BASE, COMPUTE
from keel_contract.releases import SERVICE_VERSION

LOG = logging.getLogger(__name__)

TOPICS = ("compute", "compute-alt")


class Host:
    """Start order as nova 34.0.0 init_host: service row, instances recovered, compute node and provider, then the bus.

    Interrupted operations are taken up again in `workers` once the bus is served, so that a slow guest does not keep
    the host down.
    """

    def __init__(self, site: Site, bus: Bus, name: str, nodes: Informer, workers: Workers) -> None:
        self.name = name
        self.site = site
        self.report = Report(site, name)
        self.place: Place | None = None
        self._bus = bus
        self._nodes = nodes
        self.jobs = Jobs(workers)
        self._servers: list[Any] = []

    def node(self) -> dict | None:
        """The Kubernetes node, None when it is gone."""
        return self._nodes.get(self.name)

    def start(self) -> None:
        """Bring the host up. Raises what keeps it from starting; the caller tries again."""
        node = self.node()
        if node is None:
            raise RuntimeError(f"Node {self.name} is gone")
        context = Context.admin("nova")
        self.report.register(context, SERVICE_VERSION)
        self.report.describe(context, node)
        self.place = Place(self.name, facts.hostname_label(node), self.report.compute.id, self.report.compute.uuid)
        instances = self.site.records.instances_of(context, self.name)
        interrupted = recovery.plan(self.site, self.place, context, instances)
        self.report.offer(node, bool(self.report.service.get("disabled", False)))
        self.report.count(context, node, instances)
        self._serve(self.place)
        for act in interrupted:
            self.jobs.submit(act)
        self.beat()
        LOG.info(
            "Host %s is up with %d servers, %d interrupted operations", self.name, len(instances), len(interrupted)
        )

    def _serve(self, place: Place) -> None:
        most = self.site.conf.max_concurrent_live_migrations
        endpoint = ComputeEndpoint(self.site, place, self.jobs, self._enable, most)
        endpoints = [Endpoint(COMPUTE, endpoint), Endpoint(BASE, BaseEndpoint(TOPICS[0]))]
        for topic in TOPICS:
            server = self._bus.server(topic, self.name, endpoints)
            server.start()
            self._servers.append(server)

    def _enable(self, place: Place, enabled: bool) -> None:
        node = self.node()
        if node is not None:
            self.report.offer(node, not enabled)

    def stop(self, deadline: float) -> None:
        """Take no more messages; what was taken is finished, as far as there is time."""
        servers, self._servers = self._servers, []
        if servers:
            # Side by side: each needs seconds at the broker.
            with ThreadPoolExecutor(len(servers), thread_name_prefix=f"{self.name} ends") as pool:
                list(pool.map(lambda server: server.stop(deadline), servers))
        if not self.jobs.idle(left(deadline)):
            LOG.warning("Host %s: %d jobs go on while it is handed over", self.name, self.jobs.waiting())

    def beat(self) -> None:
        """A heartbeat, while the node itself is alive: a host whose node is lost must count as down (evacuation asks
        for it).
        """
        node = self.node()
        if node is None or not facts.ready(node):
            LOG.info("Host %s: the node is not ready, no heartbeat", self.name)
            return
        try:
            self.report.beat(Context.admin("nova"))
        except Exception as error:
            LOG.warning("Host %s: heartbeat failed: %s", self.name, text(error))

    def audit(self) -> None:
        """Resources and cordon, as the periodic update_available_resource does."""
        node = self.node()
        if node is None or self.place is None:
            return
        context = Context.admin("nova")
        begun = time.monotonic()
        instances = self.site.records.instances_of(context, self.name)
        self.report.count(context, node, instances)
        self.report.follow_cordon(context, node)
        self.report.offer(node, bool(self.report.service.disabled))
        reaper.reap(self.site, self.place, context, instances)
        acts = recovery.lost(self.site, self.place, instances)
        acts += recovery.reclaim(self.site, self.place, reaper.overdue(self.site, instances))
        for act in acts:
            self.jobs.submit(act)
        LOG.debug("Host %s: audited %d servers in %.2f s", self.name, len(instances), time.monotonic() - begun)

    def checks(self) -> dict[str, Any]:
        """Readiness of the bus servers."""
        return {f"{self.name} {key}": check for server in self._servers for key, check in server.checks().items()}
