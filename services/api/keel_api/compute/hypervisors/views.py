"""How hypervisors look (nova 34.0.0 response schemas; the resource fields leave at 2.88)."""

from __future__ import annotations

from typing import Any

import orjson

from keel_api.compute.os_services.views import state, status
from keel_api.http import ABSENT, Field, View


def _service(key: str) -> Any:
    def get(row: Any, _: Any) -> dict[str, Any]:
        service = row["service"]
        return {"id": service[key], "host": service["host"], "disabled_reason": service["disabled_reason"]}

    return get


def _servers(row: Any, _: Any) -> Any:
    """Below 2.75 a node without servers has no such key."""
    return row.get("servers") or ABSENT


def _servers_always(row: Any, _: Any) -> Any:
    return row.get("servers", ABSENT)


def _cpu_info(row: Any, _: Any) -> Any:
    return orjson.loads(row["cpu_info"]) if row["cpu_info"] else {}


_SHORT = [
    Field("id", "id", until="2.52"),
    Field("id", "uuid", since="2.53"),
    Field("hypervisor_hostname", "hypervisor_hostname"),
    Field("state", lambda row, _: state(row["service"])),
    Field("status", lambda row, _: status(row["service"])),
    Field("servers", _servers, until="2.74", optional=True),
    Field("servers", _servers_always, since="2.75", optional=True),
]
RESOURCES = (
    "vcpus",
    "memory_mb",
    "local_gb",
    "vcpus_used",
    "memory_mb_used",
    "local_gb_used",
    "free_ram_mb",
    "free_disk_gb",
    "current_workload",
    "running_vms",
    "disk_available_least",
)
INDEX = View("hypervisors", _SHORT)
UPTIME = View("hypervisor uptime", [*_SHORT, Field("uptime", "uptime")])
DETAIL = View(
    "hypervisor",
    [
        *_SHORT,
        Field("hypervisor_type", "hypervisor_type"),
        Field("hypervisor_version", "hypervisor_version"),
        Field("host_ip", "host_ip"),
        Field("service", _service("id"), until="2.52"),
        Field("service", _service("uuid"), since="2.53"),
        *(Field(name, name, until="2.87") for name in RESOURCES),
        Field("cpu_info", lambda row, _: row["cpu_info"] or "", until="2.27"),
        Field("cpu_info", _cpu_info, since="2.28", until="2.87"),
        Field("uptime", "uptime", since="2.88"),
    ],
)
