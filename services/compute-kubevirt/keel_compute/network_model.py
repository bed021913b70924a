"""Nova's network model: what the info cache says about the ports of a server (nova 34.0.0 instance_info_caches).

Pure: Neutron's ports, networks, subnets and floating addresses in, a list of VIF dicts out.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def vifs(
    ports: Sequence[Mapping[str, Any]],
    networks: Iterable[Mapping[str, Any]],
    subnets: Iterable[Mapping[str, Any]],
    floating: Iterable[Mapping[str, Any]] = (),
    kept: Iterable[str] = (),
) -> list[dict]:
    """One VIF a port, in the order of `ports`. `kept` are ports that were not made by us and outlive the server."""
    by_network = {each["id"]: each for each in networks}
    by_subnet = {each["id"]: each for each in subnets}
    by_port: dict[str, list[Mapping[str, Any]]] = {}
    for each in floating:
        by_port.setdefault(each["port_id"], []).append(each)
    kept = set(kept)
    return [
        _vif(port, by_network.get(port["network_id"], {}), by_subnet, by_port.get(port["id"], []), port["id"] in kept)
        for port in ports
    ]


def _vif(
    port: Mapping[str, Any],
    network: Mapping[str, Any],
    subnets: Mapping[str, Mapping[str, Any]],
    floating: Sequence[Mapping[str, Any]],
    kept: bool,
) -> dict:
    details = port.get("binding:vif_details") or {}
    kind = port.get("binding:vif_type")
    return {
        "id": port["id"],
        "address": port["mac_address"],
        "network": _network(port, network, subnets, floating, details, kind),
        "type": kind,
        "details": details,
        "devname": f"tap{port['id']}"[:14],
        "ovs_interfaceid": port["id"] if kind == "ovs" else None,
        "qbh_params": None,
        "qbg_params": None,
        "active": port.get("status") == "ACTIVE" or not port.get("admin_state_up", True),
        "vnic_type": port.get("binding:vnic_type", "normal"),
        "profile": port.get("binding:profile") or {},
        "preserve_on_delete": kept,
        "delegate_create": True,
        "meta": {},
    }


def _network(
    port: Mapping[str, Any],
    network: Mapping[str, Any],
    subnets: Mapping[str, Mapping[str, Any]],
    floating: Sequence[Mapping[str, Any]],
    details: Mapping[str, Any],
    kind: str | None,
) -> dict:
    physical = network.get("provider:physical_network")
    return {
        "id": port["network_id"],
        "bridge": details.get("bridge_name") or ("br-int" if kind == "ovs" else None),
        "label": network.get("name"),
        "subnets": _subnets(port, subnets, floating),
        "meta": {
            "injected": False,
            "tenant_id": network.get("tenant_id") or network.get("project_id"),
            "mtu": network.get("mtu"),
            "physical_network": physical,
            "tunneled": network.get("provider:network_type") in ("vxlan", "gre", "geneve", "stt"),
        },
    }


def _subnets(
    port: Mapping[str, Any], subnets: Mapping[str, Mapping[str, Any]], floating: Sequence[Mapping[str, Any]]
) -> list[dict]:
    found: dict[str, dict] = {}
    for fixed in port.get("fixed_ips") or ():
        subnet = subnets.get(fixed["subnet_id"])
        if subnet is None:
            continue
        entry = found.setdefault(fixed["subnet_id"], _subnet(subnet))
        address = _address(fixed["ip_address"], "fixed")
        address["floating_ips"] = [
            _address(each["floating_ip_address"], "floating")
            for each in floating
            if each.get("fixed_ip_address") == fixed["ip_address"]
        ]
        entry["ips"].append(address)
    return list(found.values())


def _subnet(subnet: Mapping[str, Any]) -> dict:
    meta: dict[str, Any] = {}
    if subnet.get("ipv6_address_mode"):
        meta["ipv6_address_mode"] = subnet["ipv6_address_mode"]
    return {
        "cidr": subnet["cidr"],
        "dns": [_address(each, "dns") for each in subnet.get("dns_nameservers") or ()],
        "gateway": _address(subnet.get("gateway_ip"), "gateway"),
        "ips": [],
        "routes": [
            {
                "cidr": each["destination"],
                "gateway": _address(each["nexthop"], "gateway"),
                "interface": None,
                "meta": {},
            }
            for each in subnet.get("host_routes") or ()
        ],
        "version": subnet.get("ip_version", 4),
        "meta": meta,
    }


def _address(value: str | None, kind: str) -> dict:
    version = ipaddress.ip_address(value).version if value else None
    return {"address": value, "type": kind, "version": version, "meta": {}}
