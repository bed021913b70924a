"""The hosts that actions of servers are about: are they there, are they up, which node have they."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import hosts, servers_boot, services

COMPUTE = "nova-compute"


def is_up(req: Request, cell: Cell, host: str | None) -> bool:
    """Whether the nova-compute of a host was heard of lately and is not forced down."""
    row = cell.db.read(services.by_host_and_binary, host, COMPUTE) if host else None
    return row is not None and services.is_up(row, req.services.conf.service_down_time)


def has_compute(req: Request, host: str) -> bool:
    """Whether some cell knows a nova-compute of that host."""
    return any(cell.db.read(services.by_host_and_binary, host, COMPUTE) for cell in req.services.cells.working())


def first_node(req: Request, host: str, cell: Cell | None = None) -> dict[str, Any] | None:
    """uuid, host and hypervisor_hostname of a node of a host, looked for in a cell or in all; None without one."""
    for each in [cell] if cell is not None else req.services.cells.working():
        found = each.db.read(hosts.find_node, host, None)
        if found:
            return dict(found[0])
    return None


def lowest_version(req: Request) -> int | None:
    """The lowest service version among the computes of all cells; None when there are none."""
    found = [
        versions[COMPUTE]
        for cell in req.services.cells.working()
        if COMPUTE in (versions := cell.db.read(services.minimum_versions, [COMPUTE]))
    ]
    return min(found, default=None)


def zone_of(req: Request, host: str) -> str:
    """The availability zone a host is in."""
    zones = req.services.cells.api.read(servers_boot.zones_of_hosts)
    return zones.get(host, req.services.conf.default_availability_zone)


def open_zones(req: Request) -> set[str]:
    """The availability zones of the hosts whose nova-compute is enabled."""
    zones = req.services.cells.api.read(servers_boot.zones_of_hosts)
    default = req.services.conf.default_availability_zone
    return {
        zones.get(host, default)
        for cell in req.services.cells.working()
        for host in cell.db.read(servers_boot.enabled_hosts)
    }
