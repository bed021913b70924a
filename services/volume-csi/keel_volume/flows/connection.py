"""Connections: who may use a claim, and how it finds it. Nothing is attached here.

The cluster's attach-detach controller does that when a pod with the claim
lands on a node (KubeVirt mapping, connection_info).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from keel_common.db.stores.cinder import attachments, connections, volumes
from keel_common.db.stores.cinder import backend as rows
from keel_common.domain.volume.attachments import BUSY
from keel_common.kube import PVC
from keel_contract.errors import ExpectedFault
from keel_volume.backend import Backend
from keel_volume.csi import claims, naming

PLATFORM = "kubevirt"


def properties(backend: Backend, row: Mapping[str, Any], connector: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a connection for this consumer, with ``access_mode`` and ``encrypted``.

    Raises InvalidInput for a consumer that cannot use a claim of this cluster
    and VolumeBackendAPIException when the claim is not there.
    """
    _check_connector(backend, connector)
    claim = backend.caches.claims.get(naming.claim(row)) or backend.kube.find(PVC, naming.claim(row), backend.namespace)
    if claim is None:
        raise ExpectedFault("VolumeBackendAPIException", f"Volume {row['id']} has no claim in {backend.namespace}.")
    storage_class = claim["spec"].get("storageClassName")
    mode = "WaitForFirstConsumer" if backend.waits_for_consumer(storage_class) else "Immediate"
    data = claims.connection(row, claim, backend.cluster, mode)
    return data | {"access_mode": _access_mode(backend, row), "qos_specs": None, "cacheable": False}


def initialize(backend: Backend, volume_id: str, connector: Mapping[str, Any]) -> dict[str, Any]:
    """initialize_connection: the nested form that the old attach API hands out."""
    row = _volume(backend, volume_id)
    data = properties(backend, row, connector)
    return {"driver_volume_type": "csi", "data": data, "enforce_multipath": False}


def update(backend: Backend, volume_id: str, connector: Mapping[str, Any], attachment_id: str) -> dict[str, Any]:
    """attachment_update: the flat form that the attachments API stores (cinder 29.0.0 flows 5.6)."""
    row = _volume(backend, volume_id)
    attachment = backend.db.read(attachments.get, attachment_id)
    if attachment is None:
        raise _no_attachment(attachment_id)
    data = properties(backend, row, connector)
    mode = attachment["attach_mode"]
    if mode in (None, "null"):
        mode = data["access_mode"]
    data["access_mode"] = mode
    if not backend.db.run(connections.connect, attachment_id, row["id"], connector, mode):
        raise _no_attachment(attachment_id)
    return data | {
        "driver_volume_type": "csi",
        "attachment_id": attachment_id,
        "enforce_multipath": False,
    }


def attach(backend: Backend, volume_id: str, server: str | None, host: str | None, mountpoint: str, mode: str) -> str:
    """attach_volume of the old API (cinder 29.0.0 flows 4.4); the id of the attachment."""
    return backend.db.run(_attach, volume_id, server, host, mountpoint, mode)


def _attach(conn: Any, volume_id: str, server: str | None, host: str | None, mountpoint: str, mode: str) -> str:
    """One transaction under the lock of the volume: of two that attach at once the second sees the first."""
    row = volumes.lock(conn, volume_id)
    if row is None:
        raise _no_volume(volume_id)
    admin = connections.admin_metadata(conn, volume_id)
    if row["status"] == "attaching" and admin.get(connections.ATTACHED_MODE) not in (None, mode):
        raise ExpectedFault("InvalidVolume", "Invalid volume: it is being attached in another mode.")
    for item in attachments.of_volume(conn, volume_id):
        mine = item["instance_uuid"] == server if server else item["attached_host"] == host
        if mine and item["attach_status"] == "attached":
            attachments.mark_attached(conn, volume_id, item["id"])
            return item["id"]
    if row["status"] == "in-use" and not row["multiattach"] and not row["migration_status"]:
        raise ExpectedFault("InvalidVolume", "Invalid volume: it is attached already.")
    if row["status"] in BUSY:
        raise ExpectedFault("InvalidVolume", f"Invalid volume: its status is {row['status']}.")
    if server is not None and not _is_uuid(server):
        raise ExpectedFault("InvalidUUID", f"Expected a uuid but received {server}.")
    if admin.get(connections.READONLY) == "True" and mode != "ro":
        raise ExpectedFault("InvalidVolumeAttachMode", f"Invalid attaching mode '{mode}' for volume {volume_id}.")
    return connections.attach(conn, volume_id, server, host, mountpoint, mode)


def detach(backend: Backend, volume_id: str, attachment_id: str | None) -> None:
    """detach_volume of the old API (cinder 29.0.0 flows 4.10)."""
    backend.db.run(_detach, volume_id, attachment_id)


def _detach(conn: Any, volume_id: str, attachment_id: str | None) -> None:
    if volumes.lock(conn, volume_id) is None:
        raise _no_volume(volume_id)
    present = attachments.of_volume(conn, volume_id)
    if attachment_id is None:
        if len(present) > 1:
            raise ExpectedFault("InvalidVolume", "Invalid volume: it has several attachments, name one of them.")
        attachment_id = present[0]["id"] if present else None
    elif all(item["id"] != attachment_id for item in present):
        attachment_id = None
    connections.detach(conn, volume_id, attachment_id)


def _volume(backend: Backend, volume_id: str) -> dict[str, Any]:
    row = backend.db.read(rows.volume, volume_id)
    if row is None:
        raise _no_volume(volume_id)
    return row


def _no_volume(volume_id: str) -> ExpectedFault:
    return ExpectedFault("VolumeNotFound", f"Volume {volume_id} could not be found.")


def _no_attachment(attachment_id: str) -> ExpectedFault:
    return ExpectedFault("VolumeAttachmentNotFound", f"Volume attachment {attachment_id} could not be found.")


def _access_mode(backend: Backend, row: Mapping[str, Any]) -> str:
    admin = backend.db.read(connections.admin_metadata, row["id"])
    if admin.get(connections.ATTACHED_MODE):
        return str(admin[connections.ATTACHED_MODE])
    return "ro" if admin.get(connections.READONLY) == "True" else "rw"


def _check_connector(backend: Backend, connector: Mapping[str, Any]) -> None:
    """A claim can be used by pods of its own cluster and namespace only."""
    wanted = {"platform": PLATFORM, "cluster": backend.cluster, "namespace": backend.namespace}
    for key, value in wanted.items():
        if connector.get(key) != value:
            raise ExpectedFault(
                "InvalidInput",
                f"Invalid input received: this volume is a claim of cluster {backend.cluster}, namespace"
                f" {backend.namespace}; the connector has {key} {connector.get(key)!r}, not {value!r}.",
            )


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
