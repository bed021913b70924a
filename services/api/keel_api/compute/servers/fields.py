"""How each field of a server is made from its row; the getters of the views."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import ABSENT
from keel_common.domain.server.status import host_status, shows_fault, shows_progress, status_of

_NOT_PROPERTIES = frozenset({"image_base_image_ref", "image_min_ram", "image_min_disk", "image_disk_format"})
_NOT_PROPERTIES |= {"image_container_format"}
Server = dict[str, Any]


@dataclass
class Scope:
    """What the getters need beside the row.

    `security_groups` and `specs` (request spec fields) and `groups` (server group uuids) are by server uuid.
    """

    req: Request
    name_template: str
    now: datetime
    down_after: int
    flavor_specs: bool
    security_groups: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)


def links(server: Server, scope: Scope) -> list[dict[str, str]]:
    return scope.req.links.pair("servers", server["uuid"])


def status(server: Server, scope: Scope | None = None) -> str:
    return status_of(server["vm_state"], server["task_state"], bool(server["deleted"]))


def unknown(server: Server, scope: Scope) -> str:
    """The status of a server whose cell does not answer."""
    return "UNKNOWN"


def power_unknown(server: Server, scope: Scope) -> int:
    """The power state of a server whose cell does not answer."""
    return 0


def progress(server: Server, scope: Scope) -> Any:
    return (server["progress"] or 0) if shows_progress(status(server)) else ABSENT


def fault(server: Server, scope: Scope) -> Any:
    found = server["fault"]
    if found is None or not shows_fault(status(server)):
        return ABSENT
    shown = {"code": found["code"], "created": moment(found["created_at"]), "message": found["message"]}
    if found["details"] and (found["code"] != 500 or scope.req.context.is_admin):
        shown["details"] = found["details"]
    return shown


def created(server: Server, scope: Scope) -> str | None:
    return moment(server["created_at"])


def updated(server: Server, scope: Scope) -> str | None:
    return moment(server["updated_at"] or server["created_at"])


def moment(value: datetime | None) -> str | None:
    """A time to the second, as the compute API writes it."""
    return f"{value.isoformat(timespec='seconds')}Z" if value else None


def launched_at(server: Server, scope: Scope) -> str | None:
    return _fraction(server["launched_at"])


def terminated_at(server: Server, scope: Scope) -> str | None:
    return _fraction(server["terminated_at"])


def _fraction(value: datetime | None) -> str | None:
    return value.isoformat(timespec="microseconds") if value else None


@lru_cache(maxsize=4096)
def host_id_of(project_id: str, host: str) -> str:
    """The name of a host that a project sees: it tells neighbours apart and nothing else."""
    return hashlib.sha224((project_id + host).encode()).hexdigest()


def host_id(server: Server, scope: Scope) -> str:
    return host_id_of(server["project_id"], server["host"]) if server["host"] else ""


def disk_config(server: Server, scope: Scope) -> str:
    return "AUTO" if server["auto_disk_config"] else "MANUAL"


def access_ip_v4(server: Server, scope: Scope) -> str:
    return str(server["access_ip_v4"] or "")


def access_ip_v6(server: Server, scope: Scope) -> str:
    return str(server["access_ip_v6"] or "")


def image(server: Server, scope: Scope) -> Any:
    ref = server["image_ref"]
    return {"id": ref, "links": _bookmark(scope, "images", ref)} if ref else ""


def image_with_properties(server: Server, scope: Scope) -> Any:
    shown = image(server, scope)
    if shown:
        shown["properties"] = {
            key[len("image_") :]: value
            for key, value in server["system_metadata"].items()
            if key.startswith("image_") and key not in _NOT_PROPERTIES
        }
    return shown


def flavor_link(server: Server, scope: Scope) -> dict[str, Any]:
    ref = server["flavor"]["flavorid"]
    return {"id": ref, "links": _bookmark(scope, "flavors", ref)}


def flavor_embedded(server: Server, scope: Scope) -> dict[str, Any]:
    flavor = server["flavor"]
    shown = {
        "vcpus": flavor["vcpus"],
        "ram": flavor["memory_mb"],
        "disk": flavor["root_gb"],
        "ephemeral": flavor["ephemeral_gb"],
        "swap": flavor["swap"],
        "original_name": flavor["name"],
    }
    if scope.flavor_specs:
        shown["extra_specs"] = flavor["extra_specs"]
    return shown


def _bookmark(scope: Scope, *parts: str) -> list[dict[str, str]]:
    return [{"rel": "bookmark", "href": scope.req.links.bookmark(*parts)}]


def addresses(server: Server, scope: Scope) -> dict[str, list[dict[str, Any]]]:
    if server["vm_state"] == "building":
        return {}
    return {
        label: [{**ip, "OS-EXT-IPS:type": kind, "OS-EXT-IPS-MAC:mac_addr": mac} for ip, kind, mac in ips]
        for label, ips in addresses_by_network(server).items()
    }


def plain_addresses(server: Server, scope: Scope) -> dict[str, list[dict[str, Any]]]:
    """Addresses without their kind and MAC."""
    if server["vm_state"] == "building":
        return {}
    return {label: [ip for ip, _, _ in ips] for label, ips in addresses_by_network(server).items()}


def addresses_by_network(server: Server) -> dict[str, list[tuple[dict[str, Any], str, str]]]:
    """Network label -> (version and address, fixed or floating, MAC), the fixed ones first."""
    found: dict[str, list[tuple[dict[str, Any], str, str]]] = {}
    for vif in server["network_info"]:
        network = vif["network"]
        ips = [ip for subnet in network["subnets"] for ip in subnet["ips"]]
        floating = [f for ip in ips for f in ip.get("floating_ips", ())]
        shown = found.setdefault(network["label"], [])
        shown += [(_address(ip), ip["type"], vif["address"]) for ip in ips]
        shown += [(_address(ip), ip["type"], vif["address"]) for ip in floating]
    for ips in found.values():
        ips.sort(key=lambda entry: entry[1] == "floating")
    return found


def _address(ip: dict[str, Any]) -> dict[str, Any]:
    return {"version": ip["version"], "addr": ip["address"]}


def security_groups(server: Server, scope: Scope) -> Any:
    return scope.security_groups.get(server["uuid"]) or ABSENT


def volumes(server: Server, scope: Scope) -> list[dict[str, Any]]:
    return [{"id": volume["volume_id"]} for volume in server["volumes"]]


def volumes_with_termination(server: Server, scope: Scope) -> list[dict[str, Any]]:
    return [
        {"id": volume["volume_id"], "delete_on_termination": volume["delete_on_termination"]}
        for volume in server["volumes"]
    ]


def availability_zone(server: Server, scope: Scope) -> str:
    return server["availability_zone"] or ""


def config_drive(server: Server, scope: Scope) -> str:
    return server["config_drive"] or ""


def instance_name(server: Server, scope: Scope) -> str:
    return name_of(server, scope.name_template)


def name_of(server: Server, template: str) -> str:
    """The name of the guest by [DEFAULT]instance_name_template; blank while it has no record in a cell."""
    if server.get("id") is None:
        return ""
    try:
        return template % server["id"]
    except TypeError:
        return template % server


def locked(server: Server, scope: Scope) -> bool:
    return bool(server["locked"])


def host_state(server: Server, scope: Scope) -> str:
    return host_status(server["host"], server["service"], scope.now, scope.down_after)


def host_state_unknown(server: Server, scope: Scope) -> Any:
    return "UNKNOWN" if host_state(server, scope) == "UNKNOWN" else ABSENT


def server_groups(server: Server, scope: Scope) -> list[str]:
    return scope.groups.get(server["uuid"], [])


def pinned_zone(server: Server, scope: Scope) -> str | None:
    return scope.specs.get(server["uuid"], {}).get("availability_zone")


def scheduler_hints(server: Server, scope: Scope) -> dict[str, Any]:
    return scope.specs.get(server["uuid"], {}).get("scheduler_hints") or {}
