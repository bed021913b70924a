"""Rescue and unrescue (nova 34.0.0 flows rescue, unrescue).

The machine gets one disk more, filled from the rescue image and first in the order of boot; the server's own disks
keep their places behind it. Everything else of the machine stays, so unrescue is the machine as the records say.
"""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.kube import Expired, KubeError
from keel_compute.errors import BuildAbort, BuildFailed, Refused, text
from keel_compute.flows import boot, power
from keel_compute.kubevirt import state
from keel_compute.kubevirt.disks import Disk, LocalDisk, image_root_size, local_disk
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.records import now
from keel_compute.scope import Scope
from keel_compute.steps import disks, machine, network
from keel_contract.errors import ExpectedFault

LOG = logging.getLogger(__name__)

SUFFIX = "rescue"
"""Part of the name of the disk that holds the rescue image."""


def rescue(scope: Scope, image_id: str | None, graceful: bool) -> None:
    """Boot the rescue image; ends in rescued. The guest runs on while the image is fetched.

    Raises InstanceNotRescuable; the guest then runs from its own disks again when it did before.
    """
    ran = not state.is_off(scope.site.instances.get(scope.machine))
    try:
        spare = _fetch(scope, image_id)
        machine.stop(scope, graceful)
        _boot_from(scope, spare)
    except (BuildAbort, BuildFailed, Refused, Unsupported, KubeError, ClientError) as failed:
        _bring_back(scope, ran)
        reason = f"Instance {scope.server} cannot be rescued: {text(failed)}"
        raise ExpectedFault("InstanceNotRescuable", reason) from failed
    scope.site.records.settle(scope.context, scope.instance, "rescuing", "rescued", state.RUNNING, launched_at=now())


def _fetch(scope: Scope, image_id: str | None) -> LocalDisk:
    """The disk with the rescue image: the one asked for, else the image the server was made of."""
    own = (scope.instance.get("system_metadata") or {}).get("image_base_image_ref")
    chosen = image_id or scope.instance.image_ref or own
    if not chosen:
        raise Refused("no rescue image was named and the server has no image of its own")
    scope.image = scope.site.clients.glance.show(scope.asker, chosen)
    spare = LocalDisk(SUFFIX, image_root_size(0, scope.image), from_image=True)
    disks.discard(scope, SUFFIX)
    disks.begin(scope, [spare])
    disks.wait(scope, [spare])
    return spare


def _boot_from(scope: Scope, spare: LocalDisk) -> None:
    """Start the machine with the spare disk before all others."""
    _gather(scope)
    first = local_disk(scope.server, spare, _rescue_properties(scope))
    scope.disks = [first, *map(_behind, scope.disks)]
    machine.apply(scope)
    power.power_on(scope)


def _gather(scope: Scope) -> None:
    if not scope.mappings:
        scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    if not scope.vifs:
        scope.vifs = network.cached(scope)
    boot.gather(scope)


def _behind(disk: Disk) -> Disk:
    return disk if disk.boot_index is None else dataclasses.replace(disk, boot_index=disk.boot_index + 1)


def _rescue_properties(scope: Scope) -> dict[str, Any]:
    """hw_rescue_bus of the rescue image says where its disk sits, else it is where the server's disks are."""
    bus = scope.image.get("hw_rescue_bus") or scope.properties.get("hw_disk_bus")
    chosen = {"hw_disk_bus": bus} if bus else {}
    return {**chosen, "disk_format": scope.image.get("disk_format")}


def _bring_back(scope: Scope, ran: bool) -> None:
    """The machine as it was before; what cannot be brought back is logged, the first error is the one that is told."""
    try:
        if ran and state.is_off(scope.site.instances.get(scope.machine)):
            power.rebuild(scope)
            power.power_on(scope)
        disks.discard(scope, SUFFIX)
    except (Refused, KubeError, Expired) as again:
        LOG.warning("Server %s: its own disks were not booted again: %s", scope.server, text(again))


def unrescue(scope: Scope) -> None:
    """Boot from the server's own disks; ends in active."""
    machine.stop(scope)
    power.rebuild(scope)
    disks.discard(scope, SUFFIX)
    power.power_on(scope)
    scope.site.records.settle(scope.context, scope.instance, "unrescuing", "active", state.RUNNING)


def give_up(scope: Scope) -> None:
    """A rescue that an earlier process began: back to the server's own disks, running when it was to run.

    Raises InstanceNotRescuable, so that the event says what became of it.
    """
    machine.stop(scope)
    _bring_back(scope, ran=scope.instance.vm_state != "stopped")
    raise ExpectedFault("InstanceNotRescuable", f"Instance {scope.server} cannot be rescued: it was interrupted")
