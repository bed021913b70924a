"""Pause and unpause, soft deletion and its revocation (nova 34.0.0 flows pause, unpause, soft_delete, restore)."""

from __future__ import annotations

from keel_common.kube import VMI, Conflict, Expired
from keel_compute.errors import Refused
from keel_compute.flows import power
from keel_compute.kubevirt import state
from keel_compute.scope import Scope
from keel_compute.steps import machine


def pause(scope: Scope) -> None:
    """Freeze the guest's processors; ends in paused. Raises Refused when no guest runs."""
    _switch(scope, "pause", state.PAUSED)
    scope.site.records.settle(scope.context, scope.instance, "pausing", "paused", state.PAUSED)


def unpause(scope: Scope) -> None:
    """Let the guest go on; ends in active. Raises Refused when no guest is there."""
    _switch(scope, "unpause", state.RUNNING)
    scope.site.records.settle(scope.context, scope.instance, "unpausing", "active", state.RUNNING)


def _switch(scope: Scope, verb: str, wanted: int) -> None:
    """Ask KubeVirt and wait for the condition Paused to come or go; asked before counts as asked."""
    site = scope.site
    if state.power_state(site.kube.find(VMI, scope.machine, site.namespace)) != wanted:
        try:
            site.kube.subresource("PUT", VMI, scope.machine, site.namespace, verb)
        except Conflict as refused:
            if state.power_state(site.kube.find(VMI, scope.machine, site.namespace)) != wanted:
                raise Refused(f"The guest of server {scope.server} cannot {verb}: {refused.message}") from refused

    def there(vmi: dict | None) -> bool:
        scope.flight.check()
        if state.is_off(vmi):
            raise Refused(f"The guest of server {scope.server} ended")
        return state.power_state(vmi) == wanted

    timeout = site.conf.kubevirt.start_timeout
    try:
        site.instances.wait(scope.machine, there, timeout)
    except Expired as late:
        raise Refused(f"The guest of server {scope.server} did not {verb} within {timeout} s") from late


def soft_delete(scope: Scope) -> None:
    """Power off and keep everything until it is restored or reclaimed; ends in soft-delete."""
    machine.stop(scope)
    scope.site.records.settle(scope.context, scope.instance, "soft-deleting", "soft-delete", state.SHUTDOWN)


def restore(scope: Scope) -> None:
    """Power on what was deleted softly; ends in active."""
    power.rebuild(scope)
    power.power_on(scope)
    scope.site.records.settle(scope.context, scope.instance, "restoring", "active", state.RUNNING)
