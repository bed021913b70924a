"""How a snapshot looks (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import Field, View
from keel_api.volume.times import moment

_ATTRIBUTES = "volume_extension:extended_snapshot_attributes"
_BASE = (
    Field("id", "id"),
    Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
    Field("updated_at", lambda row, req: moment(row["updated_at"]), columns=("updated_at",)),
    Field("name", "display_name"),
    Field("description", "display_description"),
    Field("volume_id", "volume_id"),
    Field("status", "status"),
    Field("size", "volume_size"),
    Field("metadata", "metadata"),
)
_DETAIL = (
    *_BASE,
    Field("group_snapshot_id", "group_snapshot_id", since="3.14"),
    Field("user_id", "user_id", since="3.41"),
    Field("consumes_quota", "use_quota", since="3.65"),
)

SUMMARY = View("snapshot summary", _BASE)
#: What creating and changing a snapshot answer.
DETAIL = View("snapshot", _DETAIL)
#: What showing and listing answer.
EXTENDED = View(
    "snapshot with extensions",
    (
        *_DETAIL,
        Field("os-extended-snapshot-attributes:progress", "progress", policy=_ATTRIBUTES),
        Field("os-extended-snapshot-attributes:project_id", "project_id", policy=_ATTRIBUTES),
    ),
)


def render(req: Request, view: View, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as this caller sees them at the version of the request."""
    return view.render(req.version, req.allowed(view.policies), rows, req)
