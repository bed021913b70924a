"""What the backends report: pools with their capabilities, kept in memory, rebuilt from reports after a start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

#: Facts of the backend that its pools share (cinder 29.0.0 pool_stats_message).
INHERITED = (
    "volume_backend_name",
    "storage_protocol",
    "vendor_name",
    "driver_version",
    "backend_state",
    "timestamp",
    "filter_function",
    "goodness_function",
)


@dataclass
class Pool:
    """One pool of a backend. ``backend`` is host@backend or cluster@backend; sizes in GiB or a word."""

    backend: str
    name: str
    capabilities: dict[str, Any]
    zone: str
    cluster_name: str | None = None
    host: str = ""
    total: Any = 0
    free: Any = 0
    provisioned: float = 0
    allocated: float = 0
    reserved_percentage: float = 0
    max_over_subscription: Any = 20.0
    thin: bool = False
    thick: bool = False

    @property
    def id(self) -> str:
        """host@backend#pool, as a volume's host column has it."""
        return f"{self.backend}#{self.name}"

    def consume(self, size: float) -> None:
        """Account for a volume placed here before the next report comes."""
        self.allocated += size
        self.provisioned += size
        if not isinstance(self.free, str) and self.free is not None:
            self.free -= size


@dataclass
class _Report:
    timestamp: str
    capabilities: Mapping[str, Any]
    pools: dict[str, Pool] = field(default_factory=dict)


class Pools:
    """The reports of all backends. Older reports than the one held are ignored."""

    def __init__(self, default_over_subscription: Any = 20.0):
        self._default_ratio = default_over_subscription
        self._reports: dict[str, _Report] = {}
        self._lock = Lock()

    def update(self, backend: str, capabilities: Mapping[str, Any], timestamp: str, cluster: str | None = None) -> None:
        """Take a report of a backend (or of its cluster)."""
        key = cluster or backend
        with self._lock:
            held = self._reports.get(key)
            if held is not None and timestamp < held.timestamp:
                return
            report = _Report(timestamp, capabilities)
            for facts in _pool_facts(capabilities):
                pool = self._pool(key, facts)
                pool.host, pool.cluster_name = backend, cluster
                report.pools[pool.name] = pool
            self._reports[key] = report

    def reported(self) -> set[str]:
        """Keys (host@backend or cluster@backend) that have reported."""
        with self._lock:
            return set(self._reports)

    def of(self, services: Iterable[Mapping[str, Any]]) -> list[Pool]:
        """Pools of the given service rows, in their order; services without a report are left out."""
        found = []
        with self._lock:
            for service in services:
                report = self._reports.get(service["cluster_name"] or service["host"])
                if report is None:
                    continue
                for pool in report.pools.values():
                    pool.zone = service["availability_zone"]
                    found.append(pool)
        return found

    def _pool(self, backend: str, facts: Mapping[str, Any]) -> Pool:
        allocated = facts.get("allocated_capacity_gb") or 0
        return Pool(
            backend=backend,
            name=facts["pool_name"],
            capabilities=dict(facts),
            zone="",
            total=facts.get("total_capacity_gb", 0),
            free=facts.get("free_capacity_gb", 0),
            provisioned=float(facts.get("provisioned_capacity_gb", allocated) or 0),
            allocated=float(allocated),
            reserved_percentage=float(facts.get("reserved_percentage", 0) or 0),
            max_over_subscription=facts.get("max_over_subscription_ratio") or self._default_ratio,
            thin=bool(facts.get("thin_provisioning_support", False)),
            thick=bool(facts.get("thick_provisioning_support", False)),
        )


def _pool_facts(capabilities: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each pool's facts with what it inherits; a report without pools is one pool."""
    shared = {name: capabilities[name] for name in INHERITED if name in capabilities}
    pools = capabilities.get("pools")
    if not pools:
        name = capabilities.get("volume_backend_name") or "_pool0"
        pools = [{**capabilities, "pool_name": name}]
    return [{"multiattach": False, "online_extend_support": True, **shared, **pool} for pool in pools]
