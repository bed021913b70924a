"""Ports of a server at Neutron."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from keel_common.clients import errors as peers
from keel_compute import network_model
from keel_compute.errors import BuildAbort, BuildFailed, Refused
from keel_compute.scope import Scope

LOG = logging.getLogger(__name__)

BINDING_EXTENDED = "binding-extended"
"""Extension of Neutron with several bindings a port."""
UNBOUND = ("binding_failed", "unbound", "")


@dataclass
class Allocation:
    """Ports in the order asked for, device tags by port id, and the ids of ports that the user made."""

    ports: list[dict] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)


def given(scope: Scope, requested: Any) -> list[dict]:
    """The ports among the requested ones that the user made. Raises BuildAbort for one that is absent or in use."""
    wishes = [{"port_id": each.get("port_id")} for each in (requested.objects if requested is not None else ())]
    return [_given(scope, wish) for wish in wishes if wish["port_id"]]


def allocate(scope: Scope, requested: Any, security_groups: Sequence[str] | None) -> Allocation:
    """Make or take over the requested ports and bind them to this host.

    Ports that an earlier try of the same build made are found by device_id and used again. Raises BuildAbort when
    Neutron refuses, BuildFailed when a port cannot be bound here.
    """
    wishes = _wishes(scope, requested)
    neutron = scope.site.clients.neutron
    made = {port["id"]: port for port in neutron.list_ports(device_id=scope.server)} if wishes else {}
    found = Allocation()
    groups = _security_groups(scope, security_groups)
    try:
        for wish in wishes:
            port = _given(scope, wish) if wish.get("port_id") else _own(scope, wish, made, groups)
            made.pop(port["id"], None)
            found.ports.append(_bind(scope, port))
            if wish.get("port_id"):
                found.kept.add(port["id"])
            if wish.get("tag"):
                found.tags[port["id"]] = wish["tag"]
    except peers.ClientError as refused:
        raise BuildAbort(f"Failed to allocate the network(s): {refused.message}") from refused
    broken = [port["id"] for port in found.ports if port.get("binding:vif_type") in UNBOUND]
    if broken:
        raise BuildFailed(f"Binding failed for port {', '.join(broken)} on host {scope.place.name}")
    return found


def _wishes(scope: Scope, requested: Any) -> list[dict[str, Any]]:
    """The network requests as dicts; nothing asked for means the one network the project can see (or none)."""
    asked = [
        {name: each.get(name) for name in ("network_id", "port_id", "address", "tag")}
        for each in (requested.objects if requested is not None else ())
    ]
    if [each["network_id"] for each in asked] == ["none"]:
        return []
    if asked and [each["network_id"] for each in asked] != ["auto"]:
        return [{**each, "address": str(each["address"]) if each["address"] else None} for each in asked]
    neutron = scope.site.clients.neutron
    visible = neutron.list_networks(tenant_id=scope.instance.project_id, shared=False)
    if not asked:
        visible += neutron.list_networks(shared=True)
    if len(visible) > 1:
        raise BuildAbort("Multiple possible networks found, use a Network ID to be more specific.")
    if not visible and asked:
        raise BuildAbort("Automatic allocation of a network topology is not available.")
    return [{"network_id": each["id"]} for each in visible]


def _security_groups(scope: Scope, names: Sequence[str] | None) -> list[str] | None:
    """Ids of the groups, None when Neutron's default applies."""
    wanted = [each for each in names or () if each != "default"]
    if not wanted:
        return None
    known = scope.site.clients.neutron.list_security_groups(tenant_id=scope.instance.project_id)
    by_name = {each["name"]: each["id"] for each in known} | {each["id"]: each["id"] for each in known}
    missing = [each for each in wanted if each not in by_name]
    if missing:
        raise BuildAbort(f"Security group {missing[0]} not found.")
    return [by_name[each] for each in names or () if each in by_name]


def _given(scope: Scope, wish: dict[str, Any]) -> dict:
    """A port the user made. It must be free, or ours already."""
    try:
        port = scope.site.clients.neutron.show_port(wish["port_id"])
    except peers.NotFound:
        raise BuildAbort(f"Port {wish['port_id']} not found.") from None
    if port.get("device_id") not in ("", None, scope.server):
        raise BuildAbort(f"Port {port['id']} is still in use.")
    return port


