"""Back from a resize or cold migration (nova 34.0.0 flows 7, revert)."""

from __future__ import annotations

from keel_compute.flows import move
from keel_compute.flows.move import Move
from keel_compute.flows.resize import TROUBLE
from keel_compute.kubevirt import state
from keel_compute.records import now
from keel_compute.steps import machine


def leave(scope: Move) -> None:
    """At the destination: the guest ends, the claims go back to what they were, the source is asked to take over."""
    machine.stop(scope)
    move.reserve_attachments(scope)
    move.note(scope, status="reverted")
    scope.site.records.save(scope.context, scope.instance, expected="resize_reverting", migration_context=None)
    scope.site.computes.send(
        scope.context,
        "finish_revert_resize",
        server=scope.migration.source_compute,
        instance=scope.instance,
        migration=scope.migration,
        request_spec=scope.request_spec,
    )


def arrive(scope: Move) -> None:
    """At the source: flavor, ports, volumes, machine as before; ends in active, or stopped when the server was.

    A root disk that grew stays as large as it is: claims do not shrink. After a failure the server is in ERROR.
    """
    instance, migration, records = scope.instance, scope.migration, scope.site.records
    move.take_flavor(scope, instance.get("old_flavor") or instance.flavor)
    records.save(
        scope.context,
        instance,
        expected="resize_reverting",
        host=migration.source_compute,
        node=migration.source_node,
        compute_id=scope.place.compute_id,
    )
    power_on = move.old_vm_state(scope) != "stopped"
    try:
        move.give_back_claim(scope)
        move.bind_ports(scope)
        move.connect_volumes(scope)
        move.machine_here(scope, power_on)
    except TROUBLE:
        records.fail(scope.context, instance)
        raise
    move.forget_flavors(scope)
    records.settle(
        scope.context,
        instance,
        "resize_reverting",
        "active" if power_on else "stopped",
        state.RUNNING if power_on else state.SHUTDOWN,
        launched_at=now(),
    )
    move.tell_schedulers(scope)
