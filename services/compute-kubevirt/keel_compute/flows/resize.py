"""Resize and cold migration between hosts of the cluster (nova 34.0.0 flows 7).

Disks are claims that every node reaches, so nothing is copied: the machine ends at its source and is described anew
at its destination, with the node, the flavor and the ports of that side.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.kube import NODE, VM, KubeError
from keel_compute.errors import BuildAbort, BuildFailed, NotSupported, Refused, text
from keel_compute.flows import move, power
from keel_compute.flows.move import Move
from keel_compute.kubevirt import state
from keel_compute.records import now
from keel_compute.steps import machine
from keel_contract.errors import BusError, ExpectedFault

LOG = logging.getLogger(__name__)

TROUBLE = (BuildAbort, BuildFailed, Refused, NotSupported, KubeError, ClientError, BusError, ExpectedFault)
"""What ends a phase of a move and has words for the user."""


def prepare(scope: Move, image: Any, flavor: Any, clean_shutdown: bool) -> None:
    """At the destination: see that the server can come, keep what is needed to go back, ask the source to let go.

    Raises what keeps it from coming; nothing has changed then but the claim, which is the caller's to give back.
    """
    _possible(scope, flavor)
    instance, place = scope.instance, scope.place
    kept = dict(instance.get("system_metadata") or {})
    kept["old_vm_state"] = instance.vm_state
    instance.new_flavor = flavor
    move.note(
        scope,
        dest_compute=place.name,
        dest_node=place.name,
        dest_compute_id=place.compute_id,
        dest_host=scope.site.conf.my_ip,
        status="pre-migrating",
    )
    scope.site.records.save(
        scope.context, instance, expected="resize_prep", system_metadata=kept, migration_context=move.context_of(scope)
    )
    scope.site.computes.send(
        scope.context,
        "resize_instance",
        server=scope.migration.source_compute,
        instance=instance,
        migration=scope.migration,
        image=image,
        flavor=flavor,
        clean_shutdown=clean_shutdown,
        request_spec=scope.request_spec,
    )


def _possible(scope: Move, flavor: Any) -> None:
    instance, site = scope.instance, scope.site
    if instance.host == scope.place.name and flavor.id == instance.flavor.id:
        reason = f"Unable to migrate instance ({scope.server}) to current host ({scope.place.name})."
        raise ExpectedFault("UnableToMigrateToSelf", reason, instance_id=scope.server, host=scope.place.name)
    if site.kube.find(VM, scope.machine, site.namespace) is None:
        raise NotSupported(f"Server {scope.server} is no VirtualMachine of this cluster: it cannot move to this host")
    if flavor.root_gb < instance.flavor.root_gb and any(_is_root(each) for each in _mappings(scope)):
        raise Refused(
            f"Resize error: the root disk cannot shrink from {instance.flavor.root_gb} to {flavor.root_gb} GiB"
        )


def _is_root(mapping: Any) -> bool:
    return mapping.destination_type == "local" and mapping.source_type == "image"


def _mappings(scope: Move) -> list[Any]:
    scope.mappings = scope.mappings or scope.site.records.mappings(scope.context, scope.server)
    return scope.mappings


def hand_on(
    scope: Move,
    error: Exception,
    flavor: Any,
    properties: Mapping[str, Any],
    clean_shutdown: bool,
    host_list: Any,
) -> bool:
    """Ask the conductor for another destination; False when there was no word of one to try."""
    retry = (properties or {}).get("retry")
    if not retry:
        return False
    retry = {**retry, "exc": [text(error)], "exc_reason": text(error)}
    records = scope.site.records
    records.save(scope.context, scope.instance, expected=("resize_prep", None), task_state="resize_prep")
    scope.site.conductor.send(
        scope.context,
        "migrate_server",
        how="call",
        instance=scope.instance,
        scheduler_hint={"filter_properties": {**properties, "retry": retry}},
        live=False,
        rebuild=False,
        flavor=flavor,
        block_migration=None,
        disk_over_commit=None,
        clean_shutdown=clean_shutdown,
        request_spec=scope.request_spec,
        host_list=host_list,
    )
    return True


def leave(scope: Move, image: Any, flavor: Any, clean_shutdown: bool) -> None:
    """At the source: the guest ends, the record of the server goes to the destination, and so does the request.

    When that fails the guest runs again where it did, and the server holds its source again.
    """
    ran = not state.is_off(scope.site.instances.get(scope.machine))
    _reachable(scope)
    move.note(scope, status="migrating")
    records = scope.site.records
    records.save(
        scope.context, scope.instance, expected=("resize_prep", "resize_migrating"), task_state="resize_migrating"
    )
    try:
        machine.stop(scope, clean_shutdown)
        move.reserve_attachments(scope)
    except TROUBLE:
        _stay(scope, ran)
        raise
    _give(scope)
    scope.site.computes.send(
        scope.context,
        "finish_resize",
        server=scope.migration.dest_compute,
        instance=scope.instance,
        migration=scope.migration,
        image=image,
        disk_info="",
        request_spec=scope.request_spec,
    )


def _reachable(scope: Move) -> None:
    """The destination must be a node of this cluster: another hypervisor cannot open the disks."""
    if scope.site.kube.find(NODE, scope.migration.dest_node) is None:
        move.note(scope, status="error")
        move.give_back_claim(scope)
        raise NotSupported(f"{scope.migration.dest_node} is no node of this cluster: the server cannot move there")


def _give(scope: Move) -> None:
    migration = scope.migration
    move.note(scope, status="post-migrating")
    scope.instance.old_flavor = scope.instance.flavor
    scope.site.records.save(
        scope.context,
        scope.instance,
        expected="resize_migrating",
        host=migration.dest_compute,
        node=migration.dest_node,
        compute_id=migration.dest_compute_id,
        task_state="resize_migrated",
    )


def _stay(scope: Move, ran: bool) -> None:
    """Undo a departure; what cannot be undone is logged, the first error is the one that is told."""
    try:
        move.connect_volumes(scope)
        if ran:
            power.rebuild(scope)
            power.power_on(scope)
    except TROUBLE as again:
        LOG.warning("Server %s does not run again at its source: %s", scope.server, text(again))
    move.note(scope, status="error")
    move.give_back_claim(scope)


def arrive(scope: Move) -> None:
    """At the destination: flavor, ports, volumes, machine; ends in resized.

    After a failure the server is in ERROR on this host and what it held for going back is given up.
    """
    records = scope.site.records
    flavor = scope.instance.get("new_flavor") or scope.instance.flavor
    move.take_flavor(scope, flavor)
    try:
        records.save(
            scope.context, scope.instance, expected=("resize_migrated", "resize_finish"), task_state="resize_finish"
        )
        move.bind_ports(scope)
        move.connect_volumes(scope)
        move.grow_root(scope)
        power_on = move.old_vm_state(scope) != "stopped"
        move.machine_here(scope, power_on)
    except TROUBLE as failed:
        _lost(scope, failed)
        raise
    move.note(scope, status="finished")
    records.settle(
        scope.context,
        scope.instance,
        "resize_finish",
        "resized",
        state.RUNNING if power_on else state.SHUTDOWN,
        launched_at=now(),
    )
    move.tell_schedulers(scope)


def _lost(scope: Move, failed: Exception) -> None:
    LOG.warning("Server %s did not arrive: %s", scope.server, text(failed))
    move.note(scope, status="error")
    scope.site.clients.placement.delete_allocations(scope.migration.uuid)
    scope.site.records.fail(scope.context, scope.instance)


def confirm(scope: Move) -> None:
    """At the source: the way back is given up; ends in active, or stopped when the guest is off."""
    if scope.migration.status == "confirmed":
        return
    move.note(scope, status="confirmed")
    off = scope.instance.power_state == state.SHUTDOWN
    scope.site.clients.placement.delete_allocations(scope.migration.uuid)
    move.forget_flavors(scope)
    scope.site.records.save(
        scope.context,
        scope.instance,
        expected=(None, "deleting", "soft-deleting"),
        vm_state="stopped" if off else "active",
        task_state=None,
    )
    if scope.migration.source_compute != scope.migration.dest_compute:
        move.tell_schedulers(scope, gone_from=scope.migration.source_compute)
