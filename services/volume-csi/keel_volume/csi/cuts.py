"""VolumeGroupSnapshots: snapshots of several claims that the storage takes in one moment (v1beta2).

Not every cluster has the kind, and not every driver a class: without either there is no such snapshot, and nothing here
pretends that single ones were the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_common.kube import GROUP_SNAPSHOT, GROUP_SNAPSHOT_CLASS, PVC, SNAPSHOT, KubeError, NotFound, names
from keel_volume.backend import Backend

_DEFAULT = "groupsnapshot.storage.kubernetes.io/is-default-class"


def classes(backend: Backend) -> dict[str, str]:
    """Name of the class by driver: the one the configuration names, the default one, or the only one.

    Raises KubeError when the cluster cannot say; a cluster without the kind has none.
    """
    try:
        items = backend.kube.list(GROUP_SNAPSHOT_CLASS)
    except NotFound:
        return {}
    wanted = backend.conf.csi.group_snapshot_class
    found: dict[str, str] = {}
    for driver in {item["driver"] for item in items}:
        mine = [item["metadata"] for item in items if item["driver"] == driver]
        marked = [one for one in mine if (one.get("annotations") or {}).get(_DEFAULT) == "true"]
        named = [one for one in mine if one["name"] == wanted]
        chosen = named or ([] if wanted else marked or mine)
        if len(chosen) == 1:
            found[driver] = chosen[0]["name"]
    return found


def class_of_pool(backend: Backend, storage_class: str) -> str | None:
    """The class for claims of a StorageClass, None when they cannot be cut together. Raises KubeError."""
    item = backend.caches.classes.get(storage_class) or {}
    return classes(backend).get(item.get("provisioner", ""))


def mark(group_snapshot_id: str) -> str:
    """Label that the claims of one group snapshot bear while it is taken."""
    return f"openstack.org/group-snapshot-{group_snapshot_id}"


def label_claims(backend: Backend, claims: Iterable[str], group_snapshot_id: str, on: bool) -> None:
    """Put the mark on claims or take it off. Raises KubeError, NotFound for a claim that is to be marked and gone."""
    body = {"metadata": {"labels": {mark(group_snapshot_id): "true" if on else None}}}
    for name in claims:
        try:
            backend.kube.patch(PVC, name, backend.namespace, body)
        except NotFound:
            if on:
                raise


def body(row: Mapping[str, Any], namespace: str, snapshot_class: str) -> dict:
    """The VolumeGroupSnapshot of a row of ``group_snapshots``."""
    spec = {
        "source": {"selector": {"matchLabels": {mark(row["id"]): "true"}}},
        "volumeGroupSnapshotClassName": snapshot_class,
    }
    made = GROUP_SNAPSHOT.body(names.group_snapshot(row["id"]), namespace, spec=spec)
    made["metadata"]["labels"] = names.labels(names.STORAGE, row["project_id"], group_snapshot=row["id"])
    return made


def find(backend: Backend, group_snapshot_id: str) -> dict | None:
    """The VolumeGroupSnapshot as the cluster has it; None also where the kind is unknown. Raises KubeError."""
    return backend.kube.find(GROUP_SNAPSHOT, names.group_snapshot(group_snapshot_id), backend.namespace)


def members(backend: Backend, item: Mapping[str, Any]) -> dict[str, dict]:
    """The ready VolumeSnapshots of a VolumeGroupSnapshot by the name of their claim. Raises KubeError."""
    uid = item["metadata"]["uid"]
    return {
        snapshot["spec"]["source"]["persistentVolumeClaimName"]: snapshot
        for snapshot in backend.kube.list(SNAPSHOT, backend.namespace)
        if any(owner["uid"] == uid for owner in snapshot["metadata"].get("ownerReferences") or ())
        and snapshot["spec"]["source"].get("persistentVolumeClaimName")
        and (snapshot.get("status") or {}).get("readyToUse")
    }


def adopt(backend: Backend, snapshot: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """Give a member the labels of the snapshot (row) it is. Raises KubeError."""
    labels = names.labels(names.STORAGE, row["project_id"], volume=row["volume_id"], snapshot=row["id"])
    backend.kube.patch(SNAPSHOT, snapshot["metadata"]["name"], backend.namespace, {"metadata": {"labels": labels}})


def remove(backend: Backend, group_snapshot_id: str) -> bool:
    """Ask for the deletion of a VolumeGroupSnapshot; True once it is gone. Raises KubeError."""
    name = names.group_snapshot(group_snapshot_id)
    try:
        backend.kube.delete(GROUP_SNAPSHOT, name, backend.namespace)
    except KubeError as problem:
        if problem.code != 404:
            raise
    return find(backend, group_snapshot_id) is None
