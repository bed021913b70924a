"""Whether an instance can be moved while it runs: conditions LiveMigratable and StorageLiveMigratable."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..kinds import PVC
from ..launcher import claim_of
from ..store import Object
from .base import set_condition

BLOCK_MIGRATED = ("emptyDisk", "ephemeral", "containerDisk", "cloudInitNoCloud", "cloudInitConfigDrive")


def judge(cluster: Cluster, vmi: Object, now: str) -> None:
    """Write both conditions and migrationMethod, in place."""
    reason, text = _obstacle(cluster, vmi)
    if reason:
        set_condition(vmi, "LiveMigratable", False, now, reason, text, probe=True)
    else:
        set_condition(vmi, "LiveMigratable", True, now, probe=True)
    set_condition(vmi, "StorageLiveMigratable", True, now, probe=True)
    local = any(kind in volume for volume in vmi["spec"].get("volumes") or () for kind in BLOCK_MIGRATED)
    vmi["status"]["migrationMethod"] = "BlockMigration" if local else "LiveMigration"


def _obstacle(cluster: Cluster, vmi: Object) -> tuple[str, str]:
    spec = vmi["spec"]
    devices: dict[str, Any] = spec["domain"].get("devices") or {}
    for volume in spec.get("volumes") or ():
        name = claim_of(volume)
        claim = cluster.get(PVC, vmi["metadata"]["namespace"], name) if name and "ephemeral" not in volume else None
        if claim is not None and "ReadWriteMany" not in claim["spec"]["accessModes"]:
            text = (
                f"cannot migrate VMI: PVC {name} is not shared, live migration requires that all PVCs "
                "must be shared (using ReadWriteMany access mode)"
            )
            return "DisksNotLiveMigratable", text
    pod_networks = {row["name"] for row in spec.get("networks") or () if "pod" in row}
    for interface in devices.get("interfaces") or ():
        if interface["name"] in pod_networks and "masquerade" not in interface:
            return (
                "InterfaceNotLiveMigratable",
                "cannot migrate VMI which does not use masquerade to connect to the pod network",
            )
    if devices.get("hostDevices") or devices.get("gpus"):
        return "HostDeviceNotLiveMigratable", "VMI uses a PCI host devices"
    if (spec["domain"].get("cpu") or {}).get("model") == "host-passthrough":
        return "CPUModeLiveMigratable", "VMI uses host-passthrough cpu model"
    if (spec["domain"].get("launchSecurity") or {}).get("sev") is not None:
        return "SEVNotLiveMigratable", "VMI uses SEV"
    return "", ""
