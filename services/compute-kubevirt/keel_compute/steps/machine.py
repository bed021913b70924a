"""The VirtualMachine of a server: apply, start, stop, remove."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from keel_common.kube import (
    DATAVOLUME,
    EVENT,
    NAD,
    PVC,
    SECRET,
    VM,
    VMI,
    Conflict,
    Expired,
    Invalid,
    KubeError,
    NotFound,
    names,
)
from keel_compute.errors import BuildAbort, BuildFailed, Refused
from keel_compute.kubevirt import cloudinit, state
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.kubevirt.hardware import VIF_MODELS, choice_of
from keel_compute.kubevirt.nics import Nic, nic_of
from keel_compute.kubevirt.spec import Machine, virtual_machine
from keel_compute.scope import Scope
from keel_compute.steps import cluster

LOG = logging.getLogger(__name__)

UNDERWAY = "already underway"
"""Part of KubeVirt's answer 500 to a start or stop while one is queued."""


def nics(scope: Scope) -> list[Nic]:
    """The cards of the cached ports. Raises Unsupported."""
    model = choice_of(scope.properties, "hw_vif_model", VIF_MODELS, "virtio")
    return [nic_of(vif, model) for vif in scope.vifs]


def wants_config_drive(scope: Scope) -> bool:
    """A config drive is made when asked for, and when there is something to tell the guest."""
    instance = scope.instance
    asked = str(instance.config_drive or "").lower() not in ("", "0", "false", "no")
    mandatory = scope.properties.get("img_config_drive") == "mandatory"
    return bool(asked or mandatory or scope.site.conf.force_config_drive or instance.user_data or instance.key_data)


def shutdown_timeout(scope: Scope) -> int:
    """Seconds the guest gets to shut down."""
    return int(scope.properties.get("os_shutdown_timeout") or scope.site.conf.shutdown_timeout)


def describe(scope: Scope) -> dict:
    """The VirtualMachine as the records say it must be. Raises Unsupported."""
    instance = scope.instance
    machine = Machine(
        server=scope.server,
        project=instance.project_id,
        host=scope.place.name,
        node_label=scope.place.label,
        vcpus=instance.flavor.vcpus,
        memory_mb=instance.flavor.memory_mb,
        extra_specs=instance.flavor.get("extra_specs") or {},
        properties=scope.properties,
        hostname=instance.hostname,
        disks=scope.disks,
        nics=nics(scope),
        config_drive=wants_config_drive(scope),
        ssh_key=bool(instance.key_data),
        shutdown_timeout=shutdown_timeout(scope),
    )
    return virtual_machine(machine, scope.site.namespace)


def apply(scope: Scope) -> None:
    """Put Secrets, network attachments and the VirtualMachine into the cluster as the records say.

    Raises BuildAbort for what no other host could do either (unsupported hardware, refused by admission).
    """
    site = scope.site
    try:
        body = describe(scope)
        for nic in nics(scope):
            site.kube.apply(NAD, nic.attachment(site.namespace, {**scope.labels, names.PORT: nic.port}))
        if wants_config_drive(scope):
            _secrets(scope)
        _settled(scope)
        scope.uids[scope.machine] = site.kube.apply(VM, body)["metadata"]["uid"]
    except (Unsupported, Invalid) as refused:
        raise BuildAbort(f"The cluster cannot run this server: {refused}") from refused


def _secrets(scope: Scope) -> None:
    site, instance = scope.site, scope.instance
    body = cloudinit.secret(scope.server, site.namespace, scope.labels, instance.user_data)
    site.kube.apply(SECRET, body)
    if instance.key_data:
        site.kube.apply(SECRET, cloudinit.key_secret(scope.server, site.namespace, scope.labels, instance.key_data))


def _settled(scope: Scope) -> None:
    """A machine of an earlier try that is being deleted must be gone first; a finished one must be ours."""
    there = scope.site.kube.find(VM, scope.machine, scope.site.namespace)
    if there is None:
        return
    if state.terminating(there):
        cluster.absent(
            scope.site.kube,
            VM,
            scope.machine,
            scope.site.namespace,
            scope.site.conf.kubevirt.delete_timeout,
            uid=there["metadata"]["uid"],
        )


def start(scope: Scope) -> None:
    """Ask for the guest to run; running or being started already counts as asked."""
    try:
        scope.site.kube.subresource("PUT", VM, scope.machine, scope.site.namespace, "start", {})
    except Conflict as refused:
        if "already running" not in refused.message:
            raise
        _not_leaving(scope)
    except KubeError as refused:
        if UNDERWAY not in refused.message:
            raise


def _not_leaving(scope: Scope) -> None:
    """An instance that is on its way out answers "already running" too: wait for its end and ask again."""
    vmi = scope.site.kube.find(VMI, scope.machine, scope.site.namespace)
    if vmi is not None and not state.terminating(vmi):
        return
    if vmi is not None:
        gone(scope, vmi["metadata"]["uid"], scope.site.conf.kubevirt.delete_timeout)
    scope.site.kube.subresource("PUT", VM, scope.machine, scope.site.namespace, "start", {})


