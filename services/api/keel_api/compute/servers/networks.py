"""The networks of a new server: what was asked, checked against the network service (nova 34.0.0 flows 1)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers.asked import Asked
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_contract.nova import objects

EXTERNAL = "network:attach_external_network"
_AUTO, _NONE = "auto", "none"


def requested(req: Request, asked: Asked) -> objects.NetworkRequestList:
    """The network requests of every server of this create; Fault 400, 403 or 409 as recorded."""
    if asked.networks == _NONE:
        return _requests([{"network_id": _NONE}])
    if asked.networks == _AUTO:
        return _requests([{"network_id": _automatic(req)}])
    if not asked.networks:
        _check_default(req)
        return _requests([])
    entries = [_entry(req, given) for given in asked.networks]
    if asked.max_count > 1 and any(entry.get("port_id") for entry in entries):
        raise Fault(400, "Failed to launch multiple servers: a port can be used by one of them only.")
    if asked.max_count > 1 and any(entry.get("address") for entry in entries):
        raise Fault(400, "Failed to launch servers: max_count cannot be above 1 when a fixed_ip is given.")
    _check_networks(req, entries)
    return _requests(entries)


def _requests(entries: list[dict[str, Any]]) -> objects.NetworkRequestList:
    made = [
        objects.NetworkRequest(
            network_id=entry.get("network_id"),
            address=entry.get("address"),
            port_id=entry.get("port_id"),
            tag=entry.get("tag"),
            pci_request_id=None,
            arq_uuid=None,
            device_profile=None,
        )
        for entry in entries
    ]
    return objects.NetworkRequestList(objects=made)


def _entry(req: Request, given: dict[str, Any]) -> dict[str, Any]:
    entry = {"tag": given.get("tag")}
    if given.get("port"):
        if given.get("fixed_ip"):
            raise Fault(
                400,
                f"Specified Fixed IP '{given['fixed_ip']}' cannot be used with port '{given['port']}': the two "
                "cannot be specified together.",
            )
        return {**entry, "port_id": given["port"], "network_id": _usable_port(req, given["port"])}
    if not given.get("uuid"):
        raise Fault(400, "Missing network uuid or port in a requested network")
    return {**entry, "network_id": given["uuid"], "address": given.get("fixed_ip")}


def _usable_port(req: Request, port_id: str) -> str:
    """The network of a free port with an address."""
    try:
        port = req.services.clients.neutron.show_port(port_id, req.context)
    except errors.NotFound:
        raise Fault(400, f"Port id {port_id} could not be found.") from None
    if port.get("device_id"):
        raise Fault(409, f"Port {port_id} is still in use.")
    if not port.get("fixed_ips") and port.get("ip_allocation") != "deferred":
        raise Fault(400, f"Port {port_id} requires a FixedIP in order to be used.")
    if port.get("resource_request"):
        raise Fault(400, f"Port {port_id} has a resource request, which is not supported by this cloud")
    return port["network_id"]


def _check_networks(req: Request, entries: list[dict[str, Any]]) -> None:
    """Every network that is not behind a given port exists, has a subnet, and may be used; fixed addresses are free."""
    wanted = [entry for entry in entries if not entry.get("port_id")]
    if not wanted:
        return
    ids = sorted({entry["network_id"] for entry in wanted})
    found = {net["id"]: net for net in req.services.clients.neutron.list_networks(req.context, id=ids)}
    missing = [network_id for network_id in ids if network_id not in found]
    if missing:
        raise Fault(400, f"Network {', '.join(missing)} could not be found.")
    for entry in wanted:
        network = found[entry["network_id"]]
        if not network.get("subnets"):
            raise Fault(400, f"Network {network['id']} requires a subnet in order to boot instances on.")
        _check_external(req, network)
        if entry["address"]:
            _check_address(req, network["id"], entry["address"])


def _check_external(req: Request, network: dict[str, Any]) -> None:
    if network.get("router:external") and not network.get("shared") and not req.can(EXTERNAL):
        raise Fault(403, f"It is not allowed to create an interface on external network {network['id']}")


def _check_address(req: Request, network_id: str, address: str) -> None:
    ports = req.services.clients.neutron.list_ports(
        None, network_id=network_id, fixed_ips=f"ip_address={address}", fields=["device_id"]
    )
    if ports:
        owner = ports[0].get("device_id") or "another port"
        raise Fault(400, f"Fixed IP address {address} is already in use on instance {owner}.")


def _available(req: Request) -> list[dict[str, Any]]:
    """The networks a project gets by itself: its own and the shared ones."""
    neutron = req.services.clients.neutron
    own = neutron.list_networks(req.context, tenant_id=req.context.project_id, shared=False)
    shared = neutron.list_networks(req.context, shared=True)
    return list({network["id"]: network for network in [*own, *shared]}.values())


def _check_default(req: Request) -> None:
    """Without any network asked for, there must be no choice; no network at all gives a server without ports."""
    networks = _available(req)
    if len(networks) > 1:
        raise Fault(409, "Multiple possible networks found, use a Network ID to be more specific.")
    for network in networks:
        _check_external(req, network)


def _automatic(req: Request) -> str:
    """The network "auto" stands for: the only one there is, else one the network service makes when asked."""
    networks = [network for network in _available(req) if not network.get("router:external")]
    if len(networks) > 1:
        raise Fault(409, "Multiple possible networks found, use a Network ID to be more specific.")
    if not networks and "auto-allocated-topology" not in req.services.clients.neutron.extensions():
        raise Fault(400, f"Unable to automatically allocate a network for project {req.context.project_id}")
    return _AUTO


def security_groups(req: Request, names: list[str]) -> objects.SecurityGroupList:
    """The ids of the groups named, for every port made; [] when only the default one is meant."""
    if not [name for name in names if name != "default"]:
        return objects.SecurityGroupList(objects=[])
    groups = req.services.clients.neutron.list_security_groups(
        req.context, tenant_id=req.context.project_id, fields=["id", "name"]
    )
    chosen = []
    for name in names:
        matching = [group for group in groups if group["id"] == name] or [g for g in groups if g["name"] == name]
        if not matching:
            raise Fault(400, f"Security group {name} not found.")
        if len(matching) > 1:
            raise Fault(409, f"Multiple security groups found matching '{name}'. Use an ID to be more specific.")
        chosen.append(matching[0]["id"])
    return objects.SecurityGroupList(objects=[objects.SecurityGroup(uuid=uuid) for uuid in chosen])
