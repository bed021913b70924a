"""CDI DataVolumes: the claim and the source objects made for one, and its phases as the work goes on."""

from __future__ import annotations

from typing import Any

from .. import quantity
from ..admission.builtin import DEFAULT_CLASS
from ..cluster import Cluster
from ..errors import StatusError
from ..kinds import CLONE_SOURCE, DATAVOLUME, IMPORT_SOURCE, PVC, STORAGE_CLASS, UPLOAD_SOURCE
from ..store import Object
from .base import Base, own, owner, reference, set_condition
from .pods import SELECTED_NODE
from .populators import BIND_AT_ONCE, FILESYSTEM_OVERHEAD, MESSAGE, METHOD, PHASE, PROGRESS, RESTARTS

IMPORT_KINDS = ("http", "registry", "s3", "gcs", "imageio", "vddk", "blank")
CLONING = {
    "csi-clone": "CSICloneInProgress",
    "copy": "CloneInProgress",
    "snapshot-source": "CloneFromSnapshotSourceInProgress",
}
EVENTS = {
    "ImportScheduled": "Import into {} scheduled",
    "ImportInProgress": "Import into {} in progress",
    "CloneScheduled": "Cloning into {} scheduled",
    "CloneInProgress": "Cloning into {} in progress",
    "UploadScheduled": "Upload into {} scheduled",
    "UploadReady": "Upload into {} ready",
}


