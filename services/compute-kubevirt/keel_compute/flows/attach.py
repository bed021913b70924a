"""Volumes of a server that exists (nova 34.0.0 flows attach_volume, detach_volume).

Hotplug is declarative: disk and volume enter the VirtualMachine's template and KubeVirt carries them into the running
guest. An answer 202 is no success: only the instance's volumeStatus tells.
"""

from __future__ import annotations

import logging
from typing import Any

from keel_common.kube import Expired, names
from keel_compute.errors import Refused, is_fault
from keel_compute.kubevirt import state
from keel_compute.kubevirt.disks import Disk, volume_disk
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.kubevirt.spec import attach_patch, detach_patch
from keel_compute.scope import Scope
from keel_compute.steps import machine, volumes
from keel_contract.errors import RemoteFault

LOG = logging.getLogger(__name__)


def attach(scope: Scope, mapping: Any) -> None:
    """Give the volume of a reserved mapping to the server; ends with the volume in-use.

    On failure the attachment and the mapping are taken back before the error is raised (nova 34.0.0 attach_volume).
    """
    try:
        info = volumes.connect(scope, mapping)
        disk = volume_disk(mapping, info, scope.properties, root=False)
        plug(scope, disk)
        volumes.complete(scope, mapping)
        # Saved last: a mapping without connection_info is an attachment that was interrupted.
        volumes.save_connection(scope, mapping, info)
    except Exception as error:
        _take_back(scope, mapping)
        if isinstance(error, Unsupported):
            raise Refused(str(error)) from error
        raise


def extended(scope: Scope, volume: str) -> None:
    """Write down the new size of a volume that has grown; the guest learns it from KubeVirt, which follows the claim.

    An event about a volume that the server does not have (any more) is none of its business.
    """
    try:
        mapping = scope.site.records.mapping(scope.context, volume, scope.server)
    except RemoteFault as fault:
        if not is_fault(fault, "VolumeBDMNotFound"):
            raise
        LOG.warning("Server %s has no volume %s that could have grown", scope.server, volume)
        return
    size = scope.site.clients.cinder.show_volume(scope.asker, volume)["size"]
    scope.site.records.save_mapping(scope.context, mapping, volume_size=size)


def _take_back(scope: Scope, mapping: Any) -> None:
    for step in (_unplug_quietly, volumes.disconnect):
        try:
            step(scope, mapping)
        except Exception:
            LOG.exception("Server %s: volume %s could not be taken back whole", scope.server, mapping.volume_id)
    scope.site.records.destroy_mapping(scope.context, mapping)


def _unplug_quietly(scope: Scope, mapping: Any) -> None:
    unplug(scope, names.disk(mapping.volume_id))


def plug(scope: Scope, disk: Disk) -> None:
    """Put the disk into the machine and wait until a running guest has it. Raises Refused with the cluster's reason."""
    machine.patch(scope, lambda template: attach_patch(template, disk))
    if state.is_off(scope.site.instances.get(scope.machine)):
        return
    group = scope.site.conf.kubevirt

    def ready(vmi: dict | None) -> bool:
        scope.flight.check()
        if state.is_off(vmi):
            return True
        _healthy(scope)
        status = volume_status(vmi, disk.name)
        return status is not None and status.get("phase") == "Ready"

    try:
        scope.site.instances.wait(scope.machine, ready, group.attach_timeout)
    except Expired as late:
        vmi = scope.site.instances.get(scope.machine)
        status = volume_status(vmi, disk.name) or {}
        words = status.get("message") or machine.complaint(scope, vmi)
        raise Refused(
            f"Volume {disk.serial} did not reach the guest within {group.attach_timeout} s "
            f"(phase {status.get('phase', 'none')}; {words})"
        ) from late


def _healthy(scope: Scope) -> None:
    failure = state.condition(scope.site.machines.get(scope.machine) or {}, "Failure")
    if failure.get("status") == "True" and failure.get("reason") == "HotPlugVolumeError":
        raise Refused(f"The cluster refused the volume: {failure.get('message')}")


def volume_status(vmi: dict | None, name: str) -> dict | None:
    """The entry of status.volumeStatus, None when the guest does not have the volume."""
    for each in (vmi or {}).get("status", {}).get("volumeStatus") or ():
        if each["name"] == name:
            return each
    return None


def detach(scope: Scope, volume: str, attachment: str | None) -> None:
    """Take a volume away from the server; ends with the mapping gone and the volume available.

    A volume that was part of the machine when it booted cannot leave a running guest: Refused (Nova's
    DeviceDetachFailed).
    """
    mapping = scope.site.records.mapping(scope.context, volume, scope.server)
    unplug(scope, names.disk(volume))
    if attachment and not mapping.attachment_id:
        mapping.attachment_id = attachment
    volumes.disconnect(scope, mapping)
    scope.site.records.destroy_mapping(scope.context, mapping)


def unplug(scope: Scope, name: str) -> None:
    """Take the disk out of the machine and wait until a running guest has let go of it."""
    _must_be_pluggable(scope, name)
    machine.patch(scope, lambda template: detach_patch(template, name))
    group = scope.site.conf.kubevirt

    def left(vmi: dict | None) -> bool:
        return state.is_off(vmi) or (volume_status(vmi, name) is None and not _in_spec(vmi, name))

    try:
        scope.site.instances.wait(scope.machine, left, group.attach_timeout)
    except Expired as late:
        raise Refused(f"The guest did not let go of volume {name[2:]} within {group.attach_timeout} s") from late


def _in_spec(vmi: dict | None, name: str) -> bool:
    return any(each["name"] == name for each in (vmi or {}).get("spec", {}).get("volumes") or ())


def _must_be_pluggable(scope: Scope, name: str) -> None:
    vmi = scope.site.instances.get(scope.machine)
    if state.is_off(vmi):
        return
    for each in (vmi or {}).get("spec", {}).get("volumes") or ():
        if each["name"] == name and not each.get("persistentVolumeClaim", {}).get("hotpluggable"):
            raise Refused(f"Volume {name[2:]} was there when the server booted; stop the server to detach it")
