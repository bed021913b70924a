"""select_destinations: candidates, filters, weighers, claim, alternates (nova 34.0.0 scheduler)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import orjson
from oslo_config import cfg
from oslo_log import log

from keel_common.clients import errors
from keel_common.clients.placement import CANDIDATES, Placement
from keel_scheduler.compute import filters, weighers
from keel_scheduler.compute.hosts import HostState
from keel_scheduler.compute.query import Unsupported, placement_query
from keel_scheduler.compute.request import Request
from keel_scheduler.compute.world import World

LOG = log.getLogger(__name__)

#: Computes from this service version on give their providers the trait OWNER_NOVA; that of 33 does not.
OWNERS_MARKED = 73
#: Filters that look at the servers of a host; without one of these they are not read.
_NEED_SERVERS = {"SameHostFilter", "DifferentHostFilter", "NumInstancesFilter"}


class NoValidHost(Exception):
    """Nothing fits. ``message`` and ``reason`` are for everybody; the text adds the hosts left after each filter."""

    def __init__(self, reason: str, counts: list[tuple[str, int, int]] | None = None):
        self.reason = reason
        self.message = f"No valid host was found. {reason}"
        steps = ", ".join(f"{name} {before} -> {after}" for name, before, after in counts or [])
        super().__init__(f"{self.message} Hosts: {steps}." if steps else self.message)


@dataclass(frozen=True)
class Pick:
    """A host for a server, with the candidate that was (or would be) claimed."""

    host: HostState
    candidate: dict
    zone: str

    @property
    def allocation_request(self) -> str:
        """The candidate as JSON text, mappings kept (Selection.allocation_request)."""
        return orjson.dumps(self.candidate).decode()

    allocation_request_version = CANDIDATES


class Chooser:
    """Places servers; holds no state between requests."""

    def __init__(self, conf: cfg.ConfigOpts, world: World, placement: Placement, rng: random.Random | None = None):
        self._conf = conf
        self._world = world
        self._placement = placement
        self._random = rng or random.Random()
        self._filters = filters.select(conf)

    def select(self, request: Request, instances: list[str], alternates: bool) -> list[list[Pick]]:
        """For each instance uuid its host, claimed in Placement, then up to max_attempts - 1 alternates.

        All or nothing: when one instance finds no host, the claims of the others
        are given back and NoValidHost is raised.
        """
        if request.check_rebuild:
            return self._validate_rebuild(request, instances)
        candidates = self._candidates(request)
        hosts = self._hosts(request, candidates)
        chosen: list[tuple[str, Pick]] = []
        try:
            for instance in instances:
                chosen.append((instance, self._place(request, instance, hosts, candidates)))
        except BaseException:
            for instance, _ in chosen:
                self._placement.delete_allocations(instance)
            raise
        taken = {pick.host.uuid for _, pick in chosen}
        rest = self._alternates(request, hosts, candidates, taken) if alternates else {}
        return [[pick, *rest.get(pick.host.cell_uuid, [])] for _, pick in chosen]

    # Steps

    def _candidates(self, request: Request) -> dict[str, list[dict]]:
        """Allocation requests by the root provider they would land on."""
        try:
            pairs = placement_query(
                request,
                limit=self._conf.scheduler.max_placement_results,
                aggregates=self._member_of(request),
                in_tree=self._in_tree(request),
                root_required=self._image_trait(request) | self._owner(),
            )
            requests, summaries = self._placement.candidates(pairs)
        except Unsupported as problem:
            raise NoValidHost(str(problem)) from problem
        except errors.ClientError as problem:
            LOG.error("Placement gave no candidates: %s", problem)
            raise NoValidHost("Placement could not be asked for candidates.") from problem
        by_host: dict[str, list[dict]] = {}
        for item in requests:
            provider = next(iter(item["allocations"]))
            root = summaries[provider].get("root_provider_uuid") or provider
            by_host.setdefault(root, []).append(item)
        if not by_host:
            raise NoValidHost("There are not enough hosts available.", [("Placement", 0, 0)])
        return by_host

    def _hosts(self, request: Request, candidates: dict[str, list[dict]]) -> list[HostState]:
        needs = request.group is not None or any(item.name in _NEED_SERVERS for item in self._filters)
        states = self._world.host_states(candidates, request.destination.cell_uuid, needs)
        return _narrowed(states, request)

    def _place(
        self, request: Request, instance: str, hosts: list[HostState], candidates: dict[str, list[dict]]
    ) -> Pick:
        forced = bool(request.force_hosts or request.force_nodes)
        passed, counts = (hosts, []) if forced else filters.run(self._filters, hosts, request)
        counts = [("Placement", len(candidates), len(hosts)), *counts]
        for host in self._ordered(passed, request):
            candidate = candidates[host.uuid][0]
            if self._placement.claim(instance, candidate, request.project_id, request.user_id):
                host.consume(request, instance)
                return self._pick(host, candidate)
        if passed:
            counts.append(("claim", len(passed), 0))
        raise NoValidHost("There are not enough hosts available.", counts)

    def _ordered(self, hosts: list[HostState], request: Request) -> list[HostState]:
        """Best first; the first drawn from the best ``host_subset_size``."""
        ranked = weighers.order(hosts, request, self._conf)
        size = max(1, min(self._conf.filter_scheduler.host_subset_size, len(ranked)))
        if not ranked or size == 1:
            return ranked
        first = self._random.randrange(size)
        return [ranked[first], *ranked[:first], *ranked[first + 1 :]]

    def _alternates(
        self, request: Request, hosts: list[HostState], candidates: dict[str, list[dict]], taken: set[str]
    ) -> dict[str, list[Pick]]:
        """Unclaimed picks by cell, of hosts that no instance of this request got."""
        wanted = self._conf.scheduler.max_attempts - 1
        if wanted < 1 or request.force_hosts or request.force_nodes:
            return {}
        passed, _ = filters.run(self._filters, [h for h in hosts if h.uuid not in taken], request)
        by_cell: dict[str, list[Pick]] = {}
        for host in weighers.order(passed, request, self._conf):
            picks = by_cell.setdefault(host.cell_uuid, [])
            if len(picks) < wanted:
                picks.append(self._pick(host, candidates[host.uuid][0]))
        return by_cell

    def _validate_rebuild(self, request: Request, instances: list[str]) -> list[list[Pick]]:
        """No query and no claim: may the image run where the server is (nova 34.0.0 scheduler utils)."""
        names = request.force_nodes or (None,)
        host = request.force_hosts[0] if request.force_hosts else None
        uuids = self._world.nodes(host, names[0])
        hosts = self._world.host_states(uuids, request.destination.cell_uuid, False)
        passed, counts = filters.run(self._filters, hosts, request)
        if not passed:
            raise NoValidHost("There are not enough hosts available.", counts)
        return [[self._pick(passed[0], {"allocations": {}})] for _ in instances]

    def _pick(self, host: HostState, candidate: dict) -> Pick:
        return Pick(host, candidate, host.zone(self._conf.default_availability_zone))

    # Request filters (those that ask Placement for less)

    def _member_of(self, request: Request) -> list[str]:
        values = [f"in:{item}" for item in request.destination.aggregates]
        if request.destination.forbidden_aggregates:
            values.append(f"!in:{','.join(sorted(request.destination.forbidden_aggregates))}")
        tenants = self._conf.scheduler.limit_tenants_to_placement_aggregate
        if not request.availability_zone and not tenants:
            return values
        aggregates = self._world.aggregates()
        zone = [a["uuid"] for a in aggregates if a["metadata"].get("availability_zone") == request.availability_zone]
        if request.availability_zone and zone:
            values.append(f"in:{','.join(sorted(zone))}")
        if tenants:
            values += self._tenant_aggregates(request, aggregates)
        return values

    def _tenant_aggregates(self, request: Request, aggregates: list[dict[str, Any]]) -> list[str]:
        mine = [
            a["uuid"]
            for a in aggregates
            if any(k.startswith("filter_tenant_id") and v == request.project_id for k, v in a["metadata"].items())
        ]
        if mine:
            return [f"in:{','.join(sorted(mine))}"]
        if self._conf.scheduler.placement_aggregate_required_for_tenants:
            raise NoValidHost("No aggregate is for this project.")
        return []

    def _image_trait(self, request: Request) -> set[str]:
        ask = self._conf.scheduler.query_placement_for_image_type_support
        if not ask or request.is_bfv or not request.image_disk_format:
            return set()
        return {f"COMPUTE_IMAGE_TYPE_{request.image_disk_format.upper()}"}

    def _owner(self) -> set[str]:
        """Providers of Nova alone, once every compute is new enough to mark its own (nova 34.0.0 request_filter)."""
        return {"OWNER_NOVA"} if self._world.oldest_compute() >= OWNERS_MARKED else set()

    def _in_tree(self, request: Request) -> str | None:
        """A request for one host leaves one provider tree; none at all is a refusal."""
        host = request.destination.host or (request.force_hosts[0] if len(request.force_hosts) == 1 else None)
        node = request.destination.node or (request.force_nodes[0] if len(request.force_nodes) == 1 else None)
        if not host and not node:
            return None
        uuids = self._world.nodes(host, node)
        if not uuids:
            raise NoValidHost(f"No compute node is known for {host or node}.")
        return uuids[0] if len(uuids) == 1 else None


def _narrowed(hosts: list[HostState], request: Request) -> list[HostState]:
    """Hosts that the request names (or does not shut out), whatever the filters say."""
    if request.destination.host:
        hosts = [h for h in hosts if h.host == request.destination.host]
    if request.destination.node:
        hosts = [h for h in hosts if h.node == request.destination.node]
    if request.force_hosts:
        wanted = {name.lower() for name in request.force_hosts}
        hosts = [h for h in hosts if h.host.lower() in wanted]
    if request.force_nodes:
        wanted = {name.lower() for name in request.force_nodes}
        hosts = [h for h in hosts if h.node.lower() in wanted]
    return [
        h for h in hosts if h.host.lower() not in request.ignore_hosts and (h.host, h.node) not in request.retry_hosts
    ]
