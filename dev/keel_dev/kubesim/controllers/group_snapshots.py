"""VolumeGroupSnapshots: a snapshot of every chosen claim, all of one moment (external-snapshotter v8.6, v1beta2).

The members are VolumeSnapshots with names of the controller's own choice, owned and guarded by the group snapshot:
none of them goes before it does.
"""

from __future__ import annotations

import hashlib

from ..cluster import Cluster
from ..kinds import GROUP_SNAPSHOT, GROUP_SNAPSHOT_CLASS, GROUP_SNAPSHOT_CONTENT, PV, PVC, SNAPSHOT, SNAPSHOT_CONTENT
from ..selectors import matches_selector
from ..store import Object
from .base import Base, finalizer, own, owner, reference
from .snapshots import BOUND, CONTENT_BOUND, Wait
from .volumes import DRIVER, content_key

GROUP = "groupsnapshot.storage.kubernetes.io"
GROUP_BOUND = f"{GROUP}/volumegroupsnapshot-bound-protection"
GROUP_CONTENT_BOUND = f"{GROUP}/volumegroupsnapshotcontent-bound-protection"
IN_GROUP = "snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection"
DEFAULT = f"{GROUP}/is-default-class"


class GroupSnapshots(Base):
    name, manager, key = "group-snapshots", "snapshot-controller", GROUP_SNAPSHOT

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {GROUP_SNAPSHOT: own, SNAPSHOT: owner("VolumeGroupSnapshot")}

    def reconcile(self, namespace: str, name: str) -> None:
        group = self.get(GROUP_SNAPSHOT, namespace, name)
        if group is None:
            return
        if group["metadata"].get("deletionTimestamp"):
            self._remove(group)
        elif not group.get("status", {}).get("readyToUse"):
            try:
                self._take(group)
            except Wait as problem:
                self._error(group, str(problem))

    def _take(self, group: Object) -> None:
        """Raises Wait."""
        claims, volumes = self._chosen(group)
        found = self._class(group)
        behaviours = [self.cluster.knobs.provisioner(claim["spec"].get("storageClassName") or "") for claim in claims]
        if any(behaviour.snapshot == "stalls" for behaviour in behaviours):
            return
        if not self.due(group, "snapshot-cut"):
            return
        failing = next((behaviour for behaviour in behaviours if behaviour.snapshot == "fails"), None)
        if failing:
            raise Wait(f"failed to take group snapshot of the volumes: {failing.message}")
        name = f"groupsnapcontent-{group['metadata']['uid']}"
        pairs = [self._member(group, claim, volume, found) for claim, volume in zip(claims, volumes, strict=True)]
        self.create(GROUP_SNAPSHOT_CONTENT, "", _content(name, group, volumes, pairs, found, self.stamp()), status=True)
        now = self.stamp()

        def ready(group: Object) -> None:
            finalizer(group, GROUP_BOUND, True)
            group["spec"].setdefault("volumeGroupSnapshotClassName", found["metadata"]["name"])
            group["status"] = {
                "boundVolumeGroupSnapshotContentName": name,
                "creationTime": now,
                "readyToUse": True,
            }

        self.modify(GROUP_SNAPSHOT, group, ready)

    def _chosen(self, group: Object) -> tuple[list[Object], list[Object]]:
        """The claims and their volumes. Raises Wait."""
        wanted = group["spec"]["source"].get("selector")
        if wanted is None:
            raise Wait("VolumeGroupSnapshotContent is missing")
        claims = [
            claim
            for claim in self.cluster.list(PVC, group["metadata"]["namespace"])
            if matches_selector(wanted, claim["metadata"].get("labels") or {})
        ]
        if not claims:
            raise Wait("failed to retrieve PVCs for the group snapshot: no PVC matches the selector")
        volumes = []
        for claim in claims:
            volume = self.get(PV, "", claim["spec"].get("volumeName", ""))
            if claim["status"]["phase"] != "Bound" or volume is None:
                raise Wait(f"the PVC {claim['metadata']['name']} is not yet bound to a PV")
            if volume["spec"].get("csi", {}).get("driver") != DRIVER:
                raise Wait(f"the PV of PVC {claim['metadata']['name']} is not of driver {DRIVER}")
            volumes.append(volume)
        return claims, volumes

    def _class(self, group: Object) -> Object:
        """Raises Wait."""
        name = group["spec"].get("volumeGroupSnapshotClassName")
        if name:
            found = self.get(GROUP_SNAPSHOT_CLASS, "", name)
            if found is None:
                raise Wait(f'volumegroupsnapshotclasses.groupsnapshot.storage.k8s.io "{name}" not found')
            return found
        marked = [
            item
            for item in self.cluster.list(GROUP_SNAPSHOT_CLASS)
            if (item["metadata"].get("annotations") or {}).get(DEFAULT) == "true" and item["driver"] == DRIVER
        ]
        if len(marked) != 1:
            raise Wait("cannot find default group snapshot class")
        return marked[0]

    def _member(self, group: Object, claim: Object, volume: Object, found: Object) -> tuple[str, str]:
        """Cut one claim: its snapshot with content, ready; (volumeHandle, snapshotHandle)."""
        handle = volume["spec"]["csi"]["volumeHandle"]
        digest = hashlib.sha256(f"{group['metadata']['uid']}{handle}".encode()).hexdigest()
        namespace = group["metadata"]["namespace"]
        snapshot = self.get(SNAPSHOT, namespace, f"snapshot-{digest}") or self.create(
            SNAPSHOT, namespace, _snapshot(f"snapshot-{digest}", group, claim)
        )
        content = f"snapcontent-{snapshot['metadata']['uid']}"
        if self.get(SNAPSHOT_CONTENT, "", content) is None:
            self.cluster.contents.copy(content_key(volume["metadata"]["name"]), f"snapshot:{content}")
            self.create(SNAPSHOT_CONTENT, "", _snapshot_content(content, snapshot, claim, handle, found), status=True)
        now = self.stamp()

        def ready(snapshot: Object) -> None:
            snapshot["status"] = {
                "boundVolumeSnapshotContentName": content,
                "creationTime": now,
                "readyToUse": True,
                "restoreSize": volume["spec"]["capacity"]["storage"],
                "volumeGroupSnapshotName": group["metadata"]["name"],
            }

        self.modify(SNAPSHOT, snapshot, ready)
        return handle, f"snap-{digest[:32]}"

    def _error(self, group: Object, message: str) -> None:
        now = self.stamp()

        def change(group: Object) -> None:
            status = group.setdefault("status", {})
            if (status.get("error") or {}).get("message") != message:
                status["error"] = {"message": message, "time": now}
            status["readyToUse"] = False

        self.modify(GROUP_SNAPSHOT, group, change)
        self.event(group, "Warning", "GroupSnapshotContentCreationFailed", message)
        self.again(group, 5.0)

    def _remove(self, group: Object) -> None:
        """The members are let go and deleted; the group snapshot goes when none of them is there any more."""
        namespace, uid = group["metadata"]["namespace"], group["metadata"]["uid"]
        members = [
            item
            for item in self.cluster.list(SNAPSHOT, namespace)
            if any(found["uid"] == uid for found in item["metadata"].get("ownerReferences") or ())
        ]
        for member in members:
            self.modify(SNAPSHOT, member, lambda member: finalizer(member, IN_GROUP, False))
            self.delete(SNAPSHOT, member)
        if members:
            return
        content = self.get(GROUP_SNAPSHOT_CONTENT, "", f"groupsnapcontent-{uid}")
        if content is not None and content["spec"]["deletionPolicy"] == "Delete":
            self.modify(GROUP_SNAPSHOT_CONTENT, content, lambda item: item["metadata"].pop("finalizers", None))
            self.delete(GROUP_SNAPSHOT_CONTENT, content)
        self.modify(GROUP_SNAPSHOT, group, lambda group: finalizer(group, GROUP_BOUND, False))


