"""Addresses of a server up to 2.43: addFixedIp, removeFixedIp, addFloatingIp, removeFloatingIp."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from keel_api.compute.peers import refusing
from keel_api.compute.server_actions import begin, floating
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.plain import BARE
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.db.stores.nova import servers_move
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_PROJECT = ("project_id",)


@handles("POST /servers/{id}/action #addFixedIp")
def add_fixed_ip(req: Request) -> None:
    """Another fixed address out of a network; the host sees to it."""
    server, cell = _locked(req, "add")
    req.services.rpc(COMPUTE, cell).send(
        req.context, "add_fixed_ip_to_instance", network_id=req.args["networkId"], instance=wire.instance(server)
    )


@handles("POST /servers/{id}/action #removeFixedIp")
def remove_fixed_ip(req: Request) -> None:
    """Take a fixed address away; the host sees to it."""
    server, cell = _locked(req, "remove")
    req.services.rpc(COMPUTE, cell).send(
        req.context, "remove_fixed_ip_from_instance", address=req.args["address"], instance=wire.instance(server)
    )


def _locked(req: Request, what: str) -> tuple[dict[str, Any], Cell]:
    """The server, unless it is locked (409, where nova 34.0.0 answers 500) or has no host to see to it."""
    server, cell = begin.server_for(req, req.path["id"], f"os_compute_api:os-multinic:{what}", _PROJECT)
    begin.check(req, server, f"{what}_fixed_ip", f"{what}FixedIp", cell)
    home = begin.in_cell(server, cell)
    if not server["host"]:
        raise begin.not_ready(server["uuid"])
    return server, home


@handles("POST /servers/{id}/action #addFloatingIp")
def add_floating_ip(req: Request) -> Response:
    """Let a floating IP lead to a fixed IPv4 address of the server, the first one unless one is named."""
    asked = req.args
    address, fixed = asked["address"], asked.get("fixed_address")
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-floating-ips:add", _PROJECT)
    network_info = server["network_info"]
    if not network_info:
        raise Fault(400, "Instance network is not ready yet")
    fixed = _fixed(network_info, address, fixed)
    neutron = req.services.clients.neutron
    port = floating.port_of(req, server["uuid"], fixed)
    if port is None:
        raise Fault(400, "l3driver call to add floating IP failed")
    row = floating.by_address(req, address)
    values = {"port_id": port["id"], "fixed_ip_address": fixed}
    with refusing({403: 403}), refusing(dict.fromkeys((400, 404, 409), 400)):
        neutron.update_floating_ip(row["id"], values, req.context)
    _remember(server, cell, floating.with_floating(network_info, fixed, address))
    return Response(headers={"Content-Type": BARE})


def _fixed(network_info: list[dict[str, Any]], address: str, wanted: str | None) -> str:
    """The fixed address a floating IP is to lead to; 400 when the server has none that will do."""
    fixed = [ip["address"] for ip in floating.fixed_ips(network_info)]
    if not fixed:
        raise Fault(400, "No fixed IPs associated to instance")
    if wanted is not None:
        if wanted not in fixed:
            raise Fault(400, "Specified fixed address not assigned to instance")
        return wanted
    for each in fixed:
        if ipaddress.ip_address(each).version == 4:
            return each
    raise Fault(
        400,
        f"Unable to associate floating IP {address} to any fixed IPs for instance. Instance has no fixed IPv4 addresses"
        " to associate.",
    )


@handles("POST /servers/{id}/action #removeFloatingIp")
def remove_floating_ip(req: Request) -> Response:
    """Let a floating IP no longer lead to the server; 409 when it does not."""
    address = req.args["address"]
    row = floating.by_address(req, address)
    owner = floating.server_of(req, row)
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-floating-ips:remove", _PROJECT)
    if owner != server["uuid"]:
        raise Fault(409, f"Floating IP {address} is not associated with instance {server['uuid']}.")
    with refusing({403: 403, 404: 404, 409: 409}):
        req.services.clients.neutron.update_floating_ip(row["id"], {"port_id": None}, req.context)
    _remember(server, cell, floating.without_floating(server["network_info"], address))
    return Response(headers={"Content-Type": BARE})


def _remember(server: Mapping[str, Any], cell: Cell | None, network_info: list[dict[str, Any]]) -> None:
    """What answers show of a server comes from its record, not from the network service."""
    if cell is not None:
        cell.db.run(servers_move.save_network_info, server["uuid"], network_info)
