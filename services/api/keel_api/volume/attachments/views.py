"""How an attachment looks (source: cinder 29.0.0 views)."""

from __future__ import annotations

from keel_api.http.view import Field, View
from keel_api.volume.times import moment

_SUMMARY = (
    Field("id", "id"),
    Field("status", "attach_status"),
    Field("instance", "instance_uuid"),
    Field("volume_id", "volume_id"),
)

SUMMARY = View("attachment summary", _SUMMARY)
DETAIL = View(
    "attachment",
    (
        *_SUMMARY,
        Field("attached_at", lambda row, req: moment(row["attach_time"]) or "", columns=("attach_time",)),
        Field("detached_at", lambda row, req: moment(row["detach_time"]) or "", columns=("detach_time",)),
        Field("attach_mode", "attach_mode"),
        Field("connection_info", "connection_info"),
    ),
)
