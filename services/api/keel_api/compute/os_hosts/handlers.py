"""``os-hosts``, up to 2.42: hosts with their services and resources, and orders to a host (nova 34.0.0)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keel_api.compute.hosts import COMPUTE, all_services, seen
from keel_api.http import Fault, Request, handles
from keel_common.db import Cell
from keel_common.db.stores.nova import aggregates, cell_mappings, compute_nodes, hosts, services
from keel_contract.errors import RemoteFault, RpcTimeout
from keel_contract.nova.interfaces import COMPUTE as COMPUTE_RPC

_RULE = "os_compute_api:os-hosts"
_MEASURES = ("cpu", "memory_mb", "disk_gb")
_REFUSALS = {"NotImplementedError": 501, "HostNotFound": 404, "ComputeHostNotFound": 404, "UnsupportedVirtType": 400}


@handles("GET /os-hosts")
def index(req: Request) -> dict[str, Any]:
    """Hosts of the enabled services, one line for each service."""
    req.must(f"{_RULE}:list", {})
    rows = [row for row in all_services(req) if not row["disabled"]]
    zone = req.query.get("zone")
    if zone:
        rows = [row for row in rows if row["zone"] == zone]
    return {"hosts": [{"host_name": row["host"], "service": row["topic"], "zone": row["zone"]} for row in rows]}


@handles("GET /os-hosts/{id}")
def show(req: Request) -> dict[str, Any]:
    """What a host has, what is in use, and what the servers of each project were promised."""
    req.must(f"{_RULE}:show", {})
    name = req.path["id"]
    cell = _cell(req, name)
    nodes = cell.db.read(compute_nodes.listing, host=name)
    if not nodes:
        raise Fault(404, f"Compute host {name} could not be found.")
    node = nodes[0]
    promised = cell.db.read(hosts.promised, name)
    lines = [
        ("(total)", (node["vcpus"], node["memory_mb"], node["local_gb"])),
        ("(used_now)", (node["vcpus_used"], node["memory_mb_used"], node["local_gb_used"])),
        ("(used_max)", tuple(sum(sums) for sums in zip(*promised.values(), strict=True)) or (0, 0, 0)),
        *promised.items(),
    ]
    return {"host": [{"resource": _resource(name, project, values)} for project, values in lines]}


def _resource(host: str, project: str, values: tuple[int, ...]) -> dict[str, Any]:
    return {"host": host, "project": project, **dict(zip(_MEASURES, values, strict=True))}


@handles("PUT /os-hosts/{id}")
def update(req: Request) -> dict[str, Any]:
    """Enable or disable a host, or take it into or out of maintenance; what the host answers is shown."""
    req.must(f"{_RULE}:update", {})
    name, answer = req.path["id"], {"host": req.path["id"]}
    status, maintenance = (req.body.get(key) for key in ("status", "maintenance_mode"))
    cell = _cell(req, name)
    if status is not None:
        enabled = status.lower() == "enable"
        answer["status"] = _told(lambda: _send(req, cell, "set_host_enabled", server=name, enabled=enabled))
    if maintenance is not None:
        on = maintenance.lower() == "enable"
        _must_be_up(req, cell, name)
        answer["maintenance_mode"] = _told(
            lambda: _send(req, cell, "host_maintenance_mode", server=name, host=name, mode=on)
        )
    return answer


@handles("GET /os-hosts/{id}/reboot")
def reboot(req: Request) -> dict[str, Any]:
    """Reboot a host."""
    return _power(req, "reboot", "reboot")


@handles("GET /os-hosts/{id}/shutdown")
def shutdown(req: Request) -> dict[str, Any]:
    """Shut a host down."""
    return _power(req, "shutdown", "shutdown")


@handles("GET /os-hosts/{id}/startup")
def startup(req: Request) -> dict[str, Any]:
    """Start a host."""
    return _power(req, "startup", "start")


def _power(req: Request, action: str, rule: str) -> dict[str, Any]:
    req.must(f"{_RULE}:{rule}", {})
    name = req.path["id"]
    cell = _cell(req, name)
    _must_be_up(req, cell, name)
    return {
        "host": name,
        "power_action": _told(lambda: _send(req, cell, "host_power_action", server=name, action=action)),
    }


def _cell(req: Request, host: str) -> Cell:
    mapping = req.services.cells.api.read(cell_mappings.host, host)
    if mapping is None or mapping["cell"] is None:
        raise Fault(404, f"Host '{host}' is not mapped to any cell")
    cell = req.services.cells.get(mapping["cell"]["uuid"])
    if cell.db.read(services.by_host_and_binary, host, COMPUTE) is None:
        raise Fault(404, f"Compute host {host} could not be found.")
    return cell


def _must_be_up(req: Request, cell: Cell, host: str) -> None:
    row = cell.db.read(services.by_host_and_binary, host, COMPUTE)
    zones = req.services.cells.api.read(aggregates.zones)
    if row is None or not seen(req, row, cell, zones)["up"]:
        raise _unavailable(host)


def _unavailable(host: str) -> Fault:
    return Fault(400, f"Compute service of {host} is unavailable at this time.")


def _send(req: Request, cell: Cell, method: str, *, server: str, **args: Any) -> Any:
    try:
        return req.services.rpc(COMPUTE_RPC, cell).send(req.context, method, server=server, **args)
    except RpcTimeout:
        raise _unavailable(server) from None


def _told(send: Callable[[], Any]) -> Any:
    """What a host answers; what it refuses as the recorded code."""
    try:
        return send()
    except RemoteFault as fault:
        if fault.class_name not in _REFUSALS:
            raise
        words = "Virt driver does not implement host actions." if fault.class_name == "NotImplementedError" else None
        raise Fault(_REFUSALS[fault.class_name], words or fault.message) from None
