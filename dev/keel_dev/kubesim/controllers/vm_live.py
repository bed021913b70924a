"""Template changes that reach a running instance without a restart, and the sign for those that cannot."""

from __future__ import annotations

import copy
from typing import Any

from ..kinds import REVISION, VM, VMI
from ..launcher import is_hotplugged
from ..store import Object
from .base import Base, drop_condition, set_condition

LIVE_FIELDS = ("nodeSelector", "affinity", "tolerations")
HOTPLUG_BUSES = ("virtio", "scsi")
RESTART_TEXT = "a non-live-updatable field was changed in the template spec"


def follow_template(controller: Base, vm: Object, vmi: Object | None) -> tuple[str, str] | None:
    """Copy what may change live to the instance; returns reason and text when a hotplug is refused."""
    if vmi is None or vmi["metadata"].get("deletionTimestamp") or vmi.get("status", {}).get("phase") != "Running":
        return None
    template = vm["spec"]["template"]["spec"]
    _note_restart(controller, vm, vmi)
    failure = _refusal(template, vmi["spec"])
    if failure:
        return failure
    wanted = _wanted_spec(template, vmi)
    if wanted != vmi["spec"]:
        controller.modify(VMI, vmi, lambda vmi: vmi.update(spec=wanted))
    return None


def _wanted_spec(template: dict[str, Any], vmi: Object) -> dict[str, Any]:
    spec = copy.deepcopy(vmi["spec"])
    for name in LIVE_FIELDS:
        if template.get(name) is None:
            spec.pop(name, None)
        else:
            spec[name] = copy.deepcopy(template[name])
    volumes = {volume["name"]: volume for volume in template.get("volumes") or ()}
    disks = {disk["name"]: disk for disk in (template["domain"].get("devices") or {}).get("disks") or ()}
    present = {volume["name"] for volume in spec.get("volumes") or ()}
    leaving = {row["name"] for row in vmi["status"].get("volumeStatus") or ()} - present
    gone = {v["name"] for v in spec.get("volumes") or () if is_hotplugged(v) and v["name"] not in volumes}
    new = [
        name
        for name, volume in volumes.items()
        if is_hotplugged(volume) and name not in present and name in disks and name not in leaving
    ]
    if gone or new:
        devices = spec["domain"].setdefault("devices", {})
        spec["volumes"] = [v for v in spec.get("volumes") or () if v["name"] not in gone] + [
            copy.deepcopy(volumes[n]) for n in new
        ]
        devices["disks"] = [d for d in devices.get("disks") or () if d["name"] not in gone] + [
            copy.deepcopy(disks[n]) for n in new
        ]
    return spec


def _refusal(template: dict[str, Any], spec: dict[str, Any]) -> tuple[str, str] | None:
    """Why a volume to be plugged in is not acceptable to a running guest."""
    present = {volume["name"] for volume in spec.get("volumes") or ()}
    hot = {volume["name"] for volume in template.get("volumes") or () if is_hotplugged(volume)} - present
    for index, disk in enumerate((template["domain"].get("devices") or {}).get("disks") or ()):
        if disk["name"] not in hot:
            continue
        device = next((kind for kind in ("disk", "lun", "cdrom") if kind in disk), "disk")
        bus = (disk.get(device) or {}).get("bus")
        text = ""
        if device == "cdrom":
            text = f"hotplugged Disk {disk['name']} must be of type disk or lun"
        elif bus not in HOTPLUG_BUSES or (device == "lun" and bus != "scsi"):
            text = (
                f"hotplugged Disk {disk['name']} does not use a supported bus; disk at index {index} uses "
                f"{bus or 'none'}"
            )
        if text:
            webhook = "virtualmachineinstances-update-validator.kubevirt.io"
            return "HotPlugVolumeError", f'admission webhook "{webhook}" denied the request: {text}'
    return None


def _note_restart(controller: Base, vm: Object, vmi: Object) -> None:
    """RestartRequired while the template differs, beyond the live fields, from what the instance was started with."""
    generation = (vmi["metadata"].get("annotations") or {}).get("kubevirt.io/vm-generation")
    name = f"revision-start-vm-{vm['metadata']['uid']}-{generation}"
    revision = controller.get(REVISION, vm["metadata"]["namespace"], name)
    if revision is None:
        return
    started = _settled(revision["data"]["spec"]["template"]["spec"])
    now = controller.stamp()
    if started != _settled(vm["spec"]["template"]["spec"]):
        controller.modify(
            VM, vm, lambda vm: set_condition(vm, "RestartRequired", True, now, "", RESTART_TEXT, probe=True)
        )
    else:
        controller.modify(VM, vm, lambda vm: drop_condition(vm, "RestartRequired"))


def _settled(spec: dict[str, Any]) -> dict[str, Any]:
    """A template without everything that can change live."""
    kept = {key: copy.deepcopy(value) for key, value in spec.items() if key not in LIVE_FIELDS}
    hot = {volume["name"] for volume in kept.get("volumes") or () if is_hotplugged(volume)}
    kept["volumes"] = [volume for volume in kept.get("volumes") or () if volume["name"] not in hot]
    devices = kept["domain"].get("devices") or {}
    devices["disks"] = [disk for disk in devices.get("disks") or () if disk["name"] not in hot]
    return kept
