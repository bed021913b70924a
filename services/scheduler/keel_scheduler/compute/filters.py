"""The filters: may this host take this server. One row per name that ``[filter_scheduler]enabled_filters`` may list.

Names and rules: nova 34.0.0 scheduler/filters. ``on_rebuild``: the filters that
may still refuse when a rebuild is validated on its own host.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oslo_config import cfg

from keel_scheduler.compute.hosts import HostState
from keel_scheduler.compute.request import Request
from keel_scheduler.operators import satisfies

Check = Callable[[HostState, Request], bool]


@dataclass(frozen=True)
class Filter:
    """A named check."""

    name: str
    check: Check
    on_rebuild: bool = False


class UnknownFilter(ValueError):
    """enabled_filters names something that is not built here."""


def select(conf: cfg.ConfigOpts) -> list[Filter]:
    """The filters that a configuration enables, in its order; UnknownFilter for a name we do not have."""
    known = _available(conf)
    chosen = []
    for name in conf.filter_scheduler.enabled_filters:
        if name not in known:
            raise UnknownFilter(
                f"[filter_scheduler]enabled_filters: {name} is not available; known: {', '.join(known)}"
            )
        chosen.append(known[name])
    return chosen


def run(
    filters: Iterable[Filter], hosts: list[HostState], request: Request
) -> tuple[list[HostState], list[tuple[str, int, int]]]:
    """Hosts that pass all, and (name, before, after) of every filter that ran."""
    counts = []
    for item in filters:
        if request.check_rebuild and not item.on_rebuild:
            continue
        before = len(hosts)
        hosts = [host for host in hosts if item.check(host, request)]
        counts.append((item.name, before, len(hosts)))
        if not hosts:
            break
    return hosts, counts


def _compute(host: HostState, request: Request) -> bool:
    return host.up and not host.disabled


def _capabilities(host: HostState, request: Request) -> bool:
    """Unscoped extra specs and those of the scope ``capabilities`` must be met by the host."""
    for key, wanted in request.extra_specs.items():
        path = key.split(":")
        if len(path) > 1:
            if path[0] != "capabilities":
                continue
            path = path[1:]
        if path[0] == "group_policy":
            continue
        if not satisfies(_capability(host, path), wanted):
            return False
    return True


def _capability(host: HostState, path: list[str]) -> str | None:
    value = getattr(host, path[0], None)
    if value is None:
        value = host.stats.get(path[0])
    for name in path[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return None if value is None else str(value)


def _image(host: HostState, request: Request) -> bool:
    wanted = [request.image.get(name) for name in ("hw_architecture", "img_hv_type", "hw_vm_mode")]
    if not any(wanted) or not host.supported_instances:
        return not any(wanted)
    return any(
        all(not want or str(want).lower() == str(have).lower() for want, have in zip(wanted, offer, strict=False))
        for offer in host.supported_instances
    )


def _anti_affinity(host: HostState, request: Request) -> bool:
    group = request.group
    if group is None or group.policy != "anti-affinity":
        return True
    limit = group.max_server_per_host or 1
    return len(group.members & host.instances) < limit


def _affinity(host: HostState, request: Request) -> bool:
    group = request.group
    if group is None or group.policy != "affinity" or not group.hosts:
        return True
    return host.host in group.hosts


def _same_host(host: HostState, request: Request) -> bool:
    wanted = request.hints.get("same_host")
    return not wanted or bool(host.instances & set(wanted))


def _different_host(host: HostState, request: Request) -> bool:
    unwanted = request.hints.get("different_host")
    return not unwanted or not host.instances & set(unwanted)


def _io_ops(limit: int) -> Check:
    return lambda host, request: host.io_ops < limit


def _num_instances(limit: int) -> Check:
    return lambda host, request: len(host.instances) < limit


def _tenancy(host: HostState, request: Request) -> bool:
    """A host in an aggregate with filter_tenant_id takes only those projects."""
    allowed = [
        project.strip()
        for metadata in host.aggregates
        for key, value in metadata.items()
        if key.startswith("filter_tenant_id")
        for project in value.split(",")
    ]
    return not allowed or request.project_id in allowed


def _aggregate_specs(host: HostState, request: Request) -> bool:
    scope = "aggregate_instance_extra_specs:"
    for key, wanted in request.extra_specs.items():
        if ":" in key and not key.startswith(scope):
            continue
        name = key.removeprefix(scope)
        values = [v for metadata in host.aggregates if name in metadata for v in metadata[name].split(",")]
        if not any(satisfies(value.strip(), wanted) for value in values):
            return False
    return True


def _cidr(host: HostState, request: Request) -> bool:
    near = request.hints.get("build_near_host_ip")
    if not near:
        return True
    prefix = (request.hints.get("cidr") or ["/24"])[0]
    address = host.stats.get("host_ip")
    return address is not None and ipaddress.ip_address(address) in ipaddress.ip_network(near[0] + prefix, strict=False)


def _available(conf: cfg.ConfigOpts) -> dict[str, Filter]:
    """Every filter by name; those with a limit take it from the configuration."""
    options = conf.filter_scheduler
    filters = (
        Filter("AllHostsFilter", lambda host, request: True),
        Filter("ComputeFilter", _compute),
        Filter("ComputeCapabilitiesFilter", _capabilities),
        Filter("ImagePropertiesFilter", _image, on_rebuild=True),
        Filter("ServerGroupAntiAffinityFilter", _anti_affinity),
        Filter("ServerGroupAffinityFilter", _affinity),
        Filter("SameHostFilter", _same_host),
        Filter("DifferentHostFilter", _different_host),
        Filter("SimpleCIDRAffinityFilter", _cidr),
        Filter("IoOpsFilter", _io_ops(options.max_io_ops_per_host)),
        Filter("NumInstancesFilter", _num_instances(options.max_instances_per_host)),
        Filter("AggregateMultiTenancyIsolation", _tenancy),
        Filter("AggregateInstanceExtraSpecsFilter", _aggregate_specs),
    )
    return {item.name: item for item in filters}
