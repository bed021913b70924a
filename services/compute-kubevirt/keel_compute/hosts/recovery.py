"""What an earlier process left in the middle (nova 34.0.0 init_host, with one difference: see resume_build).

`plan` reads the records of a host and answers what is to be done, as callables; each takes the server's turn and looks
at the record again before it acts, because the bus is served by then.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.kube import VM, Stopped
from keel_compute.endpoints.journal import recorded
from keel_compute.errors import MOVED_ON, BuildFailed, Gone, is_fault, text
from keel_compute.flows import attach, boot, delete, pause, power, rescue
from keel_compute.hosts import moves
from keel_compute.kubevirt import state
from keel_compute.records import now
from keel_compute.scope import Place, Scope, run
from keel_compute.site import Site
from keel_compute.steps import network
from keel_contract.context import Context

LOG = logging.getLogger(__name__)

Act = Callable[[], None]

BUILDING = ("scheduling", "networking", "block_device_mapping", "spawning")
CLEARED = (
    "image_snapshot_pending",
    "image_snapshot",
    "image_pending_upload",
    "image_uploading",
    "suspending",
    "resuming",
)
"""Task states of operations that this driver does not have, or that leave nothing behind: they go back to null."""
FROM_ERROR = ("powering-off", *power.HARD_STATES)
"""Task states that a server in ERROR may be brought into (nova 34.0.0 action_preconditions)."""
AGAIN: dict[str, tuple[str, Callable[[Scope], None]]] = {
    "pausing": ("pause_instance", pause.pause),
    "unpausing": ("unpause_instance", pause.unpause),
    "soft-deleting": ("soft_delete_instance", pause.soft_delete),
    "restoring": ("restore_instance", pause.restore),
    "rescuing": ("rescue_instance", rescue.give_up),
    "unrescuing": ("unrescue_instance", rescue.unrescue),
}
"""Task state -> the method whose outcome is recorded, and what ends the operation. Every one of them can be done again
from its start; which image a rescue was for is forgotten, so the server goes back to its own disks.
"""
REBUILDING = ("rebuilding", "rebuild_block_device_mapping", "rebuild_spawning")


def plan(site: Site, place: Place, context: Context, instances: list[Any]) -> list[Act]:
    """What is to be done for the instances of a host."""
    acts: list[Act] = []
    settled: dict[str, Any] = {}
    for instance in instances:
        act = _act(instance)
        if act is not None:
            LOG.info("Server %s: %s/%s, %s", instance.uuid, instance.vm_state, instance.task_state, act.__name__)
            acts.append(partial(_take, site, place, instance.uuid, resume))
        elif instance.task_state is None and instance.vm_state in ("active", "stopped", "paused"):
            settled[instance.uuid] = instance
    attached = []
    for mapping in site.records.mappings_of(context, list(settled)):
        if mapping.destination_type != "volume" or not mapping.attachment_id:
            continue
        if mapping.connection_info:
            attached.append(mapping)
        else:
            LOG.info("Server %s: attachment of volume %s was interrupted", mapping.instance_uuid, mapping.volume_id)
            acts.append(partial(_take, site, place, mapping.instance_uuid, partial(resume_attach, mapping=mapping)))
    if attached:
        acts.append(partial(resume_detaches, site, place, attached))
    return acts


def lost(site: Site, place: Place, instances: list[Any]) -> list[Act]:
    """What is to be done for operations that nobody here works at, and to which nothing happened for
    [kubevirt]lost_build_age seconds: their message was lost, or their outcome could not be written.
    """
    oldest = now() - datetime.timedelta(seconds=site.conf.kubevirt.lost_build_age)
    acts: list[Act] = []
    for instance in instances:
        moved = instance.get("updated_at") or instance.get("created_at")
        act = _act(instance)
        if act is None or moved is None or moved > oldest or site.flights.busy(instance.uuid):
            continue
        LOG.warning("Server %s: %s/%s and nobody is at it", instance.uuid, instance.vm_state, instance.task_state)
        acts.append(partial(_take, site, place, instance.uuid, resume))
    return acts


def reclaim(site: Site, place: Place, instances: list[Any]) -> list[Act]:
    """Deletion of these servers, each when it is still softly deleted by then."""
    return [partial(_take, site, place, each.uuid, finish_soft_delete) for each in instances]


def finish_soft_delete(scope: Scope) -> None:
    """Delete what nobody restored."""
    if scope.instance.vm_state == "soft-delete" and scope.instance.task_state is None:
        LOG.info("Server %s was deleted softly and is reclaimed", scope.server)
        finish_delete(scope)


def resume(scope: Scope) -> None:
    """Do what the record asks for now that it is our turn; nothing when somebody else ended it meanwhile."""
    act = _act(scope.instance)
    if act is not None:
        LOG.info("Server %s: %s", scope.server, act.__name__)
        act(scope)


def resume_detaches(site: Site, place: Place, attached: list[Any]) -> None:
    """Finish detachments whose request was lost: Cinder says of their volume that it is being detached."""
    for mapping in attached:
        try:
            status = site.clients.cinder.show_volume(None, mapping.volume_id)["status"]
        except ClientError as unknown:
            LOG.info("Volume %s: it cannot be told whether it was being detached: %s", mapping.volume_id, unknown)
            continue
        if status == "detaching":
            LOG.info("Server %s: detachment of volume %s was interrupted", mapping.instance_uuid, mapping.volume_id)
            _take(site, place, mapping.instance_uuid, partial(finish_detach, mapping=mapping))


def _act(instance: Any) -> Callable[[Scope], None] | None:
    task, vm_state = instance.task_state, instance.vm_state
    if vm_state == "deleted" or task == "deleting":
        return finish_delete
    if vm_state == "soft-delete" or (vm_state == "error" and task not in FROM_ERROR):
        return None
    if vm_state == "building" or task in BUILDING:
        return resume_build
    if task in REBUILDING:
        return fail
    if task in power.SOFT_STATES or task in power.HARD_STATES:
        return finish_reboot
    if task == "powering-off":
        return finish_stop
    if task == "powering-on":
        return finish_start
    if task in AGAIN:
        return do_again
    if task in moves.STEPS:
        return moves.resume
    return clear if task in CLEARED else None


def _take(site: Site, place: Place, server: str, act: Callable[[Scope], None]) -> None:
    """Run `act` in the server's turn with a fresh administrator's context: its event goes to the newest action."""
    context = Context.admin("nova")
    with site.flights.enter(server, "recovery") as flight:
        try:
            instance = site.records.instance(context, server)
        except Exception as error:
            if is_fault(error, "InstanceNotFound"):
                return
            raise
        if instance.host != place.name:
            return
        scope = Scope(site, place, context, instance, flight)
        try:
            act(scope)
        except (Gone, Stopped) as ended:
            LOG.info("Recovery of server %s ends: %s", server, ended)
        except Exception as error:
            # What went wrong stands in the records; the other servers of the host go on.
            LOG.warning("Recovery of server %s failed: %s", server, text(error), exc_info=True)


def resume_build(scope: Scope) -> None:
    """Go on with a build whose machine exists; without one the build is lost and the server goes to ERROR.

    Nova sets every interrupted build to ERROR. Here the machine in the cluster holds all the request carried, so
    nothing has to be guessed to finish it.
    """
    if scope.instance.vm_state != "building" and scope.instance.task_state not in BUILDING:
        return
    site = scope.site
    there = site.kube.find(VM, scope.machine, site.namespace)
    try:
        if there is None or state.terminating(there) or scope.instance.task_state != "spawning":
            raise BuildFailed("The build was interrupted and cannot be continued; delete the server and try again")
        scope.mappings = site.records.mappings(scope.context, scope.server)
        scope.vifs = network.cached(scope)
        run(scope, (boot.gather, boot.spawn, boot.active, boot.tell_scheduler))
    except (Gone, Stopped):
        raise
    except Exception as error:
        if is_fault(error, *MOVED_ON):
            LOG.info("Build of server %s goes on elsewhere: %s", scope.server, error)
            return
        LOG.warning("Build of server %s was not finished: %s", scope.server, text(error))
        boot.give_up(scope, error)
        return
    boot.end_event(scope)


def finish_delete(scope: Scope) -> None:
    """Delete again from the start: every step knows what is gone already."""
    scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, "terminate_instance"):
        delete.delete(scope)


def finish_reboot(scope: Scope) -> None:
    """A reboot that had not begun is done; one that had, and whose guest runs, is over."""
    task = scope.instance.task_state
    running = state.power_state(scope.site.instances.get(scope.machine)) == state.RUNNING
    if running and task in ("reboot_started", "reboot_started_hard"):
        active: dict[str, Any] = {"vm_state": "active", "task_state": None, "power_state": state.RUNNING}
        with recorded(scope.site, scope.place.name, scope.context, scope.instance, "reboot_instance"):
            scope.site.records.save(scope.context, scope.instance, expected=task, **active)
        return
    kind = "SOFT" if task in power.SOFT_STATES else "HARD"
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, "reboot_instance"):
        power.reboot(scope, kind)


def finish_stop(scope: Scope) -> None:
    """Stop again."""
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, "stop_instance"):
        power.stop(scope)


def finish_start(scope: Scope) -> None:
    """Start again."""
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, "start_instance"):
        power.start(scope)


def resume_attach(scope: Scope, mapping: Any) -> None:
    """Attach again from the start: what Cinder and the machine have already is found there."""
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, "attach_volume"):
        attach.attach(scope, mapping)


def finish_detach(scope: Scope, mapping: Any) -> None:
    """Detach again; a volume that left meanwhile is no error."""
    try:
        with recorded(scope.site, scope.place.name, scope.context, scope.instance, "detach_volume"):
            attach.detach(scope, mapping.volume_id, mapping.attachment_id)
    except Exception as error:
        if not is_fault(error, "VolumeBDMNotFound"):
            raise


def do_again(scope: Scope) -> None:
    """Do an operation again that knows by itself what was done already."""
    method, act = AGAIN[scope.instance.task_state]
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, method):
        act(scope)


def clear(scope: Scope) -> None:
    """The task state goes back to null; the server is as it was."""
    scope.site.records.save(scope.context, scope.instance, expected=scope.instance.task_state, task_state=None)


def fail(scope: Scope) -> None:
    """ERROR: what was half done cannot be told."""
    scope.site.records.save(scope.context, scope.instance, vm_state="error", task_state=None)
