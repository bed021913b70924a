"""Gathers what a view of servers needs beside the rows: allowed fields, security groups, request specs, groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_api.compute.servers.fields import Scope
from keel_api.compute.servers.views import FLAVOR_SPECS, HOST_STATUS, HOST_STATUS_UNKNOWN
from keel_api.http.request import Request
from keel_api.http.view import View
from keel_common.db import now
from keel_common.db.stores.nova import servers_found

_PORTS_A_REQUEST = 150  # ids in one query of the network API keep its URL below 8 kB


def allowed_fields(req: Request, view: View, target: Mapping[str, Any] | None = None) -> frozenset[str]:
    """The policy rules of a view that the caller has; the rule for every host status makes the narrow one moot."""
    allowed = req.allowed(view.policies, target)
    return allowed - {HOST_STATUS_UNKNOWN} if HOST_STATUS in allowed else allowed


def scope_of(req: Request, target: Mapping[str, Any] | None = None) -> Scope:
    """An empty scope of a request; `target` is the policy target of the flavor's extra specs."""
    conf = req.services.conf
    return Scope(
        req=req,
        name_template=conf.instance_name_template,
        now=now(),
        down_after=conf.service_down_time,
        flavor_specs=req.at_least(2, 47) and req.can(FLAVOR_SPECS, target),
    )


def add_specs(req: Request, scope: Scope, uuids: Iterable[str]) -> None:
    """Read the request specs that the version shows (from 2.96), in one statement."""
    wanted = list(uuids)
    if wanted and req.at_least(2, 96):
        scope.specs.update(req.services.cells.api.read(servers_found.specs, wanted))


def add_security_groups(req: Request, scope: Scope, servers: Iterable[Mapping[str, Any]]) -> None:
    """Ask the network service for the security groups of the servers that have a port.

    Raises what the client raises: without an answer nobody knows the groups.
    """
    uuids = [server["uuid"] for server in servers if server["network_info"]]
    neutron = req.services.clients.neutron
    bound: dict[str, list[str]] = {}
    for start in range(0, len(uuids), _PORTS_A_REQUEST):
        ports = neutron.list_ports(
            req.context, device_id=uuids[start : start + _PORTS_A_REQUEST], fields=["device_id", "security_groups"]
        )
        for port in ports:
            bound.setdefault(port["device_id"], []).extend(port.get("security_groups", ()))
    ids = sorted({group for groups in bound.values() for group in groups})
    names: dict[str, str] = {}
    for start in range(0, len(ids), _PORTS_A_REQUEST):
        part = ids[start : start + _PORTS_A_REQUEST]
        for group in neutron.list_security_groups(req.context, id=part, fields=["id", "name"]):
            names[group["id"]] = group["name"] or group["id"]
    for uuid, groups in bound.items():
        scope.security_groups[uuid] = [{"name": names.get(group, group)} for group in dict.fromkeys(groups)]
