"""Shared file systems of a server (nova 34.0.0 response schemas)."""

from keel_api.http import Field, View

ADMIN = "admin"

SHARE = View("share", [Field("share_id", "share_id"), Field("status", "status"), Field("tag", "tag")])
SHARE_WITH_PLACE = View(
    "share of an administrator",
    [*SHARE.fields, Field("export_location", "export_location"), Field("uuid", "uuid")],
)
