"""How a transfer looks (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import Field, View
from keel_api.volume.times import moment

_COLLECTION = "os-volume-transfer"  # in links of both URL families, as recorded
_LINKS = Field("links", lambda row, req: req.links.pair(_COLLECTION, row["id"]))

SUMMARY = View(
    "transfer summary", (Field("id", "id"), Field("volume_id", "volume_id"), Field("name", "display_name"), _LINKS)
)
DETAIL = View(
    "transfer",
    (
        Field("id", "id"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("name", "display_name"),
        Field("volume_id", "volume_id"),
        _LINKS,
        Field("no_snapshots", "no_snapshots", since="3.55"),
        Field("destination_project_id", "destination_project_id", since="3.57"),
        Field("source_project_id", "source_project_id", since="3.57"),
        Field("accepted", "accepted", since="3.57"),
    ),
)


def render(req: Request, view: View, row: Any) -> dict[str, Any]:
    """One row at the version of the request."""
    return view.one(req.version, (), row, req)
