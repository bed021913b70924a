"""The shapes of a volume attachment by microversion (nova 34.0.0 microversions 2.70, 2.79, 2.89)."""

from __future__ import annotations

from typing import Any

from keel_api.http.view import ABSENT, Field, View


def _device(row: Any, scope: Any) -> Any:
    return row["device_name"] or ABSENT


_SHARED = [
    Field("volumeId", "volume_id"),
    Field("serverId", "instance_uuid"),
    Field("tag", "tag", since="2.70"),
    Field("delete_on_termination", "delete_on_termination", since="2.79"),
]

ATTACHMENT = View(
    "volumeAttachment",
    [
        *_SHARED,
        Field("device", _device, columns=("device_name",), optional=True),
        Field("id", "volume_id", until="2.88"),
        Field("attachment_id", "attachment_id", since="2.89"),
        Field("bdm_uuid", "uuid", since="2.89"),
    ],
)

# what the attach operation answers
ATTACHED = View("attached volume", [*_SHARED, Field("id", "volume_id"), Field("device", "device_name")])
