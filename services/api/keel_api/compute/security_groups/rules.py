"""Rules of security groups: what a caller may ask, in Neutron's words, and Neutron's rules in ours (nova 34.0.0)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from keel_api.http import Fault

_ANYWHERE = {"IPv4": "0.0.0.0/0", "IPv6": "::/0"}
_PORTS = (1, 65535)
_WITH_PORTS = frozenset({"TCP", "UDP"})
_PROTOCOLS = _WITH_PORTS | {"ICMP"}
# what "no port" means where a rule of a group names a protocol alone
_OPEN = {"TCP": _PORTS, "UDP": _PORTS, "ICMP": (-1, -1)}


def wanted(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Neutron's form of the rule a caller asks for. Fault 400 says what is wrong with it."""
    protocol = asked.get("ip_protocol")
    ports: tuple[Any, Any] = asked.get("from_port"), asked.get("to_port")
    group = asked.get("group_id")
    source = {"remote_group_id": group} if group else {"remote_ip_prefix": _network(asked.get("cidr"))}
    if group and ports == (None, None) and protocol is not None:
        ports = _OPEN.get(str(protocol).upper(), ports)
    values: dict[str, Any] = {"direction": "ingress", "security_group_id": asked["parent_group_id"], **source}
    values["ethertype"] = "IPv6" if ":" in (source.get("remote_ip_prefix") or "") else "IPv4"
    if protocol is not None and None not in ports:
        return {**values, **_checked(str(protocol), *ports)}
    if not group:
        raise Fault(400, "Not enough parameters to build a valid rule.")
    return values


def _network(cidr: str | None) -> str:
    if cidr is None:
        return _ANYWHERE["IPv4"]
    try:
        if "/" not in cidr:
            raise ValueError("no prefix length")
        ipaddress.ip_network(cidr, strict=False)
    except (TypeError, ValueError):
        raise Fault(400, f"{cidr} is not a valid IP network.") from None
    return cidr


def _checked(protocol: str, first: Any, last: Any) -> dict[str, Any]:
    """Protocol and ports (type and code for ICMP) as numbers in their bounds."""
    name = protocol.upper()
    try:
        first, last = int(first), int(last)
    except (TypeError, ValueError):
        what = "Type and Code must be integers for ICMP protocol type" if name == "ICMP" else _NOT_NUMBERS
        raise Fault(400, f"Invalid input received: {what}") from None
    if name not in _PROTOCOLS:
        raise Fault(400, f"Invalid IP protocol {protocol}.")
    wrong = _wrong_range(name, first, last)
    if wrong:
        raise Fault(400, f"Invalid port range {first}:{last}. {wrong}")
    values: dict[str, Any] = {"protocol": name.lower()}
    if name != "ICMP" or first != -1:
        values["port_range_min"] = first
    if name != "ICMP" or last != -1:
        values["port_range_max"] = last
    return values


_NOT_NUMBERS = "To and From ports must be integers"


def _wrong_range(name: str, first: int, last: int) -> str | None:
    if name == "ICMP":
        fits = -1 <= first <= 255 and -1 <= last <= 255
        return None if fits else "For ICMP, the type:code must be valid"
    if first > last:
        return "Former value cannot be greater than the later"
    if first < _PORTS[0] or last > _PORTS[1]:
        return f"Valid {name} ports should be between 1-65535"
    return None


def same(rule: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a rule of Neutron says just what `values` ask."""
    keys = ("direction", "ethertype", "protocol", "port_range_min", "port_range_max", "remote_group_id")
    return all(rule.get(key) == values.get(key) for key in keys) and _source(rule) == _source(values)


def _source(rule: Mapping[str, Any]) -> str | None:
    if rule.get("remote_group_id"):
        return None
    return rule.get("remote_ip_prefix") or _ANYWHERE[rule["ethertype"]]


def shown(rule: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """A rule as this API shows it; None when it lets in a group the caller cannot see."""
    group: dict[str, Any] = {}
    network: dict[str, Any] = {}
    if rule.get("remote_group_id"):
        source = groups.get(rule["remote_group_id"])
        if source is None:
            return None
        group = {"name": source["name"], "tenant_id": source["tenant_id"]}
    else:
        network = {"cidr": _source(rule)}
    first, last = rule.get("port_range_min"), rule.get("port_range_max")
    if rule["protocol"] and first is None and last is None:
        first, last = _OPEN.get(rule["protocol"].upper(), (-1, -1))
    return {
        "id": rule["id"],
        "parent_group_id": rule["security_group_id"],
        "ip_protocol": rule["protocol"],
        "from_port": first,
        "to_port": last,
        "group": group,
        "ip_range": network,
    }
