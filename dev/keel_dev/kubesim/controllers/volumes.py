"""PersistentVolumes of the simulated CSI driver: growing, changing class, reclaiming, and what they hold.

What a volume holds stands in `contents`: a sparse file, and the origin of what was written into it (checksum, bytes
and source), carried along by snapshots and clones, so that a test can tell whether data came through.
"""

from __future__ import annotations

from .. import quantity
from ..cluster import Cluster
from ..kinds import ATTRIBUTES_CLASS, CSI_CAPACITY, POD, PV, PVC, STORAGE_CLASS
from ..store import Object
from .base import Base, Refs, own
from .pods import claims_of

DRIVER = "csi.kubesim.io"
POOL_BYTES = 100 << 40


def content_key(volume: str) -> str:
    """Where the content of a PersistentVolume stands."""
    return f"volume:{volume}"


def room_left(cluster: Cluster) -> int:
    """Free bytes of the driver's one pool, which all its storage classes share."""
    volumes = [volume for volume in cluster.list(PV) if volume["spec"].get("csi", {}).get("driver") == DRIVER]
    return POOL_BYTES - sum(quantity.size(volume["spec"]["capacity"]["storage"]) for volume in volumes)


class Volumes(Base):
    name, manager, key = "volumes", "csi-provisioner", PV

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {PV: own, PVC: self._of_claim, POD: self._of_pod}

    def _of_claim(self, claim: Object) -> Refs:
        name = claim["spec"].get("volumeName")
        return [("", name)] if name else []

    def _of_pod(self, pod: Object) -> Refs:
        claims = [self.get(PVC, pod["metadata"]["namespace"], name) for name in claims_of(pod)]
        return [ref for claim in claims if claim is not None for ref in self._of_claim(claim)]

    def reconcile(self, namespace: str, name: str) -> None:
        volume = self.get(PV, "", name)
        self._publish_capacity()
        if volume is None:
            self.cluster.contents.forget(content_key(name))
            return
        claim = self._claim(volume)
        if volume["metadata"].get("deletionTimestamp"):
            if claim is None:
                self._set_finalizers(volume)
        elif volume["spec"].get("claimRef") is None:
            if volume["status"]["phase"] == "Pending":
                self.modify(PV, volume, lambda volume: volume.update(status={"phase": "Available"}))
        elif claim is None and volume["spec"]["claimRef"].get("uid"):
            self._reclaim(volume)
        elif (
            claim is not None
            and claim.get("status", {}).get("phase") == "Bound"
            and volume["spec"].get("csi", {}).get("driver") == DRIVER
        ):
            self._grow(claim, volume)
            self._change_class(claim)

    def _claim(self, volume: Object) -> Object | None:
        reference = volume["spec"].get("claimRef") or {}
        found = self.get(PVC, reference.get("namespace", ""), reference.get("name", ""))
        return found if found and reference.get("uid") in (None, found["metadata"]["uid"]) else None

    def _reclaim(self, volume: Object) -> None:
        if volume["status"]["phase"] != "Released":
            self.modify(PV, volume, lambda volume: volume.update(status={"phase": "Released"}))
        elif volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete" and self.due(volume, "reclaim"):
            self.delete(PV, volume)

    def _set_finalizers(self, volume: Object) -> None:
        self.modify(PV, volume, lambda volume: volume["metadata"].pop("finalizers", None))

    # -- growing

    def _grow(self, claim: Object, volume: Object) -> None:
        wanted = claim["spec"]["resources"]["requests"]["storage"]
        have = claim["status"]["capacity"]["storage"]
        if quantity.size(wanted) <= quantity.size(have):
            return
        behaviour = self.cluster.knobs.provisioner(claim["spec"].get("storageClassName") or "")
        status = claim["status"].get("allocatedResourceStatuses", {}).get("storage", "")
        if quantity.size(volume["spec"]["capacity"]["storage"]) < quantity.size(wanted):
            if status != "ControllerResizeInProgress":
                self._resizing(claim, "ControllerResizeInProgress", "Resizing")
                self.event(
                    claim, "Normal", "Resizing", f"External resizer is resizing volume {volume['metadata']['name']}"
                )
            elif behaviour.expansion == "fails":
                self.event(
                    claim,
                    "Warning",
                    "VolumeResizeFailed",
                    f'resize volume "{volume["metadata"]["name"]}" by resizer "{DRIVER}" failed: {behaviour.message}',
                )
                self.again(volume, 5.0)
            elif behaviour.expansion != "stalls" and self.due(volume, "expand"):
                self.modify(PV, volume, lambda volume: volume["spec"]["capacity"].update(storage=wanted))
            return
        if claim["spec"]["volumeMode"] == "Filesystem" and not self._mounted(claim):
            if status != "NodeResizePending":
                self._resizing(claim, "NodeResizePending", "FileSystemResizePending")
                self.event(claim, "Normal", "FileSystemResizeRequired", "Require file system resize of volume on node")
            return
        self._grown(claim, volume["spec"]["capacity"]["storage"])

    def _mounted(self, claim: Object) -> bool:
        pods = self.cluster.list(POD, claim["metadata"]["namespace"])
        name = claim["metadata"]["name"]
        return any(name in claims_of(pod) and pod.get("status", {}).get("phase") == "Running" for pod in pods)

    def _resizing(self, claim: Object, status: str, kind: str) -> None:
        now = self.stamp()

        def change(claim: Object) -> None:
            wanted = claim["spec"]["resources"]["requests"]["storage"]
            claim["status"]["allocatedResources"] = {"storage": wanted}
            claim["status"]["allocatedResourceStatuses"] = {"storage": status}
            row = {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
            claim["status"]["conditions"] = [row]

        self.modify(PVC, claim, change)

    def _grown(self, claim: Object, size: str) -> None:
        def change(claim: Object) -> None:
            claim["status"]["capacity"]["storage"] = size
            for name in ("conditions", "allocatedResourceStatuses", "allocatedResources"):
                claim["status"].pop(name, None)

        self.modify(PVC, claim, change)
        self.event(claim, "Normal", "FileSystemResizeSuccessful", "MountVolume.NodeExpandVolume succeeded for volume")

    # -- attributes class, capacity

    def _change_class(self, claim: Object) -> None:
        wanted = claim["spec"].get("volumeAttributesClassName")
        status = claim["status"]
        if not wanted or status.get("currentVolumeAttributesClassName") == wanted:
            return
        found = self.get(ATTRIBUTES_CLASS, "", wanted)
        state = "Pending" if found is None else ("InProgress" if found.get("driverName") == DRIVER else "Infeasible")
        now = {"targetVolumeAttributesClassName": wanted, "status": state}
        if status.get("modifyVolumeStatus") != now:
            self.modify(PVC, claim, lambda claim: claim["status"].update(modifyVolumeStatus=now))
        elif state == "InProgress" and self._class_due(claim):

            def done(claim: Object) -> None:
                claim["status"].pop("modifyVolumeStatus", None)
                claim["status"]["currentVolumeAttributesClassName"] = wanted

            self.modify(PVC, claim, done)

    def _class_due(self, claim: Object) -> bool:
        volume = self.get(PV, "", claim["spec"]["volumeName"])
        return volume is not None and self.due(volume, "change class", 0.5)

    def _publish_capacity(self) -> None:
        """CSIStorageCapacity, one per class of the driver, in whole GiB."""
        free = quantity.binary(room_left(self.cluster) >> 30 << 30)
        for found in self.cluster.list(STORAGE_CLASS):
            if found["provisioner"] != DRIVER:
                continue
            name = f"csisc-{found['metadata']['name']}"
            row = self.get(CSI_CAPACITY, "kube-system", name)
            if row is None:
                body = {
                    "metadata": {"name": name},
                    "storageClassName": found["metadata"]["name"],
                    "nodeTopology": {},
                    "capacity": free,
                    "maximumVolumeSize": free,
                }
                self.create(CSI_CAPACITY, "kube-system", body)
            elif row["capacity"] != free:
                self.modify(CSI_CAPACITY, row, lambda row: row.update(capacity=free, maximumVolumeSize=free))