def _own(scope: Scope, wish: dict[str, Any], made: dict[str, dict], groups: list[str] | None) -> dict:
    for port in made.values():
        if port["network_id"] == wish["network_id"]:
            return port
    body: dict[str, Any] = {
        "network_id": wish["network_id"],
        "admin_state_up": True,
        "tenant_id": scope.instance.project_id,
        "device_id": scope.server,
    }
    if wish.get("address"):
        body["fixed_ips"] = [{"ip_address": wish["address"]}]
    if groups is not None:
        body["security_groups"] = groups
    # As the user where a token came with the request: Neutron's own rules on networks and addresses hold then.
    return scope.site.clients.neutron.create_port(body, scope.asker)


def _bind(scope: Scope, port: dict) -> dict:
    """Bind a port to this host as administrator; a port that is bound here already is left alone."""
    owner = f"compute:{scope.instance.availability_zone or scope.site.conf.default_availability_zone}"
    wanted = {"device_id": scope.server, "device_owner": owner, "binding:host_id": scope.place.name}
    if all(port.get(key) == value for key, value in wanted.items()) and port.get("binding:vif_type") not in UNBOUND:
        return port
    neutron = scope.site.clients.neutron
    if port.get("device_id") == scope.server:
        return neutron.update_port(port["id"], wanted)
    return _take(scope, port, wanted)


def _take(scope: Scope, port: dict, wanted: dict[str, Any]) -> dict:
    """Bind a port that nobody has: of two servers that want it at once one gets it. Raises BuildAbort for the other.

    A change that has nothing to do with that (an address, a tag) only makes us look again.
    """
    neutron = scope.site.clients.neutron
    for _ in range(5):
        try:
            return neutron.update_port(port["id"], wanted, revision=port.get("revision_number"))
        except peers.ClientError as changed:
            if changed.status != 412:
                raise
            port = _given(scope, {"port_id": port["id"]})
    raise BuildAbort(f"Port {port['id']} changes all the time.")


def rebind(scope: Scope) -> None:
    """Bind every port that Neutron says the server has to this host. Raises BuildFailed for one that cannot be."""
    bound = [_bind(scope, port) for port in scope.site.clients.neutron.list_ports(device_id=scope.server)]
    broken = [port["id"] for port in bound if port.get("binding:vif_type") in UNBOUND]
    if broken:
        raise BuildFailed(f"Binding failed for port {', '.join(broken)} on host {scope.place.name}")


def activate(scope: Scope, host: str) -> None:
    """Make the bindings to a host the active ones and take those to other hosts away.

    Where Neutron has one binding a port, that one is moved.
    """
    neutron = scope.site.clients.neutron
    if BINDING_EXTENDED not in neutron.extensions():
        rebind(scope)
        return
    for port in neutron.list_ports(device_id=scope.server):
        bound = port.get("binding:host_id")
        if bound == host:
            continue
        try:
            neutron.activate_binding(port["id"], host)
        except peers.NotFound:
            # Nobody bound it beforehand.
            _bind(scope, port)
            continue
        if bound:
            neutron.delete_binding(port["id"], bound)


def unbind_from(scope: Scope, host: str) -> None:
    """Take the bindings of a host away that never became the active ones."""
    neutron = scope.site.clients.neutron
    if BINDING_EXTENDED not in neutron.extensions():
        return
    for port in neutron.list_ports(device_id=scope.server):
        if port.get("binding:host_id") != host:
            neutron.delete_binding(port["id"], host)


def describe(scope: Scope, ports: Sequence[dict], kept: Iterable[str] = ()) -> list[dict]:
    """The network info cache for these ports: one question each for networks, subnets and floating addresses."""
    if not ports:
        return []
    neutron = scope.site.clients.neutron
    networks = neutron.list_networks(id=sorted({each["network_id"] for each in ports}))
    subnet_ids = sorted({fixed["subnet_id"] for port in ports for fixed in port.get("fixed_ips") or ()})
    subnets = neutron.list_subnets(id=subnet_ids) if subnet_ids else []
    floating = neutron.list_floating_ips(port_id=[each["id"] for each in ports])
    kept = set(kept) | {vif["id"] for vif in cached(scope) if vif.get("preserve_on_delete")}
    return network_model.vifs(ports, networks, subnets, floating, kept)


