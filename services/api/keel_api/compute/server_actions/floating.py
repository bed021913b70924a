"""Floating IPs of servers as Neutron has them, and as the record of a server repeats them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request

Ports = list[dict[str, Any]]


def by_address(req: Request, address: str) -> dict[str, Any]:
    """The floating IP of an address; 404 without one, 409 when there are several."""
    found = req.services.clients.neutron.list_floating_ips(req.context, floating_ip_address=address)
    if not found:
        raise Fault(404, f"Floating IP not found for address {address}.")
    if len(found) > 1:
        raise Fault(409, f"Multiple floating IPs are found for address {address}.")
    return found[0]


def server_of(req: Request, floating_ip: dict[str, Any]) -> str | None:
    """The server whose port a floating IP leads to."""
    if not floating_ip.get("port_id"):
        return None
    ports = req.services.clients.neutron.list_ports(req.context, id=floating_ip["port_id"])
    return (ports[0]["device_id"] or None) if ports else None


def port_of(req: Request, server: str, fixed: str) -> dict[str, Any] | None:
    """The port of a server that has a fixed address."""
    for port in req.services.clients.neutron.list_ports(req.context, device_id=server):
        if any(ip["ip_address"] == fixed for ip in port["fixed_ips"]):
            return port
    return None


def fixed_ips(network_info: Ports) -> Iterator[dict[str, Any]]:
    """The fixed addresses in the record of a server's ports."""
    for port in network_info:
        for subnet in port["network"]["subnets"]:
            yield from (ip for ip in subnet["ips"] if ip["type"] == "fixed")


def with_floating(network_info: Ports, fixed: str, address: str) -> Ports:
    """The record with a floating IP at a fixed one, and nowhere else."""
    changed = without_floating(network_info, address)
    for ip in fixed_ips(changed):
        if ip["address"] == fixed:
            version = 6 if ":" in address else 4
            row = {"address": address, "type": "floating", "version": version, "meta": {}}
            ip["floating_ips"] = [*ip.get("floating_ips", ()), row]
    return changed


def without_floating(network_info: Ports, address: str) -> Ports:
    """The record without a floating IP."""
    changed = copy.deepcopy(network_info)
    for ip in fixed_ips(changed):
        ip["floating_ips"] = [each for each in ip.get("floating_ips", ()) if each["address"] != address]
    return changed
