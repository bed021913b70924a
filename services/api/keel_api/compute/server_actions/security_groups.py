"""The security groups of a server's ports: addSecurityGroup, removeSecurityGroup and their list, all at Neutron."""

from __future__ import annotations

from typing import Any

from oslo_utils import uuidutils

from keel_api.compute.peers import refusing
from keel_api.compute.security_groups.handlers import shown, sources
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request

_RULE = "os_compute_api:os-security-groups"


@handles("POST /servers/{id}/action #addSecurityGroup")
def add(req: Request) -> None:
    """Put every port of the server into a group of the caller's project."""
    uuid, name = _asked(req, "add")
    group, ports = _group(req, name), _ports(req, uuid)
    for port in ports:
        if not (port.get("fixed_ips") and port.get("port_security_enabled", True)):
            raise Fault(400, f"Security group {name} cannot be applied to instance {uuid}: a port takes none.")
    for port in ports:
        if group["id"] not in port["security_groups"]:
            _set(req, port, [*port["security_groups"], group["id"]])


@handles("POST /servers/{id}/action #removeSecurityGroup")
def remove(req: Request) -> None:
    """Take every port of the server out of a group; 404 when none is in it."""
    uuid, name = _asked(req, "remove")
    group = _group(req, name)
    inside = [port for port in _ports(req, uuid) if group["id"] in port["security_groups"]]
    if not inside:
        raise Fault(404, f"Security group {name} not associated with the instance {uuid}")
    for port in inside:
        _set(req, port, [each for each in port["security_groups"] if each != group["id"]])


@handles("GET /servers/{server_id}/os-security-groups")
def index(req: Request) -> dict[str, Any]:
    """The groups the server's ports are in, with their rules."""
    server, _ = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:list", {"project_id": server["project_id"]})
    neutron = req.services.clients.neutron
    ports = neutron.list_ports(req.context, device_id=server["uuid"])
    ids = sorted({group for port in ports for group in port.get("security_groups", ())})
    groups = neutron.list_security_groups(req.context, id=ids) if ids else []
    known = sources(req, groups)
    return {"security_groups": [shown(group, known) for group in groups]}


def _asked(req: Request, what: str) -> tuple[str, str]:
    """The server, which must be there, and the name or id of the group."""
    name = req.args["name"]
    server, _ = begin.server_for(req, req.path["id"], f"{_RULE}:{what}", ("project_id",))
    if not name.strip():
        raise Fault(400, "Security group name cannot be empty")
    return server["uuid"], name


def _group(req: Request, name: str) -> dict[str, Any]:
    """A group of the caller's project by name or id; 404 without one, 409 when the name is not unique."""
    project = req.context.project_id
    neutron = req.services.clients.neutron
    found = neutron.list_security_groups(req.context, name=name, tenant_id=project)
    if not found and uuidutils.is_uuid_like(name):
        found = neutron.list_security_groups(req.context, id=name, tenant_id=project)
    if not found:
        raise Fault(404, f"Security group {name} not found for project {project}.")
    if len(found) > 1:
        raise Fault(409, f"Multiple security groups found matching '{name}'. Use an ID to be more specific.")
    return found[0]


def _ports(req: Request, uuid: str) -> list[dict[str, Any]]:
    found = req.services.clients.neutron.list_ports(req.context, device_id=uuid)
    if not found:
        raise Fault(404, f"Instance {uuid} could not be found as device id on any ports")
    return found


def _set(req: Request, port: dict[str, Any], groups: list[str]) -> None:
    with refusing({400: 400, 404: 404, 409: 409}):
        req.services.clients.neutron.update_port(port["id"], {"security_groups": groups}, req.context)
