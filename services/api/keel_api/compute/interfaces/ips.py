"""GET /servers/{id}/ips: the cached addresses by network."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import lookup
from keel_api.compute.servers.fields import addresses_by_network
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request


@handles("GET /servers/{server_id}/ips")
def index(req: Request) -> dict[str, Any]:
    return {"addresses": _by_network(req, "os_compute_api:ips:index")}


@handles("GET /servers/{server_id}/ips/{id}")
def show(req: Request) -> dict[str, Any]:
    label = req.path["id"]
    found = _by_network(req, "os_compute_api:ips:show")
    if label not in found:
        raise Fault(404, "Instance is not a member of specified network")
    return {label: found[label]}


def _by_network(req: Request, rule: str) -> dict[str, list[dict[str, Any]]]:
    server, _ = lookup.server_of(req, req.path["server_id"], ("network_info",))
    req.must(rule, {"project_id": server["project_id"]})
    return {label: [ip for ip, _, _ in ips] for label, ips in addresses_by_network(server).items()}
