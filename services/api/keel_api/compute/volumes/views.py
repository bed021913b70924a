"""Volumes and snapshots of Cinder as the compute API of long ago shows them (nova 34.0.0, measured)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http import Field, View


def _attachments(row: Mapping[str, Any], scope: Any) -> list[dict[str, Any]]:
    shown = [
        {
            "id": row["id"],
            "volumeId": row["id"],
            "serverId": each["server_id"],
            **({"device": each["device"]} if each.get("device") else {}),
        }
        for each in row.get("attachments") or ()
    ]
    return shown[:1] or [{}]


VOLUME = View(
    "volume",
    [
        Field("id", "id"),
        Field("status", "status"),
        Field("size", "size"),
        Field("availabilityZone", "availability_zone"),
        Field("createdAt", "created_at"),
        Field("attachments", _attachments),
        Field("displayName", "name"),
        Field("displayDescription", "description"),
        Field("volumeType", "volume_type"),
        Field("snapshotId", "snapshot_id"),
        Field("metadata", lambda row, _: row.get("metadata") or {}),
    ],
)
SNAPSHOT = View(
    "snapshot",
    [
        Field("id", "id"),
        Field("volumeId", "volume_id"),
        Field("status", "status"),
        Field("size", "size"),
        Field("createdAt", "created_at"),
        Field("displayName", "name"),
        Field("displayDescription", "description"),
    ],
)
