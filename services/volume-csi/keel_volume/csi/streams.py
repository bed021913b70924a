"""The bytes of a claim, out of the cluster and into it: KubeVirt's exports to read, CDI's upload to write.

What a stream makes in the cluster (export, token, a temporary snapshot and a claim of it) is named and labelled after
its purpose, removed when the stream ends, and found by its label when the process that made it is dead. A stream that
broke is begun again from its start: neither side of it can be asked for a part (KubeVirt 1.9, CDI 1.66).
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from oslo_log import log

from keel_common.kube import DATAVOLUME, EXPORT, POD, PVC, SECRET, SNAPSHOT, Expired, Kind, KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, observe
from keel_volume.csi.stream_wire import Interrupted, Reading, Zeros, open_link
from keel_volume.csi.stream_writing import Writing, is_written, writing
from keel_volume.flows.refusals import Refused, is_refusal

LOG = log.getLogger(__name__)

__all__ = [
    "Interrupted",
    "Purpose",
    "Reading",
    "Writing",
    "is_written",
    "reading",
    "remove",
    "remove_leftovers",
    "writing",
]

#: Label on everything a reading makes: "<kind>.<id>" of the row it is made for.
STREAM = "openstack.org/stream"
_ENDED = ("Succeeded", "Failed")
_LOOK_EVERY = 0.25
#: Removed in this order: an export holds the claim it reads.
_KINDS: tuple[Kind, ...] = (EXPORT, DATAVOLUME, PVC, SNAPSHOT, SECRET)


@dataclass(frozen=True)
class Purpose:
    """Whose stream it is: ``kind`` (of keel_volume.steps.KINDS) and ``id`` of a row, and the project it belongs to."""

    kind: str
    id: str
    project: str | None

    @property
    def name(self) -> str:
        """Of every object made for it."""
        return f"read-{self.id}"

    def labels(self) -> dict[str, str]:
        """By which they are found."""
        return {**names.labels(names.STORAGE, self.project), STREAM: f"{self.kind}.{self.id}"}


@contextmanager
def reading(backend: Backend, claim_name: str, purpose: Purpose, snapshot: str | None = None) -> Iterator[Reading]:
    """The bytes of a claim, or of a VolumeSnapshot of it.

    A claim that a pod uses is read through a snapshot of its own. Raises Refused when the cluster will never give
    them, Interrupted or KubeError when it does not now.
    """
    try:
        _clear(backend, purpose)
        with _open(backend, claim_name, purpose, snapshot) as stream:
            yield stream
    except KubeError as problem:
        if is_refusal(problem):
            raise Refused(f"the cluster refused to let {claim_name} be read: {problem}", retry=False) from problem
        raise
    finally:
        try:
            remove(backend, purpose)
        except KubeError as problem:
            LOG.warning("what was made to read %s stays for the audit: %s", claim_name, problem)


def remove(backend: Backend, purpose: Purpose) -> None:
    """Ask the cluster to take away what a reading has made. Raises KubeError."""
    for kind in _KINDS:
        backend.kube.delete(kind, purpose.name, backend.namespace)


def remove_leftovers(backend: Backend, is_wanted: Any) -> None:
    """Take away what was made for rows that nobody reads for now (``is_wanted(kind, id)``). Raises KubeError."""
    for kind in _KINDS:
        for item in backend.kube.list(kind, backend.namespace, {STREAM: None}):
            of, _, resource_id = item["metadata"]["labels"][STREAM].partition(".")
            if not is_wanted(of, resource_id):
                LOG.warning("%s %s was left behind and goes", kind.kind, item["metadata"]["name"])
                backend.kube.delete(kind, item["metadata"]["name"], backend.namespace, uid=item["metadata"]["uid"])


@contextmanager
def _open(backend: Backend, claim_name: str, purpose: Purpose, snapshot: str | None) -> Iterator[Reading]:
    claim = backend.kube.find(PVC, claim_name, backend.namespace)
    if claim is None:
        raise Refused(f"there is no claim {claim_name}", retry=False)
    if snapshot is None and _never_used(backend, claim):
        yield Zeros(observe.in_bytes(claim["spec"]["resources"]["requests"]["storage"]), backend.transfers)
        return
    source = claim_name
    if snapshot is not None or _in_use(backend, claim_name):
        source = _copy(backend, claim, purpose, snapshot)
    ready = _export(backend, purpose, source)
    if ready is None:  # A pod took the claim before the export did.
        backend.kube.delete(EXPORT, purpose.name, backend.namespace)
        _gone(backend, EXPORT, purpose.name)
        ready = _export(backend, purpose, _copy(backend, claim, purpose, None))
    if ready is None:
        raise Interrupted(f"the copy of {claim_name} is in use")
    token, export = ready
    with open_link(backend, export, token) as stream:
        yield stream


def _never_used(backend: Backend, claim: Mapping[str, Any]) -> bool:
    """A claim that waits for its first pod holds nothing yet."""
    spec = claim["spec"]
    waits = backend.waits_for_consumer(spec.get("storageClassName")) and not spec.get("dataSourceRef")
    return waits and claim.get("status", {}).get("phase") == "Pending"


def _in_use(backend: Backend, claim_name: str) -> bool:
    """Whether a pod that has not ended mounts the claim."""
    for pod in backend.kube.list(POD, backend.namespace):
        if pod.get("status", {}).get("phase") in _ENDED:
            continue
        for volume in pod["spec"].get("volumes") or ():
            if (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim_name:
                return True
    return False


def _copy(backend: Backend, claim: Mapping[str, Any], purpose: Purpose, snapshot: str | None) -> str:
    """A temporary claim of a snapshot, bound; its name."""
    if snapshot is None:
        body = claims.temporary_snapshot(claim, purpose.name, backend.conf.csi.snapshot_class)
        body["metadata"]["labels"] = purpose.labels()
        backend.kube.ensure(SNAPSHOT, body)
        snapshot = purpose.name
        _until(backend, SNAPSHOT, snapshot, lambda item: observe.snapshot(item).ready, "usable")
    size = (backend.kube.get(SNAPSHOT, snapshot, backend.namespace).get("status") or {}).get("restoreSize")
    late = backend.waits_for_consumer(claim["spec"].get("storageClassName"))
    kind, body = claims.temporary_copy(claim, snapshot, purpose.name, size, late)
    body["metadata"]["labels"] = purpose.labels()
    backend.kube.ensure(kind, body)
    _until(backend, PVC, purpose.name, lambda item: item.get("status", {}).get("phase") == "Bound", "bound")
    return purpose.name


def _export(backend: Backend, purpose: Purpose, claim_name: str) -> tuple[str, Mapping[str, Any]] | None:
    """Token and export of a claim once it is ready; None when a pod uses the claim."""
    token = secrets.token_urlsafe(24)
    data = {"token": base64.b64encode(token.encode()).decode()}
    secret = SECRET.body(purpose.name, backend.namespace, type="Opaque", data=data)
    spec = {
        "source": {"apiGroup": "", "kind": PVC.kind, "name": claim_name},
        "tokenSecretRef": purpose.name,
        "ttlDuration": f"{backend.conf.csi.transfer_timeout}s",
    }
    export = EXPORT.body(purpose.name, backend.namespace, spec=spec)
    for kind, body in ((SECRET, secret), (EXPORT, export)):
        body["metadata"]["labels"] = purpose.labels()
        backend.kube.apply(kind, body)
    found = _until(backend, EXPORT, purpose.name, _is_settled, "ready")
    return None if _reason(found) == "InUse" else (token, found)


def _is_settled(export: Mapping[str, Any]) -> bool:
    status = export.get("status") or {}
    if status.get("phase") in ("Terminated", "Skipped"):
        raise Interrupted(f"the export is {status['phase']}")
    return status.get("phase") == "Ready" or _reason(export) == "InUse"


def _reason(export: Mapping[str, Any]) -> str:
    conditions = (export.get("status") or {}).get("conditions") or ()
    return next((row.get("reason", "") for row in conditions if row.get("type") == "Ready"), "")


def _clear(backend: Backend, purpose: Purpose) -> None:
    """Begin with nothing: what a dead process made is not known to be whole."""
    remove(backend, purpose)
    for kind in _KINDS:
        _gone(backend, kind, purpose.name)


def _gone(backend: Backend, kind: Kind, name: str) -> None:
    _wait(backend, lambda: backend.kube.find(kind, name, backend.namespace) is None, f"{kind.kind} {name} gone")


def _until(backend: Backend, kind: Kind, name: str, fact: Any, what: str) -> Mapping[str, Any]:
    """The object once a fact holds of it. Raises Expired."""

    def look() -> Any:
        item = backend.kube.find(kind, name, backend.namespace)
        return item if item is not None and fact(item) else None

    return _wait(backend, look, f"{kind.kind} {name} {what}")


def _wait(backend: Backend, look: Any, what: str) -> Any:
    deadline = time.monotonic() + backend.provision_deadline.total_seconds()
    while not (found := look()):
        if time.monotonic() > deadline:
            raise Expired(0, "Timeout", f"not in time: {what}")
        backend.transfers.pause(_LOOK_EVERY)
    return found
