"""Rebuild on the same host: the server's local disks are made anew, everything else stays (nova 34.0.0 flow rebuild).

Ports and volumes keep their bindings and attachments: the machine that used them is the one that uses them afterwards.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from keel_common.clients.errors import ClientError
from keel_common.kube import KubeError
from keel_compute.errors import BuildAbort, BuildFailed, NotSupported, Refused
from keel_compute.flows import boot, power
from keel_compute.kubevirt import state
from keel_compute.records import now
from keel_compute.scope import Scope
from keel_compute.steps import disks, machine, network, reimage, volumes

LOG = logging.getLogger(__name__)


@dataclass
class Rebuild(Scope):
    """A rebuild with what the request says. `was_stopped`: the server ends stopped again.

    `reimage_boot_volume`: the volume it boots from gets the image (2.93); without it a boot volume stays as it is.
    """

    image_ref: str | None = None
    preserve_ephemeral: bool = False
    was_stopped: bool = False
    reimage_boot_volume: bool = False


def rebuild(scope: Rebuild) -> None:
    """Run the rebuild; ends in active, or stopped when the server was. After a failure the server is in ERROR."""
    records = scope.site.records
    before = state.power_state(scope.site.instances.get(scope.machine)) or state.NOSTATE
    records.save(scope.context, scope.instance, expected="rebuilding", task_state="rebuilding", power_state=before)
    try:
        _renew(scope)
    except (BuildAbort, BuildFailed, Refused, KubeError, ClientError):
        records.fail(scope.context, scope.instance)
        raise
    records.settle(scope.context, scope.instance, "rebuild_spawning", "active", state.RUNNING, launched_at=now())
    if scope.was_stopped:
        records.save(scope.context, scope.instance, vm_state="active", task_state="powering-off")
        power.stop(scope)


def _renew(scope: Rebuild) -> None:
    records = scope.site.records
    _remember(scope)
    root = reimage.boot_volume(scope) if scope.reimage_boot_volume else None
    machine.stop(scope)
    for disk in disks.planned(scope):
        if disk.from_image or not scope.preserve_ephemeral:
            disks.discard(scope, disk.suffix)
    records.save(scope.context, scope.instance, expected="rebuilding", task_state="rebuild_block_device_mapping")
    volumes.name_devices(scope)
    if root is not None and scope.image_ref:
        reimage.write_over(scope, root, scope.image_ref)
    disks.begin(scope)
    disks.wait(scope)
    boot.gather(scope)
    records.save(scope.context, scope.instance, expected="rebuild_block_device_mapping", task_state="rebuild_spawning")
    boot.spawn(scope)
    if root is not None:
        volumes.complete(scope, root)


def _remember(scope: Rebuild) -> None:
    """The image, the ports and the mappings. An image that is gone is found out before anything is taken away."""
    if scope.image_ref:
        scope.image = scope.site.clients.glance.show(scope.asker, scope.image_ref)
    if not scope.mappings:
        scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    if not scope.vifs:
        scope.vifs = network.cached(scope)


def refuse(recreate: bool, injected_files: object) -> None:
    """Raise NotSupported for what this host does not do; the server stays as it was."""
    if recreate:
        raise NotSupported("Evacuation to a KubeVirt host is not supported")
    if injected_files:
        raise NotSupported("Files cannot be injected into a server on this cluster; use user data")
