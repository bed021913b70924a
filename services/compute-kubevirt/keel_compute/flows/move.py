"""What moves of a server between hosts have in common: records, attachments, ports, allocations."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from keel_common.kube import PVC, VMI, Invalid, KubeError, names
from keel_compute.errors import Refused
from keel_compute.flows import boot
from keel_compute.kubevirt import state
from keel_compute.scope import Scope
from keel_compute.steps import disks, machine, network, volumes
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)


@dataclass
class Move(Scope):
    """An operation on a server that changes its host or flavor, with the record of the move."""

    migration: Any = None
    request_spec: Any = None


def note(scope: Move, **values: Any) -> None:
    """Write fields of the record of the move."""
    for name, value in values.items():
        setattr(scope.migration, name, value)
    scope.site.remote.action(scope.context.elevated(), scope.migration, "save")


def context_of(scope: Move) -> Any:
    """The claims on both sides, empty here: nothing of a KubeVirt server is pinned (nova 34.0.0 migration_context)."""
    sides = ("numa_topology", "pci_devices", "pci_requests", "resources")
    empty = {f"{age}_{side}": None for age in ("old", "new") for side in sides}
    return objects.MigrationContext(instance_uuid=scope.server, migration_id=scope.migration.id, **empty)


def take_flavor(scope: Move, flavor: Any) -> None:
    """The server has this flavor from now on; in memory, saved by who saves next."""
    instance = scope.instance
    instance.flavor = flavor
    instance.instance_type_id = flavor.id
    instance.memory_mb, instance.vcpus = flavor.memory_mb, flavor.vcpus
    instance.root_gb, instance.ephemeral_gb = flavor.root_gb, flavor.ephemeral_gb


def forget_flavors(scope: Move) -> None:
    """The move is over: which flavors and state it was from is not needed any more; in memory."""
    instance = scope.instance
    instance.old_flavor = instance.new_flavor = None
    instance.migration_context = None
    kept = dict(instance.get("system_metadata") or {})
    kept.pop("old_vm_state", None)
    instance.system_metadata = kept


def old_vm_state(scope: Move) -> str:
    """In which state the server was before the move."""
    return (scope.instance.get("system_metadata") or {}).get("old_vm_state") or "active"


def reserve_attachments(scope: Move) -> None:
    """Every volume gets a reserved attachment in the place of the one of the host that is left.

    The new one is made before the old one goes, so that nobody else can take the volume in between.
    """
    cinder = scope.site.clients.cinder
    scope.mappings = scope.mappings or scope.site.records.mappings(scope.context, scope.server)
    for mapping in of_cinder(scope):
        old = mapping.attachment_id
        if not old:
            continue
        fresh = cinder.create_attachment(scope.asker, mapping.volume_id, scope.server)["id"]
        scope.site.records.save_mapping(scope.context, mapping, attachment_id=fresh)
        cinder.delete_attachment(scope.asker, old)


def connect_volumes(scope: Move) -> None:
    """Tell Cinder that this host has the volumes now."""
    scope.mappings = scope.mappings or scope.site.records.mappings(scope.context, scope.server)
    for mapping in of_cinder(scope):
        volumes.save_connection(scope, mapping, volumes.connect(scope, mapping))
        volumes.complete(scope, mapping)


def drop_other_attachments(scope: Move) -> None:
    """End every attachment of the server's volumes but the one that each mapping names."""
    cinder = scope.site.clients.cinder
    for mapping in _fresh_mappings(scope):
        for other in _others(scope, mapping):
            cinder.delete_attachment(scope.asker, other["id"])


def return_attachments(scope: Move) -> None:
    """Every mapping names the attachment of this host again; those of another host end."""
    cinder = scope.site.clients.cinder
    for mapping in _fresh_mappings(scope):
        others = _others(scope, mapping)
        if not others:
            continue
        ours, theirs = others[0]["id"], mapping.attachment_id
        scope.site.records.save_mapping(scope.context, mapping, attachment_id=ours)
        volumes.save_connection(scope, mapping, volumes.connect(scope, mapping))
        cinder.delete_attachment(scope.asker, theirs)


def _fresh_mappings(scope: Move) -> list[Any]:
    """Another host may have changed them since they were read."""
    scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    return of_cinder(scope)


def _others(scope: Move, mapping: Any) -> list[dict[str, Any]]:
    found = scope.site.clients.cinder.list_attachments(None, volume_id=mapping.volume_id, instance_id=scope.server)
    return [each for each in found if each["id"] != mapping.attachment_id]


def of_cinder(scope: Move) -> list[Any]:
    """Mappings of Cinder volumes."""
    return [each for each in scope.mappings if each.destination_type == "volume" and each.volume_id]


def bind_ports(scope: Move) -> None:
    """Bind every port of the server to this host and write the info cache anew."""
    network.rebind(scope)
    scope.vifs = network.refresh(scope)
    scope.site.records.save_network(scope.context, scope.instance, scope.vifs)


def grow_root(scope: Move) -> None:
    """Let the root disk grow to what the flavor says; one that is larger stays as it is. Raises Refused."""
    site = scope.site
    for disk in disks.planned(scope):
        if not disk.from_image:
            continue
        name = names.local_disk(scope.server, disk.suffix)
        claim = site.kube.find(PVC, name, site.namespace)
        if claim is None or _gib(claim) >= disk.size_gb:
            continue
        wish = {"spec": {"resources": {"requests": {"storage": f"{disk.size_gb}Gi"}}}}
        try:
            site.kube.patch(PVC, name, site.namespace, wish)
        except (Invalid, KubeError) as refused:
            raise Refused(f"The root disk cannot grow to {disk.size_gb} GiB: {refused.message}") from refused


def _gib(claim: dict) -> int:
    text = claim["spec"]["resources"]["requests"]["storage"]
    return int(text.removesuffix("Gi")) if text.endswith("Gi") else 0


def machine_here(scope: Move, power_on: bool) -> None:
    """The machine as the records say, on this host; running when it was to run. Raises BuildAbort, BuildFailed.

    A guest that still runs on another node ends first: a running one does not follow its machine's node selector.
    """
    vmi = scope.site.kube.find(VMI, scope.machine, scope.site.namespace)
    if not state.is_off(vmi) and (vmi or {}).get("status", {}).get("nodeName") != scope.place.name:
        machine.stop(scope)
    boot.gather(scope)
    if power_on:
        boot.spawn(scope)
    else:
        machine.apply(scope)


def give_back_claim(scope: Move) -> None:
    """The server holds its source again, what it held on a destination is gone (nova 34.0.0 M:5813)."""
    scope.site.clients.placement.move_allocations(scope.migration.uuid, scope.server)


def tell_schedulers(scope: Move, gone_from: str | None = None) -> None:
    """Let the schedulers count the server here, or no longer on `gone_from`."""
    site = scope.site
    if not site.conf.filter_scheduler.track_instance_changes:
        return
    elevated = scope.context.elevated()
    if gone_from:
        site.scheduler.send(elevated, "delete_instance_info", host_name=gone_from, instance_uuid=scope.server)
    else:
        known = objects.InstanceList(objects=[scope.instance])
        site.scheduler.send(elevated, "update_instance_info", host_name=scope.place.name, instance_info=known)
