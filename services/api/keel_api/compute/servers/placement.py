"""Where a new server may go: availability zone, forced or wanted host, server group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keel_api.compute.servers.asked import Asked
from keel_api.compute.servers.quota import Limits
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db.stores.nova import hosts, servers_boot
from keel_contract.nova import objects


@dataclass(frozen=True)
class Place:
    """What the scheduler must keep to."""

    zone: str | None
    force_hosts: list[str] | None
    force_nodes: list[str] | None
    destination: objects.Destination | None
    group: Any


def place(req: Request, asked: Asked, allowed: Limits) -> Place:
    """Check the asked place; 400 for what does not exist, 403 when a group is full."""
    forced = bool(asked.forced_host or asked.forced_node)
    if forced:
        _check_host(req, asked.forced_host, asked.forced_node)
    elif asked.zone:
        _check_zone(req, asked.zone)
    destination = None
    if asked.wanted_host or asked.wanted_node:
        host = _check_host(req, asked.wanted_host, asked.wanted_node)
        destination = objects.Destination(host=host, node=asked.wanted_node)
    return Place(
        zone=asked.zone,
        force_hosts=[asked.forced_host] if asked.forced_host else None,
        force_nodes=[asked.forced_node] if asked.forced_node else None,
        destination=destination,
        group=_group(req, asked, allowed),
    )


def _check_host(req: Request, host: str | None, node: str | None) -> str:
    """The host of a compute node that exists."""
    for cell in req.services.cells.working():
        found = cell.db.read(hosts.find_node, host, node)
        if found:
            return found[0]["host"]
    raise Fault(400, f"Compute host {host or node} could not be found.")


def _check_zone(req: Request, zone: str) -> None:
    zones = req.services.cells.api.read(servers_boot.zones_of_hosts)
    default = req.services.conf.default_availability_zone
    for cell in req.services.cells.working():
        if any(zones.get(host, default) == zone for host in cell.db.read(servers_boot.enabled_hosts)):
            return
    raise Fault(400, "The requested availability zone is not available")


def _group(req: Request, asked: Asked, allowed: Limits) -> Any | None:
    hint = asked.hints.get("group")
    if not hint:
        return None
    row = req.services.cells.api.read(servers_boot.group, hint[0], req.context.project_id)
    if row is None:
        raise Fault(400, f"Instance group {hint[0]} could not be found.")
    if allowed.exceeded("server_group_members", len(row["members"]) + asked.max_count):
        raise Fault(403, "Quota exceeded, too many servers in group")
    return group_object(row)


def group_object(row: dict[str, Any]) -> Any:
    """The group as a request spec stores it: members and hosts are looked up when they are needed."""
    made: Any = objects.InstanceGroup(
        id=row["id"],
        uuid=row["uuid"],
        name=row["name"],
        project_id=row["project_id"],
        user_id=row["user_id"],
        policies=[row["policy"]] if row["policy"] else [],
        policy=row["policy"],
        _rules={key: str(value) for key, value in row["rules"].items()},
        created_at=None,
        updated_at=None,
        deleted_at=None,
        deleted=False,
    )
    made.obj_reset_changes()
    made.members = None
    made.hosts = None
    return made