def running(scope: Scope, not_uid: str | None = None) -> dict:
    """Wait until the guest runs; answers the instance. `not_uid` is an earlier one that does not count.

    Raises BuildFailed with what the cluster complains about when it fails or [kubevirt]start_timeout passes.
    """
    group = scope.site.conf.kubevirt
    begun = time.monotonic()

    def ready(vmi: dict | None) -> dict | None:
        scope.flight.check()
        if vmi is None or not _ours(scope, vmi, not_uid) or state.terminating(vmi):
            _accepted(scope, begun)
            return None
        if state.phase(vmi) in state.FINAL:
            raise BuildFailed(f"The guest ended before it ran ({state.phase(vmi)}): {complaint(scope, vmi)}")
        return vmi if state.phase(vmi) == "Running" else None

    try:
        return scope.site.instances.wait(scope.machine, ready, group.start_timeout)
    except Expired as late:
        vmi = scope.site.instances.get(scope.machine)
        raise BuildFailed(f"The guest did not run within {group.start_timeout} s: {complaint(scope, vmi)}") from late


def _ours(scope: Scope, vmi: dict, not_uid: str | None) -> bool:
    """False for the instance before a restart, and for one of an earlier machine of the same name (a cache behind)."""
    machine = scope.uids.get(scope.machine)
    owners = [each["uid"] for each in vmi["metadata"].get("ownerReferences") or ()]
    return vmi["metadata"]["uid"] != not_uid and (machine is None or not owners or machine in owners)


def _accepted(scope: Scope, begun: float) -> None:
    """While there is no instance: a machine whose start the cluster refuses will not heal, so give up at once."""
    machine = scope.site.machines.get(scope.machine)
    failure = state.condition(machine or {}, "Failure")
    if failure.get("status") == "True" and failure.get("reason") == "FailedCreate" and time.monotonic() - begun > 2:
        raise BuildAbort(f"The cluster refused to start the server: {failure.get('message')}")


def complaint(scope: Scope, vmi: dict | None) -> str:
    """Why a guest does not run, in the cluster's words: conditions first, else the newest warning."""
    words = state.trouble(scope.site.machines.get(scope.machine), vmi)
    if words:
        return words
    try:
        fields = f"involvedObject.name={scope.machine},type=Warning"
        events = scope.site.kube.list(EVENT, scope.site.namespace, fields=fields)
    except KubeError as error:
        LOG.info("Events of %s could not be read: %s", scope.machine, error)
        events = []
    if events:
        newest = max(events, key=lambda each: each.get("lastTimestamp") or each["metadata"]["creationTimestamp"])
        return f"{newest.get('reason')}: {newest.get('message')}"
    return f"phase {state.phase(vmi) or 'none'}"


def stop(scope: Scope, graceful: bool = True) -> None:
    """Power off and wait until no guest is left. A guest that ended by itself is cleared away.

    `graceful` gives it the shutdown time-out, else the plug is pulled. Raises Refused when it does not go.
    """
    site = scope.site
    vmi = site.kube.find(VMI, scope.machine, site.namespace)
    if vmi is None:
        return
    grace = shutdown_timeout(scope) if graceful else 0
    uid = vmi["metadata"]["uid"]
    if state.is_off(vmi):
        site.kube.delete(VMI, scope.machine, site.namespace, uid=uid)
    elif not state.terminating(vmi):
        _ask_stop(scope, grace, uid)
    gone(scope, uid, grace + site.conf.kubevirt.stop_margin)


def _ask_stop(scope: Scope, grace: int, uid: str) -> None:
    site = scope.site
    try:
        site.kube.subresource("PUT", VM, scope.machine, site.namespace, "stop", {"gracePeriod": grace})
    except Conflict as refused:
        # It ended by itself between the look and the request: what is left of it is cleared away.
        LOG.info("Server %s: %s", scope.server, refused.message)
        site.kube.delete(VMI, scope.machine, site.namespace, uid=uid)
    except KubeError as refused:
        if UNDERWAY not in refused.message:
            raise


def gone(scope: Scope, uid: str, timeout: float) -> None:
    """Wait until the instance with that uid is no more. Raises Refused."""

    def left(vmi: dict | None) -> bool:
        return vmi is None or vmi["metadata"]["uid"] != uid

    try:
        scope.site.instances.wait(scope.machine, left, timeout)
    except Expired as late:
        raise Refused(f"The guest of server {scope.server} did not end within {timeout:.0f} s") from late


def remove(scope: Scope) -> None:
    """Take the machine and everything made for it out of the cluster; what is absent already counts as removed.

    Claims go after the machine, so that no guest loses a disk under its feet. Raises Refused when the machine stays.
    """
    site = scope.site
    timeout = shutdown_timeout(scope) + site.conf.kubevirt.delete_timeout
    try:
        cluster.absent(site.kube, VM, scope.machine, site.namespace, timeout)
    except Expired as late:
        raise Refused(late.message) from late
    for kind in (DATAVOLUME, PVC, SECRET, NAD):
        cluster.sweep(site.kube, kind, site.namespace, scope.server)


def patch(scope: Scope, build: Callable[[dict], list[dict]]) -> bool:
    """Apply the JSON patch that `build` makes of the machine's template, again when somebody wrote in between.

    False when there was nothing to do. Raises Refused when the machine is absent or the patch is refused.
    """
    site = scope.site
    for _ in range(5):
        try:
            there = site.kube.get(VM, scope.machine, site.namespace)
            operations = build(there["spec"]["template"]["spec"])
            if not operations:
                return False
            site.kube.patch(VM, scope.machine, site.namespace, operations, type="json")
            return True
        except NotFound:
            raise Refused(f"Server {scope.server} has no VirtualMachine") from None
        except (Invalid, Conflict) as refused:
            last = refused
            if refused.details.get("causes"):
                break
    raise Refused(f"The cluster refused the change of server {scope.server}: {last}")
