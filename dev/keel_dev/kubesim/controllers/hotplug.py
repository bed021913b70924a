"""Volumes plugged into and out of a running guest: attachment pods and the phases of volumeStatus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import StatusError
from ..kinds import POD, PVC, VMI
from ..launcher import IMAGE, claim_of, is_hotplugged
from ..store import Object
from . import migratable
from .base import Base, is_true

PLUG_STEPS = {"AttachedToNode": ("hotplug-mount", "MountedToPod"), "MountedToPod": ("hotplug-ready", "Ready")}


class Hotplug:
    """The part of the instance controller that cares for hotplugged volumes."""

    def __init__(self, controller: Base, volume_info: Callable[[Object, dict[str, Any]], dict[str, Any]]):
        self._controller, self._volume_info = controller, volume_info

    def follow(self, vmi: Object, launcher: Object) -> None:
        """Take every hotplugged volume one step further."""
        wanted = {volume["name"]: volume for volume in vmi["spec"].get("volumes") or () if is_hotplugged(volume)}
        rows = {row["name"]: row for row in vmi["status"].get("volumeStatus") or ()}
        for name, volume in wanted.items():
            self._plug(vmi, launcher, volume, rows.get(name))
        for name, row in rows.items():
            if name not in wanted and "hotplugVolume" in row:
                self._unplug(vmi, row)

    def _plug(self, vmi: Object, launcher: Object, volume: dict[str, Any], row: dict[str, Any] | None) -> None:
        controller, name = self._controller, volume["name"]
        namespace = vmi["metadata"]["namespace"]
        claim = controller.get(PVC, namespace, claim_of(volume))
        if claim is None or claim["status"]["phase"] not in ("Bound", "Pending"):
            self._pending(vmi, name, "PVCNotReady", f"PVC {claim_of(volume)} not found")
            return
        pod_name = ((row or {}).get("hotplugVolume") or {}).get("attachPodName", "")
        pod = controller.get(POD, namespace, pod_name) if pod_name else None
        if pod is None:
            self._make_pod(vmi, launcher, volume)
            return
        phase = row["phase"] if row else ""
        if phase == "Ready":
            return
        if not is_true(pod, "Ready"):
            text = f"Created hotplug attachment pod {pod_name}, for volume {name}"
            self._pending(vmi, name, "SuccessfulCreate", text)
        elif phase in ("Pending", "Bound", ""):
            if controller.due(vmi, f"attach {name}", controller.cluster.knobs.delay("hotplug-attach")):
                self._set(vmi, name, "AttachedToNode", "AttachedToNode", f"Volume {name} is attached to the node")
        elif phase in PLUG_STEPS:
            step, following = PLUG_STEPS[phase]
            if controller.due(vmi, f"{step} {name}", controller.cluster.knobs.delay(step)):
                reason = "VolumeMountedToPod" if following == "MountedToPod" else "VolumeReady"
                text = (
                    f"Successfully attach hotplugged volume {name} to VM"
                    if following == "Ready"
                    else f"Volume {name} has been mounted in virt-launcher pod"
                )
                self._set(vmi, name, following, reason, text)
                controller.event(vmi, "Normal", reason, text)

    def _make_pod(self, vmi: Object, launcher: Object, volume: dict[str, Any]) -> None:
        controller, name = self._controller, volume["name"]
        if not controller.due(vmi, f"attachment {name}", controller.cluster.knobs.delay("pod-create")):
            return
        try:
            pod = controller.create(POD, vmi["metadata"]["namespace"], _attachment_pod(launcher, volume))
        except StatusError as error:
            controller.event(vmi, "Warning", "FailedCreate", f"Error creating attachment pod: {error.message}")
            controller.again(vmi, 5.0)
            return
        info = self._volume_info(vmi, volume)
        text = f"Created hotplug attachment pod {pod['metadata']['name']}, for volume {name}"
        controller.event(vmi, "Normal", "SuccessfulCreate", text)
        row = {
            "name": name,
            "target": "",
            "phase": "Pending",
            "reason": "SuccessfulCreate",
            "message": text,
            "hotplugVolume": {"attachPodName": pod["metadata"]["name"], "attachPodUID": pod["metadata"]["uid"]},
            **info,
        }

        def change(vmi: Object) -> None:
            rows = vmi["status"].setdefault("volumeStatus", [])
            present = next((old for old in rows if old["name"] == name), None)
            if present is None:
                rows.append(row)
            elif present.get("phase") == "Ready":  # the guest moved: a new pod holds what is plugged in already
                present["hotplugVolume"] = row["hotplugVolume"]
            else:
                present.update(row)

        controller.modify(VMI, vmi, change)

    def _pending(self, vmi: Object, name: str, reason: str, text: str) -> None:
        def change(vmi: Object) -> None:
            rows = vmi["status"].setdefault("volumeStatus", [])
            row = next((row for row in rows if row["name"] == name), None)
            if row is None:
                row = {"name": name, "target": "", "hotplugVolume": {}}
                rows.append(row)
            row.update(phase="Pending", reason=reason, message=text)

        self._controller.modify(VMI, vmi, change)

    def _set(self, vmi: Object, name: str, phase: str, reason: str, text: str) -> None:
        disks = (vmi["spec"]["domain"].get("devices") or {}).get("disks") or []
        bus = next(
            ((disk.get("disk") or disk.get("lun") or {}).get("bus") for disk in disks if disk["name"] == name), "scsi"
        )
        prefix = "vd" if bus == "virtio" else "sd"

        def change(vmi: Object) -> None:
            rows = vmi["status"]["volumeStatus"]
            used = {row.get("target") for row in rows}
            row = next(row for row in rows if row["name"] == name)
            row.update(phase=phase, reason=reason, message=text)
            if phase == "Ready" and not row["target"]:
                row["target"] = next(
                    prefix + letter for letter in "abcdefghijklmnopqrstuvwxyz" if prefix + letter not in used
                )
                self._judge(vmi)

        self._controller.modify(VMI, vmi, change)

    def _judge(self, vmi: Object) -> None:
        """With other disks a guest may no longer be movable, or be so again."""
        migratable.judge(self._controller.cluster, vmi, self._controller.stamp())

    def _unplug(self, vmi: Object, row: dict[str, Any]) -> None:
        controller, name, phase = self._controller, row["name"], row["phase"]
        pod = controller.get(POD, vmi["metadata"]["namespace"], row["hotplugVolume"].get("attachPodName", ""))
        if phase not in ("Detaching", "UnMountedFromPod"):
            self._set(vmi, name, "Detaching", "Detaching", f"Volume {name} is being detached")
        elif phase == "Detaching":
            if controller.due(vmi, f"detach {name}", controller.cluster.knobs.delay("hotplug-detach")):
                text = f"Volume {name} has been unmounted from virt-launcher pod"
                self._set(vmi, name, "UnMountedFromPod", "VolumeUnMountedFromPod", text)
                controller.event(vmi, "Normal", "VolumeUnMountedFromPod", text)
        elif pod is not None:
            controller.delete(POD, pod)
        else:

            def drop(vmi: Object) -> None:
                vmi["status"]["volumeStatus"] = [old for old in vmi["status"]["volumeStatus"] if old["name"] != name]
                self._judge(vmi)

            controller.modify(VMI, vmi, drop)
            controller.event(vmi, "Normal", "VolumeUnplugged", f"Volume {name} has been unplugged")


def _attachment_pod(launcher: Object, volume: dict[str, Any]) -> Object:
    return {
        "metadata": {
            "generateName": "hp-volume-",
            "labels": {"kubevirt.io": "hotplug-disk"},
            "ownerReferences": [
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": launcher["metadata"]["name"],
                    "uid": launcher["metadata"]["uid"],
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "nodeSelector": {"kubernetes.io/hostname": launcher["spec"]["nodeName"]},
            "containers": [{"name": "hotplug-disk", "image": IMAGE}],
            "volumes": [{"name": volume["name"], "persistentVolumeClaim": {"claimName": claim_of(volume)}}],
        },
    }
