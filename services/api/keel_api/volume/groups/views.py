"""How groups look (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import ABSENT, Field, View
from keel_api.volume.times import moment

_PROJECT = "group:group_project_attribute"

SUMMARY = View("group summary", (Field("id", "id"), Field("name", "name")))
DETAIL = View(
    "group",
    (
        Field("id", "id"),
        Field("status", "status"),
        Field("availability_zone", "availability_zone"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("name", "name"),
        Field("description", "description"),
        Field("group_type", "group_type_id"),
        Field("volume_types", "volume_type_ids"),
        Field("group_snapshot_id", "group_snapshot_id", since="3.14"),
        Field("source_group_id", "source_group_id", since="3.14"),
        Field("replication_status", "replication_status", since="3.38"),
        Field("project_id", "project_id", since="3.58", policy=_PROJECT),
        Field("volumes", lambda row, req: row.get("volumes", ABSENT), since="3.25", optional=True),
    ),
)


def render(req: Request, view: View, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as this caller sees them at the version of the request."""
    return view.render(req.version, req.allowed(view.policies), rows, req)
