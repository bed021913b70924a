"""Power states: what a guest did by itself, or somebody did to it behind Nova's back.

Rules (nova 34.0.0 power sync): only while no task runs and the host is ours. The new power_state is saved; an active
server whose guest is off becomes stopped, a stopped one that runs is stopped again, a paused one that is off becomes
stopped.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from keel_common.kube import names
from keel_common.runtime import Workers
from keel_compute.errors import is_fault, text
from keel_compute.hosts.host import Host
from keel_compute.kubevirt import state
from keel_compute.scope import Place, Scope
from keel_compute.site import Site
from keel_compute.steps import machine
from keel_contract.context import Context

LOG = logging.getLogger(__name__)

OFF = (state.SHUTDOWN, state.CRASHED)


class PowerSync:
    """Follows VirtualMachineInstances. `host_of(name)` answers the Host when it is up here, else None."""

    def __init__(self, site: Site, workers: Workers, host_of: Callable[[str], Host | None]) -> None:
        self._site = site
        self._workers = workers
        self._host_of = host_of
        self._queued: set[str] = set()
        self._lock = threading.Lock()

    def changed(self, event: str, vmi: dict, before: dict | None) -> None:
        """Handler of the instance informer: a look at the record is queued when the power state may have changed."""
        server = names.server_of(vmi["metadata"]["name"])
        if server is None:
            return
        after = None if event == "DELETED" else vmi
        if event == "MODIFIED" and state.power_state(after) == state.power_state(before):
            return
        if state.power_state(after) in (None, state.NOSTATE) or self._site.flights.busy(server):
            # On its way somewhere, or a flow is at it: the flow writes what it made, the audit finds the rest.
            return
        with self._lock:
            if server in self._queued:
                return
            self._queued.add(server)
        self._workers.submit(self._look, server)

    def _look(self, server: str) -> None:
        with self._lock:
            self._queued.discard(server)
        context = Context.admin("nova")
        try:
            instance = self._site.records.instance(context, server)
        except Exception as error:
            if is_fault(error, "InstanceNotFound"):
                LOG.info("Server %s is not in the records any more", server)
                return
            raise
        host = self._host_of(instance.host) if instance.host else None
        if host is not None and host.place is not None:
            self.settle(host.place, context, instance)

    def audit(self, host: Host) -> None:
        """Compare every server of a host with its guest ([DEFAULT]sync_power_state_interval)."""
        if host.place is None:
            return
        context = Context.admin("nova")
        for instance in self._site.records.instances_of(context, host.name):
            if instance.task_state is None and not self._site.flights.busy(instance.uuid):
                try:
                    self.settle(host.place, context, instance)
                except Exception as error:
                    LOG.warning("Server %s: power state was not settled: %s", instance.uuid, text(error))

    def settle(self, place: Place, context: Context, instance: Any) -> None:
        """Make the record true, or the guest, as the rules say."""
        with self._site.flights.enter(instance.uuid, "power sync") as flight:
            scope = Scope(self._site, place, context, instance, flight)
            now = state.power_state(self._site.instances.get(scope.machine))
            if now in (None, state.NOSTATE) or instance.task_state is not None:
                return
            changes: dict[str, Any] = {} if instance.power_state == now else {"power_state": now}
            if instance.vm_state in ("active", "paused") and now in OFF:
                LOG.info("Server %s: the guest is off, so the server is stopped", scope.server)
                changes["vm_state"] = "stopped"
            elif instance.vm_state in ("stopped", "soft-delete") and now in (state.RUNNING, state.PAUSED):
                LOG.warning("Server %s is stopped but its guest runs; it is stopped again", scope.server)
                machine.stop(scope)
                changes = {"power_state": state.SHUTDOWN}
            if not changes:
                return
            try:
                self._site.records.save(context, instance, expected=(None,), **changes)
            except Exception as error:
                if not is_fault(
                    error, "UnexpectedTaskStateError", "UnexpectedDeletingTaskStateError", "InstanceNotFound"
                ):
                    raise
                LOG.info("Server %s: somebody else is at it", scope.server)
