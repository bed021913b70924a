"""The bytes of a claim, out of the cluster: KubeVirt's VirtualMachineExport (KubeVirt 1.9).

What a reading makes in the cluster (export, token, a temporary snapshot and a claim of it) has one name and the
labels it was given, and is removed when the reading ends. A stream that broke is begun again from its start: an
export cannot be asked for a part.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kubernetes.utils.quantity import parse_quantity
from oslo_log import log

from keel_common.kube import names
from keel_common.kube.client import Kube
from keel_common.kube.errors import Expired, KubeError
from keel_common.kube.export_link import Interrupted, Reading, Unreadable, Zeros, open_link
from keel_common.kube.kinds import DATAVOLUME, EXPORT, POD, PVC, SECRET, SNAPSHOT, STORAGECLASS, Kind

LOG = log.getLogger(__name__)

__all__ = ["KINDS", "Interrupted", "Reader", "Reading", "Unreadable", "reading", "remove"]

#: What a reading may make, in the order of removal: an export holds the claim it reads.
KINDS: tuple[Kind, ...] = (EXPORT, DATAVOLUME, PVC, SNAPSHOT, SECRET)
_ENDED = ("Succeeded", "Failed")
_LOOK_EVERY = 0.25


@dataclass(frozen=True)
class Reader:
    """Where and how patiently claims are read.

    ``links`` "internal" or "external"; ``ttl`` seconds a stream may take, ``patience`` seconds for each step before it;
    ``snapshot_class`` None is the driver's default. ``pause(seconds)`` waits and raises what is to end everything,
    ``check()`` only raises it.
    """

    kube: Kube
    namespace: str
    snapshot_class: str | None
    links: str
    ttl: int
    patience: float
    pause: Callable[[float], None]
    check: Callable[[], None]


@contextmanager
def reading(
    reader: Reader, claim_name: str, name: str, labels: Mapping[str, str], snapshot: str | None = None
) -> Iterator[Reading]:
    """The bytes of a claim, or of a VolumeSnapshot of it; what has to be made for that is called ``name``.

    A claim that a pod uses is read through a snapshot of its own. Raises Unreadable when the cluster will never give
    them, Interrupted or KubeError when it does not now.
    """
    _clear(reader, name)
    try:
        with _open(reader, claim_name, name, labels, snapshot) as stream:
            yield stream
    finally:
        try:
            remove(reader, name)
        except KubeError as problem:
            LOG.warning("what was made to read %s is left behind: %s", claim_name, problem)


def remove(reader: Reader, name: str) -> None:
    """Ask the cluster to take away what a reading of that name has made. Raises KubeError."""
    for kind in KINDS:
        reader.kube.delete(kind, name, reader.namespace)


@contextmanager
def _open(
    reader: Reader, claim_name: str, name: str, labels: Mapping[str, str], snapshot: str | None
) -> Iterator[Reading]:
    claim = reader.kube.find(PVC, claim_name, reader.namespace)
    if claim is None:
        raise Unreadable(f"there is no claim {claim_name}")
    if snapshot is None and _never_used(reader, claim):
        yield Zeros(int(parse_quantity(claim["spec"]["resources"]["requests"]["storage"])), reader.check)
        return
    source = claim_name
    if snapshot is not None or _in_use(reader, claim_name):
        source = _copy(reader, claim, name, labels, snapshot)
    ready = _export(reader, name, labels, source)
    if ready is None:  # A pod took the claim before the export did.
        reader.kube.delete(EXPORT, name, reader.namespace)
        _gone(reader, EXPORT, name)
        ready = _export(reader, name, labels, _copy(reader, claim, name, labels, None))
    if ready is None:
        raise Interrupted(f"the copy of {claim_name} is in use")
    token, export = ready
    with open_link(export, reader.links, token, reader.check) as stream:
        yield stream


def _waits_for_pod(reader: Reader, claim: Mapping[str, Any]) -> bool:
    """Whether claims of its class are bound when a pod uses them."""
    name = claim["spec"].get("storageClassName")
    item = reader.kube.find(STORAGECLASS, name) if name else None
    return (item or {}).get("volumeBindingMode") == "WaitForFirstConsumer"


def _never_used(reader: Reader, claim: Mapping[str, Any]) -> bool:
    """A claim that waits for its first pod holds nothing yet."""
    pending = claim.get("status", {}).get("phase") == "Pending" and not claim["spec"].get("dataSourceRef")
    return pending and _waits_for_pod(reader, claim)


def _in_use(reader: Reader, claim_name: str) -> bool:
    """Whether a pod that has not ended mounts the claim."""
    for pod in reader.kube.list(POD, reader.namespace):
        if pod.get("status", {}).get("phase") in _ENDED:
            continue
        for volume in pod["spec"].get("volumes") or ():
            if (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim_name:
                return True
    return False


def _copy(reader: Reader, claim: Mapping[str, Any], name: str, labels: Mapping[str, str], snapshot: str | None) -> str:
    """A temporary claim of a snapshot, bound; its name."""
    if snapshot is None:
        spec: dict[str, Any] = {"source": {"persistentVolumeClaimName": claim["metadata"]["name"]}}
        if reader.snapshot_class:
            spec["volumeSnapshotClassName"] = reader.snapshot_class
        _ensure(reader, SNAPSHOT, SNAPSHOT.body(name, reader.namespace, spec=spec), labels)
        snapshot = name
        _until(reader, SNAPSHOT, snapshot, lambda item: (item.get("status") or {}).get("readyToUse"), "usable")
    size = (reader.kube.get(SNAPSHOT, snapshot, reader.namespace).get("status") or {}).get("restoreSize")
    kind, body = _copy_body(claim, snapshot, name, size, _waits_for_pod(reader, claim))
    _ensure(reader, kind, body, labels)
    _until(reader, PVC, name, lambda item: item.get("status", {}).get("phase") == "Bound", "bound")
    return name


def _copy_body(
    claim: Mapping[str, Any], snapshot: str, name: str, size: str | None, late: bool
) -> tuple[Kind, dict[str, Any]]:
    """A claim like another one, made of a snapshot of it. ``late``: claims of its class wait for a pod, so CDI has to
    make it."""
    namespace = claim["metadata"]["namespace"]
    spec = {
        key: claim["spec"][key] for key in ("accessModes", "volumeMode", "storageClassName") if key in claim["spec"]
    }
    spec["resources"] = {"requests": {"storage": size or claim["spec"]["resources"]["requests"]["storage"]}}
    if not late:
        spec["dataSource"] = {"apiGroup": SNAPSHOT.group, "kind": SNAPSHOT.kind, "name": snapshot}
        return PVC, PVC.body(name, namespace, spec=spec)
    source = {"snapshot": {"namespace": namespace, "name": snapshot}}
    body = DATAVOLUME.body(name, namespace, spec={"source": source, "pvc": spec})
    body["metadata"]["annotations"] = {names.BIND_AT_ONCE: "true"}
    return DATAVOLUME, body


def _export(
    reader: Reader, name: str, labels: Mapping[str, str], claim_name: str
) -> tuple[str, Mapping[str, Any]] | None:
    """Token and export of a claim once it is ready; None when a pod uses the claim."""
    token = secrets.token_urlsafe(24)
    data = {"token": base64.b64encode(token.encode()).decode()}
    secret = SECRET.body(name, reader.namespace, type="Opaque", data=data)
    spec = {
        "source": {"apiGroup": "", "kind": PVC.kind, "name": claim_name},
        "tokenSecretRef": name,
        "ttlDuration": f"{reader.ttl}s",
    }
    export = EXPORT.body(name, reader.namespace, spec=spec)
    for kind, body in ((SECRET, secret), (EXPORT, export)):
        body["metadata"]["labels"] = dict(labels)
        reader.kube.apply(kind, body)
    found = _until(reader, EXPORT, name, _is_settled, "ready")
    return None if _reason(found) == "InUse" else (token, found)


def _is_settled(export: Mapping[str, Any]) -> bool:
    status = export.get("status") or {}
    if status.get("phase") in ("Terminated", "Skipped"):
        raise Interrupted(f"the export is {status['phase']}")
    return status.get("phase") == "Ready" or _reason(export) == "InUse"


def _reason(export: Mapping[str, Any]) -> str:
    conditions = (export.get("status") or {}).get("conditions") or ()
    return next((row.get("reason", "") for row in conditions if row.get("type") == "Ready"), "")


def _ensure(reader: Reader, kind: Kind, body: dict[str, Any], labels: Mapping[str, str]) -> None:
    body["metadata"]["labels"] = dict(labels)
    reader.kube.ensure(kind, body)


def _clear(reader: Reader, name: str) -> None:
    """Begin with nothing: what a dead process made is not known to be whole."""
    remove(reader, name)
    for kind in KINDS:
        _gone(reader, kind, name)


def _gone(reader: Reader, kind: Kind, name: str) -> None:
    _wait(reader, lambda: reader.kube.find(kind, name, reader.namespace) is None, f"{kind.kind} {name} gone")


def _until(reader: Reader, kind: Kind, name: str, fact: Any, what: str) -> Mapping[str, Any]:
    """The object once a fact holds of it. Raises Expired."""

    def look() -> Any:
        item = reader.kube.find(kind, name, reader.namespace)
        return item if item is not None and fact(item) else None

    return _wait(reader, look, f"{kind.kind} {name} {what}")


def _wait(reader: Reader, look: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + reader.patience
    while not (found := look()):
        if time.monotonic() > deadline:
            raise Expired(0, "Timeout", f"not in time: {what}")
        reader.pause(_LOOK_EVERY)
    return found