def _snapshot(name: str, group: Object, claim: Object) -> Object:
    return {
        "metadata": {
            "name": name,
            "ownerReferences": [reference(group)],
            "finalizers": [IN_GROUP, BOUND],
        },
        "spec": {"source": {"persistentVolumeClaimName": claim["metadata"]["name"]}},
    }


def _snapshot_content(name: str, snapshot: Object, claim: Object, handle: str, found: Object) -> Object:
    return {
        "metadata": {"name": name, "finalizers": [CONTENT_BOUND]},
        "spec": {
            "deletionPolicy": found["deletionPolicy"],
            "driver": found["driver"],
            "source": {"volumeHandle": handle},
            "sourceVolumeMode": claim["spec"]["volumeMode"],
            "volumeSnapshotRef": {
                "apiVersion": snapshot["apiVersion"],
                "kind": "VolumeSnapshot",
                "namespace": snapshot["metadata"]["namespace"],
                "name": snapshot["metadata"]["name"],
                "uid": snapshot["metadata"]["uid"],
            },
        },
        "status": {"snapshotHandle": f"snap-{snapshot['metadata']['name'][9:41]}", "readyToUse": True},
    }


def _content(
    name: str, group: Object, volumes: list[Object], pairs: list[tuple[str, str]], found: Object, now: str
) -> Object:
    metadata = group["metadata"]
    return {
        "metadata": {"name": name, "finalizers": [GROUP_CONTENT_BOUND]},
        "spec": {
            "deletionPolicy": found["deletionPolicy"],
            "driver": found["driver"],
            "source": {"volumeHandles": [volume["spec"]["csi"]["volumeHandle"] for volume in volumes]},
            "volumeGroupSnapshotClassName": found["metadata"]["name"],
            "volumeGroupSnapshotRef": {
                "apiVersion": group["apiVersion"],
                "kind": "VolumeGroupSnapshot",
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
            },
        },
        "status": {
            "volumeGroupSnapshotHandle": f"group-{metadata['uid']}",
            "creationTime": now,
            "readyToUse": True,
            "volumeSnapshotInfoList": [
                {"volumeHandle": volume, "snapshotHandle": snapshot, "readyToUse": True} for volume, snapshot in pairs
            ],
        },
    }
