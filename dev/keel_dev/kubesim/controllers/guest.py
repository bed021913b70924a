"""A guest that has just been started: what the instance's status says of it."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..launcher import guest_memory, pod_interface
from ..quantity import binary
from ..store import Object
from . import migratable
from .base import set_condition

MACHINE_TYPE = "pc-q35-rhel9.6.0"


def running(cluster: Cluster, vmi: Object, now: str) -> None:
    """Write status and conditions of a guest that runs from now on, in place."""
    status, spec = vmi["status"], vmi["spec"]
    devices: dict[str, Any] = spec["domain"].get("devices") or {}
    to_phase(vmi, "Running", now)
    set_condition(vmi, "Ready", True, now, probe=True)
    if spec.get("startStrategy") == "Paused":
        set_condition(vmi, "Paused", True, now, "PausedByUser", "VMI was paused by user", probe=True)
    migratable.judge(cluster, vmi, now)
    targets = _targets(devices.get("disks") or [])
    for row in status.get("volumeStatus") or ():
        row["target"] = targets.get(row["name"], "")
        if "persistentVolumeClaimInfo" not in row:
            row["size"] = 1 << 20
    status["interfaces"] = [_interface(cluster, row) for row in devices.get("interfaces") or ()]
    status["machine"] = {"type": MACHINE_TYPE}
    memory = (spec["domain"].get("memory") or {}).get("guest") or binary(guest_memory(spec))
    status["memory"] = {"guestAtBoot": memory, "guestCurrent": memory, "guestRequested": memory}


def _interface(cluster: Cluster, row: dict[str, Any]) -> dict[str, Any]:
    octets = [f"{cluster.random.randrange(256):02x}" for _ in range(5)]
    return {
        "name": row["name"],
        "mac": row.get("macAddress") or ":".join(["02", *octets]),
        "infoSource": "domain, multus-status",
        "queueCount": 1,
        "podInterfaceName": pod_interface(row["name"]),
        "linkState": "down" if row.get("state") == "down" else "up",
    }


def _targets(disks: list[dict[str, Any]]) -> dict[str, str]:
    """Device names in the guest: vda.. on virtio, sda.. elsewhere."""
    counts: dict[str, int] = {}
    found = {}
    for disk in disks:
        device: dict[str, Any] = next((disk[kind] for kind in ("disk", "lun", "cdrom") if kind in disk), {}) or {}
        prefix = "vd" if device.get("bus", "virtio") == "virtio" and "cdrom" not in disk else "sd"
        found[disk["name"]] = prefix + chr(ord("a") + counts.get(prefix, 0))
        counts[prefix] = counts.get(prefix, 0) + 1
    return found


def to_phase(vmi: Object, phase: str, now: str) -> None:
    """Enter a phase and note when."""
    status = vmi.setdefault("status", {})
    if status.get("phase") == phase:
        return
    status["phase"] = phase
    status.setdefault("phaseTransitionTimestamps", []).append({"phase": phase, "phaseTransitionTimestamp": now})
