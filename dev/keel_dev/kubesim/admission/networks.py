"""The rules for networks and interfaces of a machine's template."""

from __future__ import annotations

import re
from typing import Any

from ..errors import cause
from ..metadata import is_dns_label

Causes = list[dict[str, str]]

MODELS = ("e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio")
BINDINGS = ("bridge", "masquerade", "sriov", "slirp", "macvtap", "passt", "passtBinding", "binding")
_INTERFACE = re.compile(r"[A-Za-z0-9_-]+")
_MAC = re.compile(r"([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}")


def check_networks(spec: dict[str, Any], at: str) -> Causes:
    """What the webhooks refuse of networks and interfaces; each network is used by exactly one interface."""
    causes: Causes = []
    interfaces = (spec["domain"].get("devices") or {}).get("interfaces") or []
    networks = spec.get("networks") or []
    names = [network["name"] for network in networks]
    used: set[str] = set()
    for index, network in enumerate(networks):
        field = f"{at}.networks[{index}]"
        if not is_dns_label(network["name"]):
            causes.append(cause("Invalid", f"{field}.name", f"Network name must be a DNS label: {network['name']}"))
        if names.count(network["name"]) > 1 and names.index(network["name"]) != index:
            causes.append(
                cause(
                    "Duplicate",
                    f"{field}.name",
                    f'Network with name "{network["name"]}" already exists, every network must have a unique name',
                )
            )
        if sum(kind in network for kind in ("pod", "multus")) != 1:
            causes.append(
                cause(
                    "Required",
                    field,
                    "should have a network type"
                    if not ({"pod", "multus"} & set(network))
                    else "should have only one network type",
                )
            )
        elif "multus" in network and not network["multus"].get("networkName"):
            causes.append(cause("Required", field, "CNI delegating plugin must have a networkName"))
        if network["name"] not in {row["name"] for row in interfaces}:
            causes.append(cause("Required", field, f"{field}.name '{network['name']}' not found."))
    for index, row in enumerate(interfaces):
        causes += _interface(row, f"{at}.domain.devices.interfaces[{index}]", names, used)
    return causes


def _interface(row: dict[str, Any], field: str, networks: list[str], used: set[str]) -> Causes:
    causes = []
    name = row["name"]
    if not _INTERFACE.fullmatch(name):
        causes.append(
            cause(
                "Invalid",
                f"{field}.name",
                (
                    "Network interface name can only contain alphabetical characters, numbers, dashes (-) or "
                    "underscores (_)"
                ),
            )
        )
    if name in used:
        causes.append(
            cause("Duplicate", f"{field}.name", "Only one interface can be connected to one specific network")
        )
    elif name not in networks:
        causes.append(cause("Invalid", f"{field}.name", f"{field}.name '{name}' not found."))
    used.add(name)
    bindings = [kind for kind in BINDINGS if row.get(kind) is not None]
    if len(bindings) > 1:
        causes.append(cause("Invalid", field, f"logical {name} interface cannot have more than one binding"))
    if row.get("model") not in (None, "", *MODELS):
        causes.append(
            cause(
                "NotSupported",
                f"{field}.model",
                f"interface {field}.name uses model {row['model']} that is not supported.",
            )
        )
    mac = row.get("macAddress")
    if mac and (not _MAC.fullmatch(mac) or int(mac[:2], 16) & 1):
        causes.append(
            cause("Invalid", f"{field}.macAddress", f"interface {field}.name has malformed MAC address ({mac}).")
        )
    if row.get("state") not in (None, "", "up", "down", "absent"):
        causes.append(
            cause("Invalid", f"{field}.state", f"logical {name} interface state value is unsupported: {row['state']}")
        )
    return causes
