"""The facts of 2.48 and later, null where a driver is silent (nova 34.0.0 server_diagnostics.index_response_v248)."""

from __future__ import annotations

from typing import Any

_PLAIN = (
    "state",
    "driver",
    "hypervisor",
    "hypervisor_os",
    "uptime",
    "config_drive",
    "num_cpus",
    "num_nics",
    "num_disks",
)
_LISTS = {
    "cpu_details": ("id", "time", "utilisation"),
    "disk_details": ("read_bytes", "read_requests", "write_bytes", "write_requests", "errors_count"),
    "nic_details": (
        "mac_address",
        *(f"{way}_{what}" for way in ("rx", "tx") for what in ("octets", "errors", "drop", "packets", "rate")),
    ),
}
_MEMORY = ("maximum", "used")


def shown(found: Any) -> dict[str, Any]:
    """A Diagnostics object as the API shows it."""
    body = {name: found.get(name) for name in _PLAIN}
    for name, keys in _LISTS.items():
        body[name] = [{key: each.get(key) for key in keys} for each in found.get(name) or ()]
    memory = found.get("memory_details")
    body["memory_details"] = {key: memory.get(key) if memory is not None else None for key in _MEMORY}
    return body
