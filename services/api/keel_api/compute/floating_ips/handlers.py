"""``os-floating-ips`` and their pools, up to 2.35: floating IPs of Neutron, pools are its external networks."""

from __future__ import annotations

from typing import Any

from keel_api.compute.peers import own_project, refusing
from keel_api.http import Fault, Field, Request, View, handles

_RULE = "os_compute_api:os-floating-ips"

FLOATING_IP = View(
    "floating IP",
    [
        Field("fixed_ip", "fixed_ip_address"),
        Field("id", "id"),
        Field("instance_id", "device_id"),
        Field("ip", "floating_ip_address"),
        Field("pool", "pool"),
    ],
)


@handles("GET /os-floating-ip-pools")
def pools(req: Request) -> dict[str, Any]:
    """Names of the networks that give floating IPs."""
    req.must("os_compute_api:os-floating-ip-pools", {})
    names = ({"name": _pool_name(network)} for network in _external(req))
    return {"floating_ip_pools": list(names)}


@handles("GET /os-floating-ips")
def index(req: Request) -> dict[str, Any]:
    """The floating IPs of the caller's project."""
    req.must(f"{_RULE}:list", own_project(req))
    rows = req.services.clients.neutron.list_floating_ips(req.context, tenant_id=req.context.project_id)
    return {"floating_ips": FLOATING_IP.render(req.version, (), _with_servers(req, rows))}


@handles("GET /os-floating-ips/{id}")
def show(req: Request) -> dict[str, Any]:
    """One floating IP."""
    req.must(f"{_RULE}:show", own_project(req))
    row = _floating_ip(req)
    return {"floating_ip": FLOATING_IP.one(req.version, (), _with_servers(req, [row])[0])}


@handles("POST /os-floating-ips")
def create(req: Request) -> dict[str, Any]:
    """Take a floating IP of a pool; of the operator's default pool when none is named."""
    req.must(f"{_RULE}:create", own_project(req))
    wanted = (req.body or {}).get("pool") or req.services.conf.neutron.default_floating_pool
    pool = next((net for net in _external(req) if wanted in (net["id"], net["name"])), None)
    if pool is None:
        raise Fault(404, "Floating IP pool not found.")
    with refusing({400: 400, 403: 403, 404: 404, 409: 403}):
        row = req.services.clients.neutron.create_floating_ip(pool["id"], req.context)
    return {"floating_ip": FLOATING_IP.one(req.version, (), {**row, "device_id": None, "pool": _pool_name(pool)})}


@handles("DELETE /os-floating-ips/{id}")
def delete(req: Request) -> None:
    """Give a floating IP back, from its server first when it is at one."""
    req.must(f"{_RULE}:delete", own_project(req))
    row = _floating_ip(req)
    with refusing({403: 403, 404: 404, 409: 409}):
        req.services.clients.neutron.delete_floating_ip(row["id"], req.context)


def _floating_ip(req: Request) -> dict[str, Any]:
    key = req.path["id"]
    with refusing({404: 404}, f"Floating IP not found for ID {key}"):
        return req.services.clients.neutron.show_floating_ip(key, req.context)


def _external(req: Request) -> list[dict[str, Any]]:
    return req.services.clients.neutron.list_networks(req.context, **{"router:external": True})


def _pool_name(network: dict[str, Any]) -> str:
    return network["name"] or network["id"]


def _with_servers(req: Request, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the name of their pool and the server whose port they lead to; two requests for any number."""
    ids = [row["port_id"] for row in rows if row.get("port_id")]
    ports = req.services.clients.neutron.list_ports(req.context, id=ids) if ids else []
    servers = {port["id"]: port["device_id"] or None for port in ports}
    names = {network["id"]: _pool_name(network) for network in _external(req)} if rows else {}
    return [
        {
            **row,
            "device_id": servers.get(row.get("port_id")),
            "pool": names.get(row["floating_network_id"], row["floating_network_id"]),
        }
        for row in rows
    ]
