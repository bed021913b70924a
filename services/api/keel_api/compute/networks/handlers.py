"""``os-networks`` and ``os-tenant-networks``, up to 2.35: what Neutron has, in the shape of networks of long ago."""

from __future__ import annotations

from typing import Any

from keel_api.compute.networks.views import NETWORK, TENANT_NETWORK
from keel_api.compute.peers import own_project, refusing
from keel_api.http import Request, handles

_RULE = "os_compute_api:os-networks"
_TENANT_RULE = "os_compute_api:os-tenant-networks"


@handles("GET /os-networks")
def index(req: Request) -> dict[str, Any]:
    """The networks the caller sees at Neutron."""
    req.must(f"{_RULE}:list", own_project(req))
    return {"networks": NETWORK.render(req.version, _seen(req), _networks(req))}


@handles("GET /os-networks/{id}")
def show(req: Request) -> dict[str, Any]:
    """One network."""
    req.must(f"{_RULE}:show", own_project(req))
    return {"network": NETWORK.one(req.version, _seen(req), _network(req))}


@handles("GET /os-tenant-networks")
def tenant_index(req: Request) -> dict[str, Any]:
    """The same networks with less said of them."""
    req.must(f"{_TENANT_RULE}:list", own_project(req))
    return {"networks": TENANT_NETWORK.render(req.version, (), _networks(req))}


@handles("GET /os-tenant-networks/{id}")
def tenant_show(req: Request) -> dict[str, Any]:
    """One network with less said of it."""
    req.must(f"{_TENANT_RULE}:show", own_project(req))
    return {"network": TENANT_NETWORK.one(req.version, (), _network(req))}


def _seen(req: Request) -> tuple[str, ...]:
    return NETWORK.ADMIN if req.context.is_admin else ()


def _networks(req: Request) -> list[dict[str, Any]]:
    return req.services.clients.neutron.list_networks(req.context)


def _network(req: Request) -> dict[str, Any]:
    with refusing({404: 404}, "Network not found"):
        return req.services.clients.neutron.show_network(req.path["id"], req.context)
