"""The weighers: which of the hosts that may is the best. One row per name.

Each raw weight is scaled to 0..1 over the hosts of the request (from the row's
``minval`` where it has one), times its multiplier, summed (nova 34.0.0 weights).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oslo_config import cfg

from keel_scheduler.compute.hosts import HostState
from keel_scheduler.compute.request import Request


@dataclass(frozen=True)
class Weigher:
    """A named raw weight with the option that holds its multiplier."""

    name: str
    raw: Callable[[HostState, Request], float]
    option: str
    aggregate_key: str
    minval: float | None = None
    sign: int = 1


def _members(host: HostState, request: Request, policy: str) -> int:
    group = request.group
    return len(group.members & host.instances) if group is not None and group.policy == policy else 0


WEIGHERS = (
    Weigher("RAMWeigher", lambda h, r: h.free_ram_mb, "ram_weight_multiplier", "ram_weight_multiplier", 0),
    Weigher(
        "CPUWeigher",
        lambda h, r: h.vcpus_total * h.cpu_allocation_ratio - h.vcpus_used,
        "cpu_weight_multiplier",
        "cpu_weight_multiplier",
        0,
    ),
    Weigher("DiskWeigher", lambda h, r: h.free_disk_mb, "disk_weight_multiplier", "disk_weight_multiplier", 0),
    Weigher("IoOpsWeigher", lambda h, r: h.io_ops, "io_ops_weight_multiplier", "io_ops_weight_multiplier", 0),
    Weigher(
        "BuildFailureWeigher",
        lambda h, r: h.failed_builds,
        "build_failure_weight_multiplier",
        "build_failure_weight_multiplier",
        sign=-1,
    ),
    Weigher(
        "NumInstancesWeigher",
        lambda h, r: len(h.instances),
        "num_instances_weight_multiplier",
        "num_instances_weight_multiplier",
    ),
    Weigher(
        "HypervisorVersionWeigher",
        lambda h, r: h.hypervisor_version,
        "hypervisor_version_weight_multiplier",
        "hypervisor_version_weight_multiplier",
    ),
    Weigher(
        "ServerGroupSoftAffinityWeigher",
        lambda h, r: _members(h, r, "soft-affinity"),
        "soft_affinity_weight_multiplier",
        "soft_affinity_weight_multiplier",
    ),
    Weigher(
        "ServerGroupSoftAntiAffinityWeigher",
        lambda h, r: -_members(h, r, "soft-anti-affinity"),
        "soft_anti_affinity_weight_multiplier",
        "soft_anti_affinity_weight_multiplier",
    ),
)


def order(hosts: list[HostState], request: Request, conf: cfg.ConfigOpts) -> list[HostState]:
    """The hosts, the heaviest first; hosts of equal weight keep their order."""
    if len(hosts) < 2:
        return hosts
    totals = [0.0] * len(hosts)
    for weigher in WEIGHERS:
        default = weigher.sign * conf.filter_scheduler[weigher.option]
        raws = [float(weigher.raw(host, request)) for host in hosts]
        low = min(raws) if weigher.minval is None else weigher.minval
        span = max(raws) - low
        if span <= 0:
            continue
        for index, host in enumerate(hosts):
            totals[index] += _multiplier(host, weigher, default) * (raws[index] - low) / span
    ranked = sorted(range(len(hosts)), key=lambda index: -totals[index])
    return [hosts[index] for index in ranked]


def _multiplier(host: HostState, weigher: Weigher, default: float) -> float:
    """An aggregate of the host may set its own multiplier; the least of several counts."""
    own = [float(m[weigher.aggregate_key]) for m in host.aggregates if weigher.aggregate_key in m]
    return weigher.sign * min(own) if own else default
