"""VolumeSnapshots and their contents."""

from __future__ import annotations

from ..cluster import Cluster
from ..kinds import PV, PVC, SNAPSHOT, SNAPSHOT_CLASS, SNAPSHOT_CONTENT
from ..store import Object
from .base import Base, Refs, finalizer, own
from .volumes import DRIVER, content_key

GROUP = "snapshot.storage.kubernetes.io"
BOUND, AS_SOURCE, CLAIM_BUSY = (
    f"{GROUP}/volumesnapshot-bound-protection",
    f"{GROUP}/volumesnapshot-as-source-protection",
    f"{GROUP}/pvc-as-source-protection",
)
BEING_DELETED = f"{GROUP}/volumesnapshot-being-deleted"
DEFAULT = f"{GROUP}/is-default-class"
CONTENT_BOUND = f"{GROUP}/volumesnapshotcontent-bound-protection"


class Wait(Exception):
    """Why a snapshot cannot be taken yet."""


class Snapshots(Base):
    name, manager, key = "snapshots", "snapshot-controller", SNAPSHOT

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {SNAPSHOT: own, SNAPSHOT_CONTENT: self._of_content, PVC: self._of_claim}

    def _of_content(self, content: Object) -> Refs:
        reference = content["spec"]["volumeSnapshotRef"]
        return [(reference["namespace"], reference["name"])]

    def _of_claim(self, claim: Object) -> Refs:
        namespace, name = claim["metadata"]["namespace"], claim["metadata"]["name"]
        found = [
            ref
            for snapshot in self.cluster.list(SNAPSHOT, namespace)
            if snapshot["spec"]["source"].get("persistentVolumeClaimName") == name
            for ref in own(snapshot)
        ]
        source = claim["spec"].get("dataSource") or {}
        return [*found, (namespace, source["name"])] if source.get("kind") == "VolumeSnapshot" else found

    def reconcile(self, namespace: str, name: str) -> None:
        snapshot = self.get(SNAPSHOT, namespace, name)
        if snapshot is None:
            return
        if snapshot["metadata"].get("deletionTimestamp"):
            self._remove(snapshot)
            return
        self._protect_source(snapshot)
        content = self._content(snapshot)
        if content is None:
            try:
                self._begin(snapshot)
            except Wait as error:
                self._error(snapshot, str(error))
        else:
            self._follow(snapshot, content)

    def _content(self, snapshot: Object) -> Object | None:
        given = snapshot["spec"]["source"].get("volumeSnapshotContentName")
        return self.get(SNAPSHOT_CONTENT, "", given or f"snapcontent-{snapshot['metadata']['uid']}")

    def _restoring(self, snapshot: Object) -> bool:
        for claim in self.cluster.list(PVC, snapshot["metadata"]["namespace"]):
            source = claim["spec"].get("dataSource") or {}
            named = source.get("kind") == "VolumeSnapshot" and source["name"] == snapshot["metadata"]["name"]
            if named and claim["status"]["phase"] == "Pending" and not claim["metadata"].get("deletionTimestamp"):
                return True
        return False

    def _protect_source(self, snapshot: Object) -> None:
        wanted = self._restoring(snapshot)
        self.modify(SNAPSHOT, snapshot, lambda snapshot: finalizer(snapshot, AS_SOURCE, wanted))

    # -- taking one

    def _begin(self, snapshot: Object) -> None:
        if snapshot["spec"]["source"].get("volumeSnapshotContentName"):
            raise Wait("VolumeSnapshotContent is missing")
        claim, volume = self._source(snapshot)
        found = self._class(snapshot, volume["spec"]["csi"]["driver"])
        if found["driver"] != DRIVER:
            return  # another driver's business: nobody here answers
        if not self.due(snapshot, "snapshot-content"):
            return
        self.modify(PVC, claim, lambda claim: finalizer(claim, CLAIM_BUSY, True))
        metadata = snapshot["metadata"]
        body = {
            "metadata": {"name": f"snapcontent-{metadata['uid']}", "finalizers": [CONTENT_BOUND]},
            "spec": {
                "deletionPolicy": found["deletionPolicy"],
                "driver": found["driver"],
                "source": {"volumeHandle": volume["spec"]["csi"]["volumeHandle"]},
                "sourceVolumeMode": claim["spec"]["volumeMode"],
                "volumeSnapshotClassName": found["metadata"]["name"],
                "volumeSnapshotRef": {
                    "apiVersion": snapshot["apiVersion"],
                    "kind": "VolumeSnapshot",
                    "namespace": metadata["namespace"],
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                },
            },
        }
        self.event(
            snapshot,
            "Normal",
            "CreatingSnapshot",
            f"Waiting for a snapshot {_full(snapshot)} to be created by the CSI driver.",
        )
        content = self.create(SNAPSHOT_CONTENT, "", body)

        def bound(snapshot: Object) -> None:
            finalizer(snapshot, BOUND, True)
            snapshot["spec"].setdefault("volumeSnapshotClassName", found["metadata"]["name"])
            snapshot["status"] = {"boundVolumeSnapshotContentName": content["metadata"]["name"], "readyToUse": False}

        self.modify(SNAPSHOT, snapshot, bound)

    def _source(self, snapshot: Object) -> tuple[Object, Object]:
        """The claim and its volume. Raises Wait."""
        name = snapshot["spec"]["source"]["persistentVolumeClaimName"]
        claim = self.get(PVC, snapshot["metadata"]["namespace"], name)
        if claim is None:
            text = (
                "Failed to create snapshot content with error snapshot controller failed to update "
                f"{snapshot['metadata']['name']} on API server: cannot get claim from snapshot"
            )
            raise Wait(text)
        volume = self.get(PV, "", claim["spec"].get("volumeName", ""))
        if claim["status"]["phase"] != "Bound" or volume is None:
            raise Wait(
                f"Failed to create snapshot content with error the PVC {name} is not yet bound to a PV, "
                "will not attempt to take a snapshot"
            )
        if "csi" not in volume["spec"]:
            raise Wait(
                "Failed to create snapshot content with error cannot take a snapshot of a volume that is "
                "not from a CSI driver"
            )
        return claim, volume

    def _class(self, snapshot: Object, driver: str) -> Object:
        """The named class, or the only default one of the driver. Raises Wait."""
        name = snapshot["spec"].get("volumeSnapshotClassName")
        if name:
            found = self.get(SNAPSHOT_CLASS, "", name)
            if found is None:
                text = (
                    "Failed to get snapshot class with error volumesnapshotclasses.snapshot.storage.k8s.io "
                    f'"{name}" not found'
                )
                raise Wait(text)
            if found["driver"] != driver:
                raise Wait(
                    "Failed to create snapshot content with error failed to get input parameters: driver "
                    f"{found['driver']} of class {name} is not {driver}"
                )
            return found
        classes = [c for c in self.cluster.list(SNAPSHOT_CLASS) if c["driver"] == driver]
        defaults = [c for c in classes if (c["metadata"].get("annotations") or {}).get(DEFAULT) == "true"]
        if len(defaults) != 1:
            count = (
                "cannot find default snapshot class"
                if not defaults
                else f"{len(defaults)} default snapshot classes were found"
            )
            raise Wait(f"Failed to set default snapshot class with error {count}")
        return defaults[0]

    def _follow(self, snapshot: Object, content: Object) -> None:
        behaviour = self.cluster.knobs.provisioner(self._storage_class(snapshot))
        if snapshot.get("status", {}).get("readyToUse") or behaviour.snapshot == "stalls":
            return
        if not self.due(snapshot, "snapshot-cut"):
            return
        if behaviour.snapshot == "fails":
            self._error(
                snapshot, f"Failed to check and update snapshot content: failed to take snapshot: {behaviour.message}"
            )
            return
        now = self.stamp()
        volume = self.get(PV, "", content["spec"]["source"].get("volumeHandle", ""))
        size = (
            volume["spec"]["capacity"]["storage"]
            if volume
            else str(content.get("status", {}).get("restoreSize", "1Gi"))
        )
        if volume:
            origin = content_key(volume["metadata"]["name"])
            self.cluster.contents.copy(origin, f"snapshot:{content['metadata']['name']}")
        handle = content["spec"]["source"].get("snapshotHandle") or f"snap-{content['metadata']['uid']}"

        def cut(content: Object) -> None:
            content["status"] = {
                "snapshotHandle": handle,
                "readyToUse": True,
                "creationTime": int(self.cluster.clock.now() * 1e9),
            }

        self.modify(SNAPSHOT_CONTENT, content, cut)

        def ready(snapshot: Object) -> None:
            finalizer(snapshot, BOUND, True)
            snapshot["status"] = {
                "boundVolumeSnapshotContentName": content["metadata"]["name"],
                "creationTime": now,
                "readyToUse": True,
                "restoreSize": size,
            }

        self.modify(SNAPSHOT, snapshot, ready)
        self._free_claim(snapshot)
        self.event(
            snapshot,
            "Normal",
            "SnapshotCreated",
            f"Snapshot {_full(snapshot)} was successfully created by the CSI driver.",
        )
        self.event(snapshot, "Normal", "SnapshotReady", f"Snapshot {_full(snapshot)} is ready to use.")

    def _storage_class(self, snapshot: Object) -> str:
        name = snapshot["spec"]["source"].get("persistentVolumeClaimName", "")
        claim = self.get(PVC, snapshot["metadata"]["namespace"], name)
        return (claim["spec"].get("storageClassName") or "") if claim else ""

    def _free_claim(self, snapshot: Object) -> None:
        name = snapshot["spec"]["source"].get("persistentVolumeClaimName", "")
        claim = self.get(PVC, snapshot["metadata"]["namespace"], name)
        if claim is not None:
            self.modify(PVC, claim, lambda claim: finalizer(claim, CLAIM_BUSY, False))

    def _error(self, snapshot: Object, message: str) -> None:
        now = self.stamp()

        def change(snapshot: Object) -> None:
            status = snapshot.setdefault("status", {})
            if (status.get("error") or {}).get("message") != message:
                status["error"] = {"message": message, "time": now}
            status["readyToUse"] = False

        self.modify(SNAPSHOT, snapshot, change)
        self.event(snapshot, "Warning", "SnapshotContentCreationFailed", message)
        self.again(snapshot, 5.0)

    # -- removing one

    def _remove(self, snapshot: Object) -> None:
        if self._restoring(snapshot):
            self.event(snapshot, "Warning", "SnapshotDeletePending", "Snapshot is being used to restore a PVC")
            return
        content = self._content(snapshot)
        if content is not None:
            if content["spec"]["deletionPolicy"] == "Delete":
                if not content["metadata"].get("deletionTimestamp"):
                    mark = {BEING_DELETED: "yes"}
                    self.modify(
                        SNAPSHOT_CONTENT, content, lambda c: c["metadata"].setdefault("annotations", {}).update(mark)
                    )
                    self.delete(SNAPSHOT_CONTENT, content)
                    return
                if not self.due(snapshot, "reclaim"):
                    return
                self.cluster.contents.forget(f"snapshot:{content['metadata']['name']}")
                self.modify(SNAPSHOT_CONTENT, content, lambda content: content["metadata"].pop("finalizers", None))
            self._free_claim(snapshot)

        def free(snapshot: Object) -> None:
            for name in (BOUND, AS_SOURCE):
                finalizer(snapshot, name, False)

        self.modify(SNAPSHOT, snapshot, free)


def _full(snapshot: Object) -> str:
    return f"{snapshot['metadata']['namespace']}/{snapshot['metadata']['name']}"
