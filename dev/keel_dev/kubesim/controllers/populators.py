"""CDI's populators: claims whose dataSourceRef is a VolumeImportSource, VolumeUploadSource or VolumeCloneSource.

The claim stays Pending while a second one, prime-<uid>, is provisioned and filled; then the filled volume
changes hands in one go. How far the work is stands in annotations of the claim.
"""

from __future__ import annotations

import base64
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import quantity
from ..cluster import Cluster
from ..images import Found, ImageError, Source, fetch
from ..kinds import CLONE_SOURCE, IMPORT_SOURCE, NODE, PV, PVC, SECRET, SNAPSHOT, STORAGE_CLASS, UPLOAD_SOURCE
from ..store import Object
from .base import Base, Refs, own, reference
from .claims import POPULATORS, Claims
from .pods import SELECTED_NODE
from .volumes import content_key

PHASE, RESTARTS = "cdi.kubevirt.io/storage.pod.phase", "cdi.kubevirt.io/storage.pod.restarts"
MESSAGE, PROGRESS = "cdi.kubevirt.io/storage.condition.running.message", "cdi.kubevirt.io/storage.populator.progress"
METHOD = "cdi.kubevirt.io/cloneType"
BIND_AT_ONCE = "cdi.kubevirt.io/storage.bind.immediate.requested"
PRIME = "cdi.kubevirt.io/storage.populator.pvcPrime"
SOURCES = dict(zip(POPULATORS, (IMPORT_SOURCE, UPLOAD_SOURCE, CLONE_SOURCE), strict=True))
FILESYSTEM_OVERHEAD = 0.06


