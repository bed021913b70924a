"""The status of a VirtualMachine, derived from its instance, its claims and its data volumes."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..kinds import DATAVOLUME, PVC, SNAPSHOT_CLASS, STORAGE_CLASS
from ..launcher import claim_of
from ..store import Object
from .base import condition, drop_condition, is_true, set_condition
from .pods import FINAL

READY_WITHOUT_DATA = ("Succeeded", "WaitForFirstConsumer", "PendingPopulation")


def claims_of_vm(vm: Object) -> list[str]:
    volumes = ((vm["spec"].get("template") or {}).get("spec") or {}).get("volumes") or ()
    return [claim_of(volume) for volume in volumes if claim_of(volume)]


def data_volumes_ready(cluster: Cluster, vm: Object) -> bool:
    """Whether every data volume of the template is filled, or only waits for a consumer."""
    for volume in ((vm["spec"].get("template") or {}).get("spec") or {}).get("volumes") or ():
        if "dataVolume" in volume:
            found = cluster.get(DATAVOLUME, vm["metadata"]["namespace"], volume["dataVolume"]["name"])
            if found is not None and found.get("status", {}).get("phase") not in READY_WITHOUT_DATA:
                return False
    return True


def write(cluster: Cluster, vm: Object, vmi: Object | None, now: str) -> None:
    """Bring vm.status up to date, in place."""
    status = vm.setdefault("status", {})
    for name, value in (("created", vmi is not None), ("ready", vmi is not None and is_true(vmi, "Ready"))):
        status.pop(name, None)
        if value:
            status[name] = True
    _conditions(vm, vmi, now)
    status["printableStatus"] = printable(cluster, vm, vmi)
    status["volumeSnapshotStatuses"] = _snapshot_statuses(cluster, vm)
    if not status["volumeSnapshotStatuses"]:
        del status["volumeSnapshotStatuses"]
    if vmi is not None:
        status["desiredGeneration"] = vm["metadata"].get("generation", 1)


def _conditions(vm: Object, vmi: Object | None, now: str) -> None:
    if vmi is None:
        set_condition(vm, "Ready", False, now, "VMINotExists", "VMI does not exist", probe=True)
        return
    mirrored = vmi.get("status", {}).get("conditions") or []
    present = {row["type"] for row in mirrored}
    for row in list(vm["status"].get("conditions") or ()):
        if row["type"] not in present and row["type"] not in ("Ready", "Failure", "RestartRequired"):
            drop_condition(vm, row["type"])
    for row in mirrored:
        set_condition(
            vm,
            row["type"],
            row["status"],
            row["lastTransitionTime"] or now,
            row.get("reason", ""),
            row.get("message", ""),
            probe=True,
        )
    if "Ready" not in present:
        set_condition(vm, "Ready", False, now, "VMIConditionMissing", "VMI is missing the Ready condition", probe=True)


def printable(cluster: Cluster, vm: Object, vmi: Object | None) -> str:
    """The first that fits of KubeVirt's ordered list; for showing only."""
    status = (vmi or {}).get("status", {})
    phase = status.get("phase", "")
    deleting = vmi is not None and bool(vmi["metadata"].get("deletionTimestamp"))
    sync = condition(vmi, "Synchronized") if vmi else None
    sync_reason = sync["reason"] if sync and sync["status"] == "False" else ""
    scheduled = condition(vmi, "PodScheduled") if vmi else None
    unschedulable = bool(scheduled and scheduled["status"] == "False" and scheduled.get("reason") == "Unschedulable")
    claims = [cluster.get(PVC, vm["metadata"]["namespace"], name) for name in claims_of_vm(vm)]
    unbound = vmi is not None and any(claim and claim["status"]["phase"] != "Bound" for claim in claims)
    starting = vmi is not None and not deleting and phase in ("", "Pending", "Scheduling", "Scheduled")
    ordered = (
        ("Terminating", bool(vm["metadata"].get("deletionTimestamp"))),
        ("Stopping", deleting and phase not in FINAL),
        ("Migrating", _migrating(cluster, vmi)),
        ("Paused", phase == "Running" and vmi is not None and is_true(vmi, "Paused")),
        ("Running", phase == "Running"),
        ("ErrorPvcNotFound", sync_reason == "FailedPvcNotFound"),
        ("DataVolumeError", _failed_data_volume(cluster, vm)),
        ("ErrorUnschedulable", starting and unschedulable and not unbound),
        ("Provisioning", vmi is None and _wants_to_run(vm) and not data_volumes_ready(cluster, vm)),
        ("WaitingForVolumeBinding", starting and unbound),
        ("ErrImagePull", sync_reason == "ErrImagePull"),
        ("ImagePullBackOff", sync_reason == "ImagePullBackOff"),
        ("Starting", starting and phase != "Pending"),
        ("CrashLoopBackOff", vmi is None and "startFailure" in vm["status"]),
        ("Stopped", vmi is None or phase in FINAL or phase in ("", "Pending")),
    )
    return next((word for word, fits in ordered if fits), "Unknown")


def _wants_to_run(vm: Object) -> bool:
    requests = vm.get("status", {}).get("stateChangeRequests") or ()
    return (
        vm["spec"].get("runStrategy") in ("Always", "Once")
        or bool(vm["spec"].get("running"))
        or any(r["action"] == "Start" for r in requests)
    )


def _migrating(cluster: Cluster, vmi: Object | None) -> bool:
    state = (vmi or {}).get("status", {}).get("migrationState")
    return bool(state and state.get("startTimestamp") and not state.get("completed") and not state.get("failed"))


def _failed_data_volume(cluster: Cluster, vm: Object) -> bool:
    for template in vm["spec"].get("dataVolumeTemplates") or ():
        found = cluster.get(DATAVOLUME, vm["metadata"]["namespace"], template["metadata"]["name"])
        if found and found.get("status", {}).get("phase") == "Failed":
            return True
    return False


def _snapshot_statuses(cluster: Cluster, vm: Object) -> list[dict[str, Any]]:
    volumes = ((vm["spec"].get("template") or {}).get("spec") or {}).get("volumes") or ()
    return [_snapshot_status(cluster, vm["metadata"]["namespace"], volume) for volume in volumes]


def _snapshot_status(cluster: Cluster, namespace: str, volume: dict[str, Any]) -> dict[str, Any]:
    name, claim_name = volume["name"], claim_of(volume)
    if not claim_name or "ephemeral" in volume:
        kinds = ", ".join(sorted(key for key in volume if key != "name"))
        return {
            "name": name,
            "enabled": False,
            "reason": f"Snapshot is not supported for this volumeSource type [{name}] ({kinds})",
        }
    claim = cluster.get(PVC, namespace, claim_name)
    if claim is None:
        return {"name": name, "enabled": False, "reason": f"PVC {claim_name} not found"}
    class_name = claim["spec"].get("storageClassName") or ""
    found = cluster.get(STORAGE_CLASS, "", class_name)
    drivers = {row["driver"] for row in cluster.list(SNAPSHOT_CLASS)}
    if found and found["provisioner"] in drivers:
        return {"name": name, "enabled": True}
    return {
        "name": name,
        "enabled": False,
        "reason": (
            f"No VolumeSnapshotClass: Volume snapshots are not configured for this StorageClass [{class_name}] [{name}]"
        ),
    }
