"""Stop, start and reboot (nova 34.0.0 flows stop, start, reboot_soft, reboot_hard)."""

from __future__ import annotations

import logging

from keel_common.kube import VM, VMI, Conflict, KubeError
from keel_compute.errors import BuildAbort, BuildFailed, Refused
from keel_compute.flows import boot
from keel_compute.kubevirt import state
from keel_compute.scope import Scope
from keel_compute.steps import machine, network

LOG = logging.getLogger(__name__)

HARD_STATES = ("rebooting_hard", "reboot_pending_hard", "reboot_started_hard")
SOFT_STATES = ("rebooting", "reboot_pending", "reboot_started")


def stop(scope: Scope, graceful: bool = True) -> None:
    """Power off; ends in stopped. Raises Refused when the guest does not go."""
    machine.stop(scope, graceful)
    expected: list[str | None] = ["powering-off"]
    if scope.instance.task_state is None:
        # The guest was off already when the request came (nova 34.0.0 stop).
        expected.append(None)
    scope.site.records.settle(scope.context, scope.instance, expected, "stopped", state.SHUTDOWN)


def start(scope: Scope) -> None:
    """Power on with the template that the records ask for; ends in active."""
    rebuild(scope)
    power_on(scope)
    scope.site.records.settle(scope.context, scope.instance, "powering-on", "active", state.RUNNING)


def rebuild(scope: Scope) -> None:
    """Apply the machine anew from mappings and ports, so that what changed while it was off takes effect.

    The mappings are read when the message did not bring them. Raises Refused with the reason.
    """
    if not scope.mappings:
        scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    if not scope.vifs:
        scope.vifs = network.cached(scope)
    try:
        boot.gather(scope)
        machine.apply(scope)
    except BuildAbort as refused:
        raise Refused(str(refused)) from refused


def power_on(scope: Scope) -> None:
    """Start and wait for the guest. Raises Refused with the cluster's reason.

    A guest that ended by itself leaves its instance until the next start; that one does not count.
    """
    old = scope.site.kube.find(VMI, scope.machine, scope.site.namespace)
    ended = old["metadata"]["uid"] if old and (state.is_off(old) or state.terminating(old)) else None
    try:
        machine.start(scope)
        machine.running(scope, ended)
    except (BuildAbort, BuildFailed) as failed:
        raise Refused(str(failed)) from failed


def reboot(scope: Scope, kind: str) -> None:
    """Reboot; ends in active. SOFT asks the guest and falls back to HARD when it cannot be asked.

    After a failed hard reboot with no guest left the server is in ERROR, else it stays as it was (nova 34.0.0 reboot).
    """
    soft = kind == "SOFT"
    expected, pending, started = (
        (SOFT_STATES, "reboot_pending", "reboot_started")
        if soft
        else (HARD_STATES, "reboot_pending_hard", "reboot_started_hard")
    )
    records = scope.site.records
    before = state.power_state(scope.site.instances.get(scope.machine))
    records.save(scope.context, scope.instance, expected=expected, task_state=pending, power_state=before or 0)
    records.save(scope.context, scope.instance, expected=pending, task_state=started)
    try:
        if not (soft and _soft(scope)):
            _hard(scope)
    except (Refused, KubeError) as failed:
        _failed(scope, failed)
        raise
    records.save(scope.context, scope.instance, vm_state="active", task_state=None, power_state=state.RUNNING)


def _soft(scope: Scope) -> bool:
    """Ask the guest through its agent or ACPI; False when it cannot be asked (hard it is, as Nova's libvirt driver
    does).
    """
    try:
        scope.site.kube.subresource("PUT", VMI, scope.machine, scope.site.namespace, "softreboot")
    except (Conflict, KubeError) as refused:
        LOG.info("Server %s cannot be rebooted softly: %s", scope.server, refused)
        return False
    return True


def _hard(scope: Scope) -> None:
    """A new instance from the template as the records say; the old one loses its power at once."""
    site = scope.site
    old = site.kube.find(VMI, scope.machine, site.namespace)
    rebuild(scope)
    uid = old["metadata"]["uid"] if old else None
    if state.is_off(old):
        power_on(scope)
        return
    try:
        site.kube.subresource("PUT", VM, scope.machine, site.namespace, "restart", {"gracePeriodSeconds": 0})
    except Conflict as refused:
        LOG.info("Server %s ended before its restart: %s", scope.server, refused.message)
        machine.stop(scope, graceful=False)
        machine.start(scope)
    except KubeError as refused:
        if machine.UNDERWAY not in refused.message:
            raise
    try:
        machine.running(scope, uid)
    except (BuildAbort, BuildFailed) as failed:
        raise Refused(str(failed)) from failed


def _failed(scope: Scope, error: Exception) -> None:
    vmi = scope.site.instances.get(scope.machine)
    now = state.power_state(vmi)
    if now in (state.RUNNING, state.PAUSED, None):
        return
    LOG.warning("Server %s does not run after its reboot: %s", scope.server, error)
    scope.site.records.fail(scope.context, scope.instance, power_state=now)
