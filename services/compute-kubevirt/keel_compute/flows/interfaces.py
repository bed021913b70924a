"""Network cards of a server that exists (nova 34.0.0 flows attach_interface, detach_interface)."""

from __future__ import annotations

import logging

from keel_common.kube import NAD, Expired, names
from keel_compute.errors import Refused
from keel_compute.kubevirt import state
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.kubevirt.hardware import VIF_MODELS, choice_of
from keel_compute.kubevirt.nics import Nic, nic_of
from keel_compute.kubevirt.spec import absent_patch, plug_patch, unplug_patch
from keel_compute.scope import Scope
from keel_compute.steps import machine, network

LOG = logging.getLogger(__name__)


def attach(scope: Scope, network_id: str | None, port_id: str | None, address: str | None, tag: str | None) -> dict:
    """One more port in the server; answers its VIF. What was made is taken back when the guest does not get it."""
    port = network.attach(scope, network_id, port_id, address)
    try:
        others = network.cached(scope)
        (vif,) = network.describe(scope, [port], [port["id"]] if port_id else ())
        nic = nic_of(vif, choice_of(scope.properties, "hw_vif_model", VIF_MODELS, "virtio"))
        scope.site.kube.apply(NAD, nic.attachment(scope.site.namespace, {**scope.labels, names.PORT: nic.port}))
        plug(scope, nic)
        scope.site.records.create_interface(scope.context, scope.server, vif["id"], vif["address"], tag)
        scope.site.records.save_network(scope.context, scope.instance, [*others, vif])
    except Exception as error:
        _take_back(scope, port["id"], keep=bool(port_id))
        if isinstance(error, Unsupported):
            raise Refused(str(error)) from error
        raise
    return vif


def _take_back(scope: Scope, port: str, keep: bool) -> None:
    try:
        machine.patch(scope, lambda template: unplug_patch(template, names.nic(port)))
        scope.site.kube.delete(NAD, names.nad(port), scope.site.namespace)
    except Exception:
        LOG.exception("Server %s: port %s could not be unplugged", scope.server, port)
    network.release_port(scope, port, keep)


def plug(scope: Scope, nic: Nic) -> None:
    """Put the card into the machine and wait until a running guest has it.

    KubeVirt plugs a bridge card by a live migration where no dynamic network controller runs: a guest that cannot
    migrate gets it at its next start, which is refused here so that nobody waits for it (kubevirt 1.9 NIC hotplug).
    """
    machine.patch(scope, lambda template: plug_patch(template, nic))
    group = scope.site.conf.kubevirt

    def ready(vmi: dict | None) -> bool:
        scope.flight.check()
        return state.is_off(vmi) or _interface(vmi, nic.name) is not None

    try:
        scope.site.instances.wait(scope.machine, ready, group.attach_timeout)
    except Expired as late:
        raise Refused(f"Port {nic.port} did not reach the guest within {group.attach_timeout} s") from late


def _interface(vmi: dict | None, name: str) -> dict | None:
    for each in (vmi or {}).get("status", {}).get("interfaces") or ():
        if each.get("name") == name:
            return each
    return None


def detach(scope: Scope, port_id: str) -> None:
    """Take a port away: out of the guest, out of the machine, back to Neutron, out of the records."""
    vifs = network.cached(scope)
    mine = next((vif for vif in vifs if vif["id"] == port_id), None)
    if mine is None:
        raise Refused(f"Port {port_id} is not attached to server {scope.server}")
    unplug(scope, names.nic(port_id))
    scope.site.kube.delete(NAD, names.nad(port_id), scope.site.namespace)
    network.release_port(scope, port_id, mine.get("preserve_on_delete", False))
    forget(scope, port_id)


def unplug(scope: Scope, name: str) -> None:
    """Ask a running guest to give up the card and wait; in a stopped machine the entries just go."""
    group = scope.site.conf.kubevirt
    if not state.is_off(scope.site.instances.get(scope.machine)):
        machine.patch(scope, lambda template: absent_patch(template, name))
        try:
            scope.site.instances.wait(
                scope.machine, lambda vmi: state.is_off(vmi) or _interface(vmi, name) is None, group.attach_timeout
            )
        except Expired as late:
            raise Refused(f"The guest did not let go of interface {name} within {group.attach_timeout} s") from late
    machine.patch(scope, lambda template: unplug_patch(template, name))


def forget(scope: Scope, port_id: str) -> None:
    """The port is gone: its row and its place in the info cache go too."""
    scope.site.records.delete_interface(scope.context, port_id)
    left = [vif for vif in network.cached(scope) if vif["id"] != port_id]
    scope.site.records.save_network(scope.context, scope.instance, left)


def vanished(scope: Scope, port_id: str) -> None:
    """Somebody deleted the port at Neutron: the card leaves the guest, nothing is asked of Neutron."""
    if not any(vif["id"] == port_id for vif in network.cached(scope)):
        return
    unplug(scope, names.nic(port_id))
    scope.site.kube.delete(NAD, names.nad(port_id), scope.site.namespace)
    forget(scope, port_id)
