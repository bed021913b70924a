"""Delete: everything a server had is taken back (nova 34.0.0 flow delete)."""

from __future__ import annotations

import logging

from keel_common.clients.errors import ClientError
from keel_compute.kubevirt import state
from keel_compute.records import now
from keel_compute.scope import Scope
from keel_compute.steps import machine, network, volumes

LOG = logging.getLogger(__name__)

EVENT = "compute_terminate_instance"


def remove_machine(scope: Scope) -> None:
    """The guest ends and its machine, claims, secrets and attachments leave the cluster."""
    machine.remove(scope)


def release_network(scope: Scope) -> None:
    """Ports are deleted, the user's own are unbound."""
    network.release(scope)


def release_volumes(scope: Scope) -> None:
    """Attachments end; volumes that go with the server are deleted. One that cannot be deleted does not hold up the
    rest.
    """
    ours = [each for each in scope.mappings if each.destination_type == "volume" and each.volume_id]
    for mapping in ours:
        volumes.disconnect(scope, mapping)
    for mapping in ours:
        if mapping.delete_on_termination:
            try:
                volumes.remove(scope, mapping)
            except ClientError as refused:
                # As Nova: the server is deleted all the same, the volume stays for its owner to deal with.
                LOG.warning("Volume %s of server %s was not deleted: %s", mapping.volume_id, scope.server, refused)


def record(scope: Scope) -> None:
    """vm_state deleted."""
    cache = scope.instance.get("info_cache")
    if cache is not None:
        cache.network_info = []
    scope.site.records.save(
        scope.context,
        scope.instance,
        vm_state="deleted",
        task_state=None,
        power_state=state.NOSTATE,
        terminated_at=now(),
    )


def give_back(scope: Scope) -> None:
    """The allocation, and the schedulers' count."""
    scope.site.clients.placement.delete_allocations(scope.server)
    if scope.site.conf.filter_scheduler.track_instance_changes:
        scope.site.scheduler.send(
            scope.context.elevated(),
            "delete_instance_info",
            host_name=scope.place.name,
            instance_uuid=scope.server,
        )


def destroy(scope: Scope) -> None:
    """The rows are soft-deleted; interfaces and console tokens go with them (nova 34.0.0 db semantics,
    instance_destroy).
    """
    scope.site.records.destroy(scope.context, scope.instance)


PHASES = (remove_machine, release_network, release_volumes, record, give_back, destroy)


def delete(scope: Scope) -> None:
    """Run the deletion. Raises what a peer refuses: the server then is in ERROR and can be deleted again."""
    for phase in PHASES:
        phase(scope)
