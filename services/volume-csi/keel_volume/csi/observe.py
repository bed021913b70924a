"""How the state of a claim, an import or a snapshot is read: pending, ready, or failed and why. Pure.

Phases and conditions: CDI v1.66 DataVolume, Kubernetes claim phases, external-snapshotter v8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_UNITS = {
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
}


@dataclass(frozen=True)
class Seen:
    """One look: ``ready``, or ``failed`` for good, else still on its way; ``message`` is what the cluster said."""

    ready: bool = False
    failed: bool = False
    message: str = ""


def creation(
    claim: Mapping | None, data_volume: Mapping | None, waits_for_consumer: bool, import_attempts: int = 3
) -> Seen:
    """Whether a new volume is usable. A claim that waits for its first consumer is, unless it must be filled first.

    CDI starts a failed import again for ever; after ``import_attempts`` of them it has failed for us.
    """
    if data_volume is not None:
        status = data_volume.get("status", {})
        phase = status.get("phase", "")
        if phase == "Failed" or (phase != "Succeeded" and status.get("restartCount", 0) >= import_attempts):
            return Seen(failed=True, message=_condition(status, "Running") or "the import failed")
        if phase != "Succeeded":
            return Seen(message=_condition(status, "Running") or f"the import is in phase {phase or 'Pending'}")
    if claim is None:
        return Seen(message="the claim is not there yet")
    phase = claim.get("status", {}).get("phase")
    if phase == "Lost":
        return Seen(failed=True, message="the claim has lost its volume")
    if phase == "Bound":
        return Seen(ready=True)
    if waits_for_consumer and data_volume is None and not claim["spec"].get("dataSource"):
        return Seen(ready=True)
    return Seen(message=f"the claim is {phase or 'Pending'}")


def is_filled_by_import(claim: Mapping | None) -> bool:
    """Whether a DataVolume owns the claim and fills it."""
    owners = claim["metadata"].get("ownerReferences") or () if claim else ()
    return any(owner["kind"] == "DataVolume" for owner in owners)


def extension(claim: Mapping | None, size_gb: int, attached: bool = False) -> Seen:
    """Whether the claim has grown to the size (GiB).

    The node's part of a resize waits for a pod: a volume that nobody uses is done when the storage has grown.
    """
    if claim is None:
        return Seen(failed=True, message="the claim does not exist")
    status = claim.get("status", {})
    if in_bytes(status.get("capacity", {}).get("storage", "0")) >= size_gb * 2**30:
        return Seen(ready=True)
    state = status.get("allocatedResourceStatuses", {}).get("storage", "")
    if not attached and (state.startswith("NodeResize") or _is_true(status, "FileSystemResizePending")):
        return Seen(ready=True)
    if state.endswith("Infeasible"):
        return Seen(failed=True, message=f"the storage refused to grow: {state}")
    return Seen(message=_condition(status, "Resizing") or "the claim has not grown yet")


def snapshot(item: Mapping | None) -> Seen:
    """Whether a VolumeSnapshot can be used. Its error may pass, so it is a message and not a failure."""
    if item is None:
        return Seen(message="the snapshot object is not there yet")
    status = item.get("status") or {}
    if status.get("readyToUse"):
        return Seen(ready=True)
    return Seen(message=(status.get("error") or {}).get("message", "the snapshot is not ready"))


def age(item: Mapping, now: datetime | None = None) -> timedelta:
    """How long ago an object was made."""
    made = datetime.fromisoformat(item["metadata"]["creationTimestamp"].replace("Z", "+00:00"))
    return (now or datetime.now(UTC)) - made


def in_bytes(quantity: str | int) -> int:
    """A Kubernetes quantity such as 10Gi or 1500M."""
    text = str(quantity)
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * factor)
    return int(float(text))


def _is_true(status: Mapping, kind: str) -> bool:
    return any(item.get("type") == kind and item.get("status") == "True" for item in status.get("conditions", ()))


def _condition(status: Mapping, kind: str) -> str:
    for item in status.get("conditions", ()):
        if item.get("type") == kind and item.get("message"):
            return item["message"]
    return ""