def cached(scope: Scope) -> list[dict]:
    """The network info cache of the instance."""
    cache = scope.instance.get("info_cache")
    return list((cache.get("network_info") if cache is not None else None) or ())


def refresh(scope: Scope) -> list[dict]:
    """The network info cache anew, for the ports that Neutron says this server has; known ones keep their order."""
    ports = scope.site.clients.neutron.list_ports(device_id=scope.server)
    order = {vif["id"]: index for index, vif in enumerate(cached(scope))}
    return describe(scope, sorted(ports, key=lambda port: order.get(port["id"], len(order))))


def release(scope: Scope, keep: Iterable[str] = ()) -> None:
    """Give back every port of the server: those made for it are deleted, `keep` and the user's own are unbound."""
    neutron = scope.site.clients.neutron
    keep = set(keep) | {vif["id"] for vif in cached(scope) if vif.get("preserve_on_delete")}
    for port in neutron.list_ports(device_id=scope.server):
        release_port(scope, port["id"], port["id"] in keep)


def release_port(scope: Scope, port: str, keep: bool) -> None:
    """Delete one port, or unbind it when it is the user's."""
    neutron = scope.site.clients.neutron
    if not keep:
        neutron.delete_port(port)
        return
    free: dict[str, Any] = {"device_id": "", "device_owner": "", "binding:host_id": None, "binding:profile": {}}
    try:
        neutron.update_port(port, free)
    except peers.NotFound:
        LOG.info("Port %s of server %s is gone already", port, scope.server)


def attach(scope: Scope, network: str | None, port: str | None, address: str | None) -> dict:
    """One more port for a server that exists. Raises Refused with Neutron's reason."""
    wish = {"network_id": network, "port_id": port, "address": address}
    try:
        found = _bind(scope, _given(scope, wish) if port else _own(scope, wish, {}, None))
    except BuildAbort as refused:
        raise Refused(str(refused)) from refused
    except peers.ClientError as refused:
        raise Refused(refused.message) from refused
    if found.get("binding:vif_type") in UNBOUND:
        release_port(scope, found["id"], bool(port))
        raise Refused(f"Binding failed for port {found['id']} on host {scope.place.name}")
    return found


ASK_EVERY = 2.0
"""Seconds between two looks at Neutron: an event may have come before anybody waited for it, or never."""


def plugged(scope: Scope, waiting: Sequence[dict], events: Sequence[threading.Event]) -> None:
    """Wait until Neutron says that each port is up; [DEFAULT]vif_plugging_timeout seconds in all.

    network-vif-plugged ends the wait at once; the state of the port counts as much as the event. Raises BuildFailed
    when [DEFAULT]vif_plugging_is_fatal, also for an event with status failed.
    """
    conf = scope.site.conf
    deadline = time.monotonic() + conf.vif_plugging_timeout
    ports = [vif["id"] for vif in waiting]
    while True:
        if all(event.is_set() for event in events):
            failed = scope.site.arrivals.failed(scope.server, [f"network-vif-plugged-{port}" for port in ports])
            down = [key.removeprefix("network-vif-plugged-") for key in failed]
            break
        down = _down(scope, ports)
        left = deadline - time.monotonic()
        if not down or left <= 0:
            break
        _listen(scope, events, min(ASK_EVERY, left))
    if not down:
        return
    words = f"Neutron did not bring up port {', '.join(down)} within {conf.vif_plugging_timeout} s"
    if conf.vif_plugging_is_fatal:
        raise BuildFailed(words)
    LOG.warning("Server %s runs though %s", scope.server, words)


def _listen(scope: Scope, events: Sequence[threading.Event], seconds: float) -> None:
    """Wait for all events, at most for `seconds`."""
    until = time.monotonic() + seconds
    for event in events:
        while not event.wait(0.5) and time.monotonic() < until:
            scope.flight.check()


def _down(scope: Scope, ports: Sequence[str]) -> list[str]:
    status = {port["id"]: port.get("status") for port in scope.site.clients.neutron.list_ports(device_id=scope.server)}
    return [port for port in ports if status.get(port) != "ACTIVE"]
