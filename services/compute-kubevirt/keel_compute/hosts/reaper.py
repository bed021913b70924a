"""Leftovers of a host: builds whose request was lost, allocations and machines of servers that are gone.

The bus delivers at most once, so a request can vanish with the process that took it; what it left is found by
comparing Placement, the cluster and the records (nova 34.0.0: interrupted builds at start, allocations of deleted
instances, running deleted instances).
"""

from __future__ import annotations

import datetime
import logging
from typing import Any

from keel_common.kube import names
from keel_compute.errors import BuildFailed, is_fault
from keel_compute.flows import boot
from keel_compute.records import now
from keel_compute.scope import Place, Scope
from keel_compute.site import Site
from keel_compute.steps import machine
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


def reap(site: Site, place: Place, context: Context, instances: list[Any]) -> None:
    """Look at whatever claims to belong to the host and is none of its `instances`."""
    ours = {each.uuid for each in instances}
    claims = set(site.clients.placement.provider_allocations(place.uuid)) - ours
    machines = {server for server in _machines(site, place) if server not in ours}
    strangers = sorted(each for each in claims | machines if not site.flights.busy(each))
    if not strangers:
        return
    living = {each.uuid: each for each in site.records.instances_by(context, strangers)}
    for server, instance in living.items():
        if server in claims and _lost(site, instance):
            _bury(site, place, context, instance)
        elif instance.host is None and instance.vm_state == "error":
            _take_back(site, place, context, instance, server in machines, server in claims)
    dead = {each.uuid: each for each in site.records.instances_by(context, sorted(set(strangers) - set(living)), True)}
    for server, instance in dead.items():
        _take_back(site, place, context, instance, server in machines, server in claims)


def overdue(site: Site, instances: list[Any]) -> list[Any]:
    """Softly deleted servers whose time is over ([DEFAULT]reclaim_instance_interval; nova 34.0.0
    _reclaim_queued_deletes)."""
    seconds = site.conf.reclaim_instance_interval
    if seconds <= 0:
        return []
    limit = now() - datetime.timedelta(seconds=seconds)
    return [
        each
        for each in instances
        if each.vm_state == "soft-delete" and each.task_state is None and (each.get("deleted_at") or now()) < limit
    ]


def _take_back(site: Site, place: Place, context: Context, instance: Any, has_machine: bool, has_claim: bool) -> None:
    """What a server that is deleted, or was given up, still has here."""
    if has_machine:
        LOG.warning("Server %s is gone but its machine is still there; it is removed", instance.uuid)
        with site.flights.enter(instance.uuid, "reap") as flight:
            machine.remove(Scope(site, place, context, instance, flight))
    if has_claim:
        LOG.warning("Server %s is gone but still holds an allocation; it is given back", instance.uuid)
        site.clients.placement.delete_allocations(instance.uuid)


def _machines(site: Site, place: Place) -> list[str]:
    found = []
    for body in site.machines.items():
        labels = body["metadata"].get("labels") or {}
        if labels.get(names.HOST) == place.name and labels.get(names.SERVER):
            found.append(labels[names.SERVER])
    return found


def _lost(site: Site, instance: Any) -> bool:
    """A build that nobody began: on no host, and older than any queue can be."""
    if instance.host is not None or instance.vm_state != "building" or instance.task_state not in ("scheduling", None):
        return False
    since = instance.get("updated_at") or instance.get("created_at")
    return since is not None and now() - since > datetime.timedelta(seconds=site.conf.kubevirt.lost_build_age)


def _bury(site: Site, place: Place, context: Context, instance: Any) -> None:
    LOG.warning("Server %s: its build was never begun; it goes to ERROR", instance.uuid)
    with site.flights.enter(instance.uuid, "reap") as flight:
        scope = Scope(site, place, context, instance, flight)
        error = BuildFailed("The request to build the server was lost; delete it and try again")
        try:
            site.records.save(context, instance, expected=("scheduling", None), vm_state="error", task_state=None)
        except Exception as refused:
            if is_fault(refused, "UnexpectedTaskStateError", "UnexpectedDeletingTaskStateError", "InstanceNotFound"):
                return
            raise
        boot.give_up(scope, error)
