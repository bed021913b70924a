"""How a backup looks (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import ABSENT, Field, View
from keel_api.volume.times import moment

_PROJECT = "backup:backup_project_attribute"
_FIXED_KEY = "00000000-0000-0000-0000-000000000000"


def _moment(name: str) -> Field:
    return Field(name, lambda row, req: moment(row[name]), columns=(name,))


def _key(row: Any, req: Request) -> Any:
    key = row["encryption_key_id"]
    return key if key and key != _FIXED_KEY else ABSENT


_LINKS = Field("links", lambda row, req: req.links.pair("backups", row["id"]))

SUMMARY = View("backup summary", (Field("id", "id"), Field("name", "display_name"), _LINKS))
DETAIL = View(
    "backup",
    (
        Field("id", "id"),
        Field("status", "status"),
        Field("size", "size"),
        Field("object_count", "object_count"),
        Field("availability_zone", "availability_zone"),
        Field("container", "container"),
        _moment("created_at"),
        _moment("updated_at"),
        Field("name", "display_name"),
        Field("description", "display_description"),
        Field("fail_reason", "fail_reason"),
        Field("volume_id", "volume_id"),
        _LINKS,
        Field("is_incremental", lambda row, req: row["parent_id"] is not None, columns=("parent_id",)),
        Field(
            "has_dependent_backups",
            lambda row, req: bool(row["num_dependent_backups"]),
            columns=("num_dependent_backups",),
        ),
        Field("snapshot_id", "snapshot_id"),
        _moment("data_timestamp"),
        Field("metadata", "metadata", since="3.43"),
        Field("os-backup-project-attr:project_id", "project_id", since="3.18", policy=_PROJECT),
        Field("user_id", "user_id", since="3.56", policy=_PROJECT),
        Field("encryption_key_id", _key, since="3.64", columns=("encryption_key_id",), optional=True),
    ),
)


def render(req: Request, view: View, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as this caller sees them at the version of the request."""
    return view.render(req.version, req.allowed(view.policies), rows, req)