class DataVolumes(Base):
    name, manager, key = "datavolumes", "cdi-controller", DATAVOLUME

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {DATAVOLUME: own, PVC: owner("DataVolume")}

    def reconcile(self, namespace: str, name: str) -> None:
        volume = self.get(DATAVOLUME, namespace, name)
        if volume is None or volume["metadata"].get("deletionTimestamp"):
            return
        claim = self.get(PVC, namespace, name)
        if claim is None:
            if volume.get("status", {}).get("phase") == "Succeeded":
                return  # the claim was taken away on purpose; nothing is filled twice
            if self.due(volume, "vm-sync"):
                self._make_claim(volume)
            return
        if not any(item["uid"] == volume["metadata"]["uid"] for item in claim["metadata"].get("ownerReferences") or ()):
            text = f'Resource "{name}" already exists and is not managed by DataVolume'
            self._report(volume, claim, "Pending", text)
            self.event(volume, "Warning", "ErrResourceExists", text)
            return
        self._report(volume, claim, self._phase(volume, claim))

    # -- the claim

    def _make_claim(self, volume: Object) -> None:
        metadata, spec = volume["metadata"], volume["spec"]
        kind, source, body = self._source(volume)
        name = f"volume-{kind}-source-{metadata['uid']}"
        key = {"import": IMPORT_SOURCE, "upload": UPLOAD_SOURCE, "clone": CLONE_SOURCE}[kind]
        if self.get(key, metadata["namespace"], name) is None:
            self.create(
                key,
                metadata["namespace"],
                {"metadata": {"name": name, "ownerReferences": [reference(volume)]}, "spec": body},
            )
        claim = {
            "metadata": {
                "name": metadata["name"],
                "ownerReferences": [reference(volume)],
                "labels": {**(metadata.get("labels") or {}), "app": "containerized-data-importer"},
                "annotations": {**(metadata.get("annotations") or {}), "cdi.kubevirt.io/storage.usePopulator": "true"},
            },
            "spec": self._claim_spec(spec, {"apiGroup": "cdi.kubevirt.io", "kind": source, "name": name}),
        }
        try:
            self.create(PVC, metadata["namespace"], claim)
        except StatusError as error:
            reason = "ErrExceededQuota" if "exceeded quota" in error.message else "ErrClaimNotValid"
            self._report(volume, None, "Pending", error.message)
            self.event(volume, "Warning", reason, error.message)
            self.again(volume, 5.0)

    def _source(self, volume: Object) -> tuple[str, str, dict[str, Any]]:
        source = volume["spec"].get("source") or {}
        mode = "kubevirt" if (volume["spec"].get("contentType") or "kubevirt") == "kubevirt" else "archive"
        if "upload" in source:
            return "upload", "VolumeUploadSource", {"contentType": mode}
        if "pvc" in source:
            return (
                "clone",
                "VolumeCloneSource",
                {"source": {"kind": "PersistentVolumeClaim", "name": source["pvc"]["name"]}},
            )
        if "snapshot" in source:
            return (
                "clone",
                "VolumeCloneSource",
                {"source": {"kind": "VolumeSnapshot", "name": source["snapshot"]["name"]}},
            )
        return "import", "VolumeImportSource", {"source": source, "contentType": mode}

    def _claim_spec(self, spec: dict[str, Any], source: dict[str, str]) -> dict[str, Any]:
        given = spec.get("pvc") or spec.get("storage") or {}
        found = {
            key: value
            for key, value in given.items()
            if key in ("accessModes", "resources", "storageClassName", "volumeMode", "selector")
        }
        if spec.get("storage"):
            found.setdefault("volumeMode", "Block")
            found.setdefault("accessModes", ["ReadWriteMany" if found["volumeMode"] == "Block" else "ReadWriteOnce"])
            if found["volumeMode"] == "Filesystem":
                asked = quantity.size(found["resources"]["requests"]["storage"])
                enough = str(int(asked / (1 - FILESYSTEM_OVERHEAD)) + 1)
                found["resources"] = {"requests": {"storage": enough}}
        if not found.get("storageClassName"):
            classes = self.cluster.list(STORAGE_CLASS)
            default = next(
                (c for c in classes if (c["metadata"].get("annotations") or {}).get(DEFAULT_CLASS) == "true"), None
            )
            if default:
                found["storageClassName"] = default["metadata"]["name"]
        return {**found, "dataSourceRef": source}

    # -- phases

    def _phase(self, volume: Object, claim: Object) -> str:
        source = volume["spec"].get("source") or {}
        annotations = claim["metadata"].get("annotations") or {}
        if claim["status"]["phase"] == "Bound":
            return "Succeeded"
        storage = self.get(STORAGE_CLASS, "", claim["spec"].get("storageClassName") or "")
        late = storage is not None and storage["volumeBindingMode"] == "WaitForFirstConsumer"
        if late and SELECTED_NODE not in annotations and BIND_AT_ONCE not in annotations:
            return "PendingPopulation"
        work = annotations.get(PHASE, "")
        if not work:
            return "Pending"
        if "upload" in source:
            return "UploadReady" if work == "Running" else "UploadScheduled"
        if "pvc" in source or "snapshot" in source:
            return (
                CLONING.get(annotations.get(METHOD, ""), "CloneInProgress") if work == "Running" else "CloneScheduled"
            )
        return "ImportInProgress" if work == "Running" else "ImportScheduled"

    def _report(self, volume: Object, claim: Object | None, phase: str, trouble: str = "") -> None:
        now = self.stamp()
        annotations = (claim["metadata"].get("annotations") or {}) if claim else {}
        message = trouble or annotations.get(MESSAGE, "")
        before = volume.get("status", {}).get("phase", "")

        def change(volume: Object) -> None:
            status = volume.setdefault("status", {})
            status["phase"] = phase
            if claim is not None:
                status["claimName"] = claim["metadata"]["name"]
            if phase == "Succeeded":
                status["progress"] = "100.0%"
            elif phase in ("ImportInProgress", "CloneInProgress", "CSICloneInProgress"):
                status["progress"] = annotations.get(PROGRESS, "N/A")
            elif before == "":
                status["progress"] = "N/A"
            if annotations.get(RESTARTS):
                status["restartCount"] = int(annotations[RESTARTS])
            _conditions(volume, claim, phase, message, now)

        self.modify(DATAVOLUME, volume, change)
        if phase != before:
            name = volume["metadata"]["name"]
            succeeded = {"upload": "Upload", "pvc": "Clone", "snapshot": "Clone"}
            word = next(
                (word for kind, word in succeeded.items() if kind in (volume["spec"].get("source") or {})), "Import"
            )
            if phase == "Succeeded":
                self.event(volume, "Normal", f"{word}Succeeded", f"Successfully {word.lower()}ed into PVC {name}")
            elif phase in EVENTS:
                self.event(volume, "Normal", phase, EVENTS[phase].format(name))
        if message and phase == "ImportInProgress":
            self.event(volume, "Warning", "Error", message)


def _conditions(volume: Object, claim: Object | None, phase: str, message: str, now: str) -> None:
    bound = claim is not None and claim["status"]["phase"] == "Bound"
    name = claim["metadata"]["name"] if claim else volume["metadata"]["name"]
    set_condition(
        volume, "Bound", bound, now, "Bound" if bound else "Pending", f"PVC {name} {'Bound' if bound else 'Pending'}"
    )
    set_condition(volume, "Ready", phase == "Succeeded", now, "" if phase == "Succeeded" else "TransferRunning")
    running = phase.endswith("InProgress") and not message
    reason = "Completed" if phase == "Succeeded" else ("Error" if message else ("Pod is running" if running else ""))
    set_condition(volume, "Running", running, now, reason, "Import Complete" if phase == "Succeeded" else message)
