"""Bodies of the objects behind volumes and snapshots. Pure: a row in, a dict out.

Names are those of csi.naming, so a body applied twice meets its own object. Sizes: GiB in rows, Gi in claims.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from keel_common.domain.volume import hosts
from keel_common.kube import DATAVOLUME, PVC, SECRET, SNAPSHOT, names
from keel_volume.csi import naming

#: Intent of an extension, kept on the claim so that a restarted process goes on with it.
EXTEND = "openstack.org/extend"


def storage_class(volume: Mapping[str, Any]) -> str:
    """The StorageClass of a volume: the pool in its host column."""
    pool = hosts.split(volume["host"])[2]
    if not pool:
        raise ValueError(f"volume {volume['id']} has host {volume['host']}, which names no pool")
    return pool


def claim(volume: Mapping[str, Any], namespace: str, access_mode: str) -> dict:
    """The claim of an empty volume, of a clone or of one from a snapshot."""
    spec = _claim_spec(volume, access_mode)
    if volume["snapshot_id"]:
        source = {"apiGroup": SNAPSHOT.group, "kind": SNAPSHOT.kind, "name": naming.source_snapshot(volume)}
        spec["dataSource"] = source
    elif volume["source_volid"]:
        spec["dataSource"] = {"kind": PVC.kind, "name": naming.source_claim(volume)}
    return _named(PVC.body(naming.claim(volume), namespace, spec=spec), volume)


def image_import(
    volume: Mapping[str, Any], namespace: str, access_mode: str, url: str, checksum: str | None = None
) -> dict:
    """A DataVolume that fills a claim of the same name from ``url``; headers come from the secret beside it.

    ``checksum`` (algorithm:hex) is of the data behind the URL: what was looked at is what is written.
    """
    http: dict[str, Any] = {"url": url, "secretExtraHeaders": [image_secret_name(volume["id"])]}
    if checksum:
        http["checksum"] = checksum
    spec = {"source": {"http": http}, "pvc": _claim_spec(volume, access_mode)}
    body = _named(DATAVOLUME.body(naming.claim(volume), namespace, spec=spec), volume)
    body["metadata"]["annotations"] = {names.BIND_AT_ONCE: "true"}
    return body


def copy(volume: Mapping[str, Any], namespace: str, access_mode: str) -> dict:
    """A DataVolume that fills a claim of the same name from another claim or a snapshot at once.

    For a StorageClass whose claims would otherwise wait for a pod: their source may be gone by then.
    """
    if volume["snapshot_id"]:
        source = {"snapshot": {"namespace": namespace, "name": naming.source_snapshot(volume)}}
    else:
        source = {"pvc": {"namespace": namespace, "name": naming.source_claim(volume)}}
    spec = {"source": source, "pvc": _claim_spec(volume, access_mode)}
    body = _named(DATAVOLUME.body(naming.claim(volume), namespace, spec=spec), volume)
    body["metadata"]["annotations"] = {names.BIND_AT_ONCE: "true"}
    return body


def upload(volume: Mapping[str, Any], namespace: str, access_mode: str, name: str) -> dict:
    """A DataVolume that waits for the bytes of a claim of that name, of the volume's class and size."""
    spec = {"source": {"upload": {}}, "pvc": _claim_spec(volume, access_mode)}
    body = _named(DATAVOLUME.body(name, namespace, spec=spec), volume)
    body["metadata"]["annotations"] = {names.BIND_AT_ONCE: "true"}
    return body


def image_secret_name(volume_id: str) -> str:
    """Secret that holds the token for reading the image; lives as long as the import."""
    return f"{names.claim(volume_id)}-image"


def image_secret(volume: Mapping[str, Any], namespace: str, token: str) -> dict:
    """The extra header of the import, one entry a header as CDI wants it."""
    data = {"token": base64.b64encode(f"X-Auth-Token: {token}".encode()).decode()}
    return _named(SECRET.body(image_secret_name(volume["id"]), namespace, type="Opaque", data=data), volume)


def snapshot(row: Mapping[str, Any], namespace: str, snapshot_class: str | None) -> dict:
    """A VolumeSnapshot of the snapshot's volume; without a class the driver's default one is used."""
    spec: dict[str, Any] = {"source": {"persistentVolumeClaimName": naming.claim_of_snapshot(row)}}
    if snapshot_class:
        spec["volumeSnapshotClassName"] = snapshot_class
    body = SNAPSHOT.body(naming.snapshot(row), namespace, spec=spec)
    body["metadata"]["labels"] = names.labels(
        names.STORAGE, row["project_id"], volume=row["volume_id"], snapshot=row["id"]
    )
    return body


def connection(volume: Mapping[str, Any], pvc: Mapping[str, Any], cluster: str, binding_mode: str) -> dict:
    """Properties of a connection for KubeVirt consumers, without secrets (contract: docs/connection-info.md)."""
    spec = pvc["spec"]
    return {
        "volume_id": volume["id"],
        "cluster": cluster,
        "namespace": pvc["metadata"]["namespace"],
        "claim_name": pvc["metadata"]["name"],
        "volume_mode": spec.get("volumeMode", "Filesystem"),
        "access_modes": spec.get("accessModes", []),
        "storage_class": spec.get("storageClassName"),
        "pv_name": spec.get("volumeName"),
        "binding_mode": binding_mode,
        "size_bytes": volume["size"] * 2**30,
        "shareable": bool(volume["multiattach"]),
        "encrypted": False,
        "discard": True,
    }


def _claim_spec(volume: Mapping[str, Any], access_mode: str) -> dict[str, Any]:
    return {
        "accessModes": ["ReadWriteMany" if volume["multiattach"] else access_mode],
        "volumeMode": "Block",
        "storageClassName": storage_class(volume),
        "resources": {"requests": {"storage": f"{volume['size']}Gi"}},
    }


def _named(body: dict, volume: Mapping[str, Any]) -> dict:
    body["metadata"]["labels"] = names.labels(names.STORAGE, volume["project_id"], volume=volume["id"])
    return body
