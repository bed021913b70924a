"""os-interface: list, show, attach, detach (nova 34.0.0 flows 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.interfaces.views import INTERFACE
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import actions, servers_ports
from keel_common.wire import server as wire
from keel_contract.errors import RemoteFault
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-attach-interfaces"
# recorded exception of the host -> code of the API
_ATTACH_CODES = {
    **dict.fromkeys(
        (
            "AttachInterfaceNotSupported",
            "ExtendedResourceRequestOldCompute",
            "ForbiddenPortsWithAccelerator",
            "ForbiddenWithRemoteManagedPorts",
            "InterfaceAttachFailedNoNetwork",
            "InterfaceAttachPciClaimFailed",
            "InterfaceAttachResourceAllocationFailed",
            "NetworkAmbiguous",
            "NetworkInterfaceTaggedAttachNotSupported",
            "NetworksWithQoSPolicyNotSupported",
            "NoMoreFixedIps",
            "PortNotUsable",
            "SecurityGroupCannotBeApplied",
        ),
        400,
    ),
    "FixedIpAlreadyInUse": 409,
    "PortInUse": 409,
    "NetworkNotFound": 404,
    "PortNotFound": 404,
    "PortLimitExceeded": 403,
    "InterfaceAttachFailed": 500,
    "NotImplementedError": 501,
    "UnsupportedVersion": 501,
    "NoSuchMethod": 501,
}


@handles("GET /servers/{server_id}/os-interface")
def index(req: Request) -> dict[str, Any]:
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:list", {"project_id": server["project_id"]})
    ports = req.services.clients.neutron.list_ports(req.context, device_id=server["uuid"])
    tags = _tags(req, server, cell)
    rows = [{**port, "tag": tags.get(port["id"])} for port in ports]
    return {"interfaceAttachments": INTERFACE.render(req.version, (), rows)}


@handles("GET /servers/{server_id}/os-interface/{id}")
def show(req: Request) -> dict[str, Any]:
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:show", {"project_id": server["project_id"]})
    return _shown(req, server, cell, req.path["id"])


def _shown(req: Request, server: Mapping[str, Any], cell: Cell | None, port_id: str) -> dict[str, Any]:
    try:
        port = req.services.clients.neutron.show_port(port_id, req.context)
    except errors.NotFound:
        raise Fault(404, f"Port id {port_id} could not be found.") from None
    except errors.Forbidden:
        raise Fault(403) from None
    if port["device_id"] != server["uuid"]:
        raise Fault(404, f"Instance {server['uuid']} does not have a port with id {port_id}")
    row = {**port, "tag": _tags(req, server, cell).get(port_id)}
    return {"interfaceAttachment": INTERFACE.one(req.version, (), row)}


def _tags(req: Request, server: Mapping[str, Any], cell: Cell | None) -> dict[str, str]:
    if cell is None or not req.at_least(2, 70):
        return {}
    return cell.db.read(servers_ports.tags, server["uuid"])


@handles("POST /servers/{server_id}/os-interface")
def attach(req: Request) -> dict[str, Any]:
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:create", ("project_id",))
    asked = (req.body or {}).get("interfaceAttachment") or {}
    network, port = asked.get("net_id"), asked.get("port_id")
    address = next((ip["ip_address"] for ip in asked.get("fixed_ips", ())), None)
    if network and port:
        raise Fault(400, "Must not input both network_id and port_id")
    if address and not network:
        raise Fault(400, "Must input network_id when request IP address")
    begin.check(req, server, "attach_interface", "attach_interface")
    if cell is None:
        raise Fault(409, f"Instance {server['uuid']} is not ready")
    cell.db.run(actions.start, server["uuid"], begin.action_row(req, "attach_interface"))
    try:
        vif = req.services.rpc(COMPUTE, cell).send(
            req.context,
            "attach_interface",
            instance=wire.instance(server),
            network_id=network,
            port_id=port,
            requested_ip=address,
            tag=asked.get("tag"),
        )
    except RemoteFault as fault:
        if fault.class_name not in _ATTACH_CODES:
            raise
        raise Fault(_ATTACH_CODES[fault.class_name], fault.message) from None
    req.must(f"{_RULE}:show", {"project_id": server["project_id"]})
    return _shown(req, server, cell, vif["id"])


@handles("DELETE /servers/{server_id}/os-interface/{id}")
def detach(req: Request) -> None:
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:delete", ("project_id",))
    begin.check(req, server, "detach_interface", "detach_interface")
    if cell is None:
        raise Fault(409, f"Instance {server['uuid']} is not ready")
    port = req.path["id"]
    if all(vif["id"] != port for vif in server["network_info"] or ()):
        raise Fault(404, f"Port {port} is not attached")
    cell.db.run(actions.start, server["uuid"], begin.action_row(req, "detach_interface"))
    req.services.rpc(COMPUTE, cell).send(req.context, "detach_interface", instance=wire.instance(server), port_id=port)
