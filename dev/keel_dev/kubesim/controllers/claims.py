"""PersistentVolumeClaims: binding, provisioning by the simulated CSI driver, deletion protection."""

from __future__ import annotations

from typing import Any

from .. import quantity
from ..admission.builtin import IN_USE
from ..cluster import Cluster
from ..kinds import POD, PV, PVC, SNAPSHOT, STORAGE_CLASS
from ..store import Object
from .base import Base, Refs, own
from .pods import FINAL, SELECTED_NODE, claims_of
from .volumes import DRIVER, content_key, room_left

PROVISIONER = "volume.kubernetes.io/storage-provisioner"
BOUND_ANNOTATIONS = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
POPULATORS = ("VolumeImportSource", "VolumeUploadSource", "VolumeCloneSource")
SNAPSHOT_GROUP = "snapshot.storage.k8s.io"


class Refused(Exception):
    """Why a claim cannot be provisioned now; tried again later."""


class Claims(Base):
    name, manager, key = "csi", "csi-provisioner", PVC

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {
            PVC: own,
            POD: self._mounted,
            PV: self._of_volume,
            SNAPSHOT: self._restoring,
            STORAGE_CLASS: self._pending,
        }

    def _mounted(self, pod: Object) -> Refs:
        return [(pod["metadata"]["namespace"], name) for name in claims_of(pod)]

    def _of_volume(self, volume: Object) -> Refs:
        claim = volume["spec"].get("claimRef")
        return [(claim["namespace"], claim["name"])] if claim else self._pending(volume)

    def _pending(self, _: Object) -> Refs:
        return [ref for claim in self.cluster.list(PVC) if not claim["spec"].get("volumeName") for ref in own(claim)]

    def _restoring(self, snapshot: Object) -> Refs:
        namespace = snapshot["metadata"]["namespace"]
        claims = self.cluster.list(PVC, namespace)
        return [
            ref
            for claim in claims
            if (claim["spec"].get("dataSource") or {}).get("name") == snapshot["metadata"]["name"]
            for ref in own(claim)
        ]

    def reconcile(self, namespace: str, name: str) -> None:
        claim = self.get(PVC, namespace, name)
        if claim is None:
            return
        if claim["metadata"].get("deletionTimestamp"):
            self._release(claim)
        elif claim["spec"].get("volumeName"):
            self._follow_volume(claim)
        elif not self._bind_static(claim):
            self._provision(claim)

    def _release(self, claim: Object) -> None:
        """A claim lives on while a pod that has not finished mounts it."""
        if IN_USE not in (claim["metadata"].get("finalizers") or ()):
            return
        users = [
            pod
            for pod in self.cluster.list(POD, claim["metadata"]["namespace"])
            if claim["metadata"]["name"] in claims_of(pod)
        ]
        if any(pod.get("status", {}).get("phase") not in FINAL for pod in users):
            return

        def free(claim: Object) -> None:
            claim["metadata"]["finalizers"] = [item for item in claim["metadata"]["finalizers"] if item != IN_USE]

        self.modify(PVC, claim, free)

    # -- binding to a volume that is there

    def _follow_volume(self, claim: Object) -> None:
        if claim["status"]["phase"] != "Pending":
            return
        volume = self.get(PV, "", claim["spec"]["volumeName"])
        reference = volume["spec"].get("claimRef") if volume else None
        if volume and (reference is None or _refers(reference, claim)):
            self.bind(claim, volume)

    def _bind_static(self, claim: Object) -> bool:
        """A volume reserved for this claim, or for classless claims any free one that is large enough."""
        wanted = quantity.size(claim["spec"]["resources"]["requests"]["storage"])
        for volume in self.cluster.list(PV):
            spec = volume["spec"]
            reference = spec.get("claimRef")
            if reference:
                if _refers(reference, claim) and volume.get("status", {}).get("phase") != "Released":
                    self.bind(claim, volume)
                    return True
                continue
            same = spec.get("storageClassName", "") == (claim["spec"].get("storageClassName") or "")
            modes = set(claim["spec"]["accessModes"]) <= set(spec.get("accessModes") or ())
            mode = spec.get("volumeMode", "Filesystem") == claim["spec"]["volumeMode"]
            if (
                same
                and modes
                and mode
                and quantity.size(spec["capacity"]["storage"]) >= wanted
                and not claim["spec"].get("dataSource")
            ):
                self.bind(claim, volume)
                return True
        return False

    def bind(self, claim: Object, volume: Object) -> None:
        """Tie a claim and a volume to each other, as the volume binder does in one go."""
        name, metadata = volume["metadata"]["name"], claim["metadata"]

        def hold(volume: Object) -> None:
            volume["spec"]["claimRef"] = {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
                "resourceVersion": metadata["resourceVersion"],
            }
            volume["status"] = {"phase": "Bound"}

        self.modify(PV, volume, hold)

        def bound(claim: Object) -> None:
            claim["metadata"].setdefault("annotations", {}).update(BOUND_ANNOTATIONS)
            claim["spec"]["volumeName"] = name
            capacity = {"storage": volume["spec"]["capacity"]["storage"]}
            claim["status"] = {"phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": capacity}
            if claim["spec"].get("volumeAttributesClassName"):
                claim["status"]["currentVolumeAttributesClassName"] = claim["spec"]["volumeAttributesClassName"]

        self.modify(PVC, claim, bound)

    # -- provisioning

    def _provision(self, claim: Object) -> None:
        spec, annotations = claim["spec"], claim["metadata"].get("annotations") or {}
        name = spec.get("storageClassName") or ""
        if not name:
            self._tell(
                claim,
                "Normal",
                "FailedBinding",
                "no persistent volumes available for this claim and no storage class is set",
            )
            return
        found = self.get(STORAGE_CLASS, "", name)
        if found is None:
            self._tell(claim, "Warning", "ProvisioningFailed", f'storageclass.storage.k8s.io "{name}" not found')
            return
        if found["volumeBindingMode"] == "WaitForFirstConsumer" and SELECTED_NODE not in annotations:
            self._tell(
                claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding"
            )
            return
        source = spec.get("dataSourceRef") or {}
        if source.get("kind") in POPULATORS and source.get("apiGroup") == "cdi.kubevirt.io":
            return  # the populator fills a claim of its own and hands its volume over
        if PROVISIONER not in annotations:
            driver = found["provisioner"]
            self.modify(PVC, claim, lambda c: c["metadata"].setdefault("annotations", {}).update({PROVISIONER: driver}))
            text = (
                f"Waiting for a volume to be created either by the external provisioner '{driver}' or "
                "manually by the system administrator."
            )
            self._tell(claim, "Normal", "ExternalProvisioning", text)
            return
        if found["provisioner"] == DRIVER:
            self._make_volume(claim, found)

    def _make_volume(self, claim: Object, found: Object) -> None:
        behaviour = self.cluster.knobs.provisioner(found["metadata"]["name"])
        if behaviour.outcome == "stalls" or not self.due(claim, "provision", behaviour.delay):
            return
        try:
            if behaviour.outcome == "fails":
                raise Refused(behaviour.message)
            origin = self._origin(claim)
            wanted = quantity.size(claim["spec"]["resources"]["requests"]["storage"])
            if wanted > room_left(self.cluster):
                raise Refused("rpc error: code = ResourceExhausted desc = not enough free capacity")
        except Refused as error:
            text = f'failed to provision volume with StorageClass "{found["metadata"]["name"]}": {error}'
            self._tell(claim, "Warning", "ProvisioningFailed", text)
            self.again(claim, 5.0)
            return
        volume = self.create(PV, "", _volume(claim, found), status=True)
        self.cluster.contents.copy(origin, content_key(volume["metadata"]["name"]))
        self._tell(
            claim, "Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {volume['metadata']['name']}"
        )
        self.bind(claim, volume)

    def _origin(self, claim: Object) -> str:
        """Where the content of the new volume comes from; "" for an empty one. Raises Refused."""
        source = claim["spec"].get("dataSourceRef")
        if not source:
            return ""
        namespace, wanted = (
            claim["metadata"]["namespace"],
            quantity.size(claim["spec"]["resources"]["requests"]["storage"]),
        )
        if source["kind"] == "VolumeSnapshot" and source.get("apiGroup") == SNAPSHOT_GROUP:
            snapshot = self.get(SNAPSHOT, source.get("namespace", namespace), source["name"])
            status = snapshot.get("status", {}) if snapshot else {}
            if snapshot is None or not status.get("readyToUse"):
                state = (
                    "is not Ready"
                    if snapshot
                    else (
                        f"error getting snapshot {source['name']} from api server: "
                        f'volumesnapshots.snapshot.storage.k8s.io "{source["name"]}" not found'
                    )
                )
                raise Refused(
                    f"error getting handle for DataSource Type VolumeSnapshot by Name {source['name']}: {state}"
                )
            least = quantity.size(status.get("restoreSize"))
            if wanted < least:
                raise Refused(
                    f"requested volume size {wanted} is less than the size {least} for the source snapshot "
                    f"{source['name']}"
                )
            return f"snapshot:{status['boundVolumeSnapshotContentName']}"
        if source["kind"] == "PersistentVolumeClaim" and not source.get("apiGroup"):
            return self._clone_origin(claim, source["name"], wanted)
        raise Refused(
            f"error getting handle for DataSource Type {source['kind']} by Name {source['name']}: "
            "unsupported dataSource"
        )

    def _clone_origin(self, claim: Object, name: str, wanted: int) -> str:
        origin = self.get(PVC, claim["metadata"]["namespace"], name)
        if origin is None or origin["metadata"].get("deletionTimestamp"):
            raise Refused(f"error getting handle for DataSource Type PersistentVolumeClaim by Name {name}: not found")
        if origin["status"]["phase"] != "Bound":
            raise Refused(
                f"error getting handle for DataSource Type PersistentVolumeClaim by Name {name}: the PVC is not bound"
            )
        if origin["spec"].get("storageClassName") != claim["spec"].get("storageClassName"):
            raise Refused("the source PVC and destination PVCs must have the same storage class for cloning")
        if origin["spec"]["volumeMode"] != claim["spec"]["volumeMode"]:
            raise Refused("the source PVC and destination PVCs must have the same volume mode for cloning")
        if quantity.size(origin["status"]["capacity"]["storage"]) > wanted:
            raise Refused(
                "new PVC request must be greater than or equal in size to the specified PVC data source, "
                f"requested {wanted}"
            )
        return content_key(origin["spec"]["volumeName"])

    def _tell(self, claim: Object, kind: str, reason: str, message: str) -> None:
        self.event(claim, kind, reason, message)


def _refers(reference: dict[str, Any], claim: Object) -> bool:
    metadata = claim["metadata"]
    named = (reference.get("namespace"), reference.get("name")) == (metadata["namespace"], metadata["name"])
    return named and reference.get("uid") in (None, "", metadata["uid"])


def _volume(claim: Object, found: Object) -> Object:
    metadata, spec = claim["metadata"], claim["spec"]
    name = f"pvc-{metadata['uid']}"
    return {
        "metadata": {
            "name": name,
            "annotations": {"pv.kubernetes.io/provisioned-by": DRIVER},
            "finalizers": ["kubernetes.io/pv-protection", f"external-provisioner.{IN_USE.partition('/')[0]}/finalizer"],
        },
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "volumeMode": spec["volumeMode"],
            "persistentVolumeReclaimPolicy": found["reclaimPolicy"],
            "storageClassName": found["metadata"]["name"],
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
            },
            "csi": {"driver": DRIVER, "volumeHandle": name, "volumeAttributes": dict(found.get("parameters") or {})},
        },
        "status": {"phase": "Bound"},
    }
