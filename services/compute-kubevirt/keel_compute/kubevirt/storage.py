"""DataVolumes: claims of a server's own, filled from an image or blank."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_common.kube import DATAVOLUME, SECRET, names
from keel_compute.kubevirt.disks import LocalDisk


@dataclass(frozen=True)
class Storage:
    """What the claims of local disks are made of; None leaves the choice to the cluster (CDI's StorageProfile)."""

    storage_class: str | None = None
    access_mode: str | None = None
    volume_mode: str | None = None


@dataclass(frozen=True)
class Source:
    """Where an image is fetched. `digest`: "sha512:..." or None; `certificates`: a ConfigMap with the CA of the URL."""

    url: str
    header_secret: str | None = None
    digest: str | None = None
    certificates: str | None = None


def data_volume(
    server: str,
    local: LocalDisk,
    namespace: str,
    labels: Mapping[str, str],
    storage: Storage,
    source: Source | None = None,
) -> dict:
    """The DataVolume of a local disk: an http import with `source`, else blank."""
    http: dict[str, Any] = {}
    if source:
        http["url"] = source.url
        if source.header_secret:
            http["secretExtraHeaders"] = [source.header_secret]
        if source.digest:
            http["checksum"] = source.digest
        if source.certificates:
            http["certConfigMap"] = source.certificates
    claim: dict[str, Any] = {"resources": {"requests": {"storage": f"{local.size_gb}Gi"}}}
    if storage.access_mode:
        claim["accessModes"] = [storage.access_mode]
    if storage.volume_mode:
        claim["volumeMode"] = storage.volume_mode
    if storage.storage_class:
        claim["storageClassName"] = storage.storage_class
    body = DATAVOLUME.body(
        names.local_disk(server, local.suffix),
        namespace,
        spec={"source": {"http": http} if source else {"blank": {}}, "storage": claim},
    )
    body["metadata"]["labels"] = dict(labels)
    body["metadata"]["annotations"] = {names.BIND_AT_ONCE: "true"}
    return body


def header_secret(server: str, namespace: str, labels: Mapping[str, str], token: str) -> dict:
    """The Secret whose values the importer sends as header lines."""
    line = base64.b64encode(f"X-Auth-Token: {token}".encode()).decode()
    body = SECRET.body(names.secret(server, "image"), namespace, type="Opaque", data={"token": line})
    body["metadata"]["labels"] = dict(labels)
    return body


def progress(volume: dict) -> tuple[bool, str]:
    """(done, complaint) of a DataVolume: complaint is the importer's last error, "" while all is well."""
    status = volume.get("status", {})
    if status.get("phase") == "Succeeded":
        return True, ""
    complaint = ""
    for condition in status.get("conditions") or ():
        if (
            condition.get("type") == "Running"
            and condition.get("status") == "False"
            and condition.get("reason") == "Error"
        ):
            complaint = condition.get("message") or "the importer failed"
    if status.get("phase") == "Failed":
        complaint = complaint or "the DataVolume failed"
    return False, complaint


def gave_up(volume: dict, attempts: int) -> bool:
    """True when the importer failed for good, or more often than `attempts`."""
    status = volume.get("status", {})
    return status.get("phase") == "Failed" or int(status.get("restartCount") or 0) >= attempts