class Populators(Base):
    name, manager, key = "populators", "cdi-controller", PVC

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self._binder = Claims(cluster)
        self._pool = ThreadPoolExecutor(3, "kubesim-import")
        self._results: dict[str, Found | ImageError] = {}
        self._running: set[str] = set()
        self._lock = threading.Lock()
        self.watches = {PVC: self._route}
        for key in SOURCES.values():
            self.watches[key] = self._of_source

    def _route(self, claim: Object) -> Refs:
        found = [
            (claim["metadata"]["namespace"], item["name"])
            for item in claim["metadata"].get("ownerReferences") or ()
            if item["kind"] == "PersistentVolumeClaim"
        ]
        return found + (own(claim) if _source_kind(claim) else [])

    def _of_source(self, source: Object) -> Refs:
        claims = self.cluster.list(PVC, source["metadata"]["namespace"])
        return [
            ref
            for claim in claims
            if (claim["spec"].get("dataSourceRef") or {}).get("name") == source["metadata"]["name"]
            for ref in own(claim)
        ]

    def reconcile(self, namespace: str, name: str) -> None:
        claim = self.get(PVC, namespace, name)
        if claim is None or not _source_kind(claim) or claim["metadata"].get("deletionTimestamp"):
            return
        if claim["status"]["phase"] != "Pending":
            self._drop_prime(claim)
            return
        source = self.get(SOURCES[_source_kind(claim)], namespace, claim["spec"]["dataSourceRef"]["name"])
        storage = self.get(STORAGE_CLASS, "", claim["spec"].get("storageClassName") or "")
        if source is None or storage is None:
            return
        annotations = claim["metadata"].get("annotations") or {}
        late = storage["volumeBindingMode"] == "WaitForFirstConsumer"
        if late and SELECTED_NODE not in annotations and BIND_AT_ONCE not in annotations:
            return
        prime = self._prime(claim)
        if prime is not None and prime["status"]["phase"] == "Bound":
            self._fill(claim, prime, source)

    def _prime(self, claim: Object) -> Object | None:
        name = f"prime-{claim['metadata']['uid']}"
        prime = self.get(PVC, claim["metadata"]["namespace"], name)
        if prime is None and self.due(claim, "import-schedule"):
            spec = {
                key: value
                for key, value in claim["spec"].items()
                if key not in ("dataSource", "dataSourceRef", "volumeName")
            }
            metadata: dict[str, Any] = {"name": name, "ownerReferences": [reference(claim)], "annotations": {}}
            annotations = claim["metadata"].get("annotations") or {}
            node = annotations.get(SELECTED_NODE)
            if not node and BIND_AT_ONCE in annotations:
                # The worker pod is the first consumer.
                node = next((item["metadata"]["name"] for item in self.cluster.list(NODE)), None)
            if node:
                metadata["annotations"][SELECTED_NODE] = node
            prime = self.create(PVC, claim["metadata"]["namespace"], {"metadata": metadata, "spec": spec})
            self._note(claim, {PRIME: name, PHASE: "Pending"})
        return prime

    # -- filling

    def _fill(self, claim: Object, prime: Object, source: Object) -> None:
        match _source_kind(claim):
            case "VolumeImportSource":
                self._import(claim, prime, source["spec"].get("source") or {})
            case "VolumeUploadSource":
                self._upload(claim, prime)
            case "VolumeCloneSource":
                self._clone(claim, prime, source["spec"].get("source") or {})

    def _import(self, claim: Object, prime: Object, source: dict[str, Any]) -> None:
        if "blank" in source:
            if self.due(claim, "import-start"):
                self._finish(claim, prime, "")
            return
        if "http" not in source:
            self._fail(claim, f"the simulated importer has no source of kind {', '.join(source) or 'none'}")
            return
        uid = claim["metadata"]["uid"]
        behaviour = self.cluster.knobs.importer(claim["metadata"]["name"])
        annotations = claim["metadata"].get("annotations") or {}
        if uid in self._running:
            return
        if uid in self._results:
            self._conclude(claim, prime)
        elif annotations.get(PHASE) != "Running":
            if self.due(claim, "import-start"):
                self._note(claim, {PHASE: "Running", PROGRESS: "N/A"})
        elif behaviour.outcome == "fails":
            self._fail(claim, behaviour.message)
        elif behaviour.outcome != "stalls" and self.due(claim, "import-finish"):
            self._running.add(uid)
            self._pool.submit(self._work, claim, self._http_source(claim, source["http"]), room_of(claim))

    def _http_source(self, claim: Object, http: dict[str, Any]) -> Source:
        namespace = claim["metadata"]["namespace"]
        headers = list(http.get("extraHeaders") or ())
        for name in http.get("secretExtraHeaders") or ():
            secret = self.get(SECRET, namespace, name)
            headers += [base64.b64decode(value).decode() for value in ((secret or {}).get("data") or {}).values()]
        login = (
            (self.get(SECRET, namespace, http["secretRef"]) or {}).get("data") or {} if http.get("secretRef") else {}
        )
        user, password = (base64.b64decode(login.get(name, "")).decode() for name in ("accessKeyId", "secretKey"))
        bundle = self.get("configmaps", namespace, http["certConfigMap"]) if http.get("certConfigMap") else None
        authority = "\n".join(((bundle or {}).get("data") or {}).values())
        return Source(http["url"], headers, user, password, http.get("checksum") or "", authority)

    def _work(self, claim: Object, source: Source, room: int) -> None:
        """On a thread of its own: read the image, then let the controller look again."""
        uid, shown = claim["metadata"]["uid"], -10.0

        def progress(percent: float) -> None:
            nonlocal shown
            if percent >= shown + 10:
                shown = percent
                self._note(claim, {PROGRESS: f"{percent:.2f}%"})

        result: Found | ImageError
        contents = self.cluster.contents
        try:
            with tempfile.NamedTemporaryFile("w", suffix=".pem") as bundle, contents.receive() as into:
                bundle.write(source.authority)
                bundle.flush()
                result = fetch(source, room, progress, into, bundle.name if source.authority else None)
                contents.keep(incoming_key(claim), into if result.kept else None, result.facts(source.url))
            drop_unwanted(self.cluster, claim)
        except ImageError as error:
            result = error
        except Exception as error:  # an import that breaks is a failed import, never one that hangs
            result = ImageError(f"Unable to process data: {error}")
        self._results[uid] = result
        self._running.discard(uid)
        self.again(claim, 0.0)

    def _conclude(self, claim: Object, prime: Object) -> None:
        result = self._results.pop(claim["metadata"]["uid"])
        if isinstance(result, ImageError):
            self._fail(claim, str(result))
        else:
            self._finish(claim, prime, incoming_key(claim))

    def _upload(self, claim: Object, prime: Object) -> None:
        annotations = claim["metadata"].get("annotations") or {}
        if self.cluster.contents.facts(incoming_key(claim)):
            self._finish(claim, prime, incoming_key(claim))
        elif annotations.get(PHASE) != "Running" and self.due(claim, "import-start"):
            self._note(claim, {PHASE: "Running", "cdi.kubevirt.io/storage.pod.ready": "true"})

    def _clone(self, claim: Object, prime: Object, source: dict[str, Any]) -> None:
        annotations = claim["metadata"].get("annotations") or {}
        origin_namespace = claim["metadata"]["namespace"]
        if source.get("kind") == "VolumeSnapshot":
            snapshot = self.get(SNAPSHOT, origin_namespace, source["name"])
            if snapshot is None or not snapshot.get("status", {}).get("readyToUse"):
                return
            method, held = "snapshot-source", f"snapshot:{snapshot['status']['boundVolumeSnapshotContentName']}"
        else:
            origin = self.get(PVC, origin_namespace, source.get("name", ""))
            if origin is None or origin["status"]["phase"] != "Bound":
                return
            if quantity.size(origin["status"]["capacity"]["storage"]) > quantity.size(
                claim["spec"]["resources"]["requests"]["storage"]
            ):
                self._fail(claim, "target resources requests storage size is smaller than the source")
                return
            same = origin["spec"].get("storageClassName") == claim["spec"].get("storageClassName")
            method, held = "csi-clone" if same else "copy", content_key(origin["spec"]["volumeName"])
        if annotations.get(PHASE) != "Running":
            self._note(claim, {PHASE: "Running", METHOD: method})
        elif self.due(claim, "import-finish"):
            self._finish(claim, prime, held)

    def _fail(self, claim: Object, message: str) -> None:
        """The worker pod restarts; the claim stays Pending."""
        restarts = int((claim["metadata"].get("annotations") or {}).get(RESTARTS, "0")) + 1
        self._note(claim, {MESSAGE: message, RESTARTS: str(restarts), PHASE: "Running"})
        self.cluster.engine.forget(claim, "import-finish")
        self.again(claim, 5.0)

    def _finish(self, claim: Object, prime: Object, origin: str) -> None:
        """Hand the filled volume over: it holds what stands at ``origin``."""
        volume = self.get(PV, "", prime["spec"]["volumeName"])
        if volume is None:
            return
        self.cluster.contents.copy(origin, content_key(volume["metadata"]["name"]))
        self.cluster.contents.forget(incoming_key(claim))
        self._note(claim, {PHASE: "Succeeded", PROGRESS: "100.0%", MESSAGE: ""})
        self._binder.bind(claim, volume)

    def _drop_prime(self, claim: Object) -> None:
        prime = self.get(PVC, claim["metadata"]["namespace"], f"prime-{claim['metadata']['uid']}")
        if prime is not None:
            self.modify(PVC, prime, lambda prime: prime["status"].update(phase="Lost"))
            self.delete(PVC, prime)

    def _note(self, claim: Object, notes: dict[str, str]) -> None:
        self.modify(PVC, claim, lambda claim: claim["metadata"].setdefault("annotations", {}).update(notes))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _source_kind(claim: Object) -> str:
    found = claim["spec"].get("dataSourceRef") or {}
    return found["kind"] if found.get("apiGroup") == "cdi.kubevirt.io" and found.get("kind") in SOURCES else ""


def incoming_key(claim: Object) -> str:
    """Where the content stands that a claim is to be filled with."""
    return f"incoming:{claim['metadata']['uid']}"


def drop_unwanted(cluster: Cluster, claim: Object) -> None:
    """Forget what has come for a claim that was deleted meanwhile."""
    metadata = claim["metadata"]
    now = cluster.get(PVC, metadata["namespace"], metadata["name"])
    if now is None or now["metadata"]["uid"] != metadata["uid"]:
        cluster.contents.forget(incoming_key(claim))


def room_of(claim: Object) -> int:
    """Bytes an image may take: the whole of a block volume, less the overhead on a file system."""
    size = quantity.size(claim["spec"]["resources"]["requests"]["storage"])
    return size if claim["spec"]["volumeMode"] == "Block" else int(size * (1 - FILESYSTEM_OVERHEAD))
