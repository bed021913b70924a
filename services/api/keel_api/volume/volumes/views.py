"""How a volume looks, by microversion and policy (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import ABSENT, Field, View
from keel_api.volume.times import moment
from keel_common.domain.volume.states import SHOWN_STATUS

_FIXED_KEY = "00000000-0000-0000-0000-000000000000"
_ADMIN = "context_is_admin"
#: Administrator's metadata that everybody sees among the user's.
_SHOWN_ADMIN_KEYS = ("readonly", "attached_mode")


def _links(row: Any, req: Request) -> list[dict[str, str]]:
    return req.links.pair("volumes", row["id"])


def _metadata(row: Any, req: Request) -> dict[str, str]:
    shown = {key: row["admin_metadata"][key] for key in _SHOWN_ADMIN_KEYS if key in row["admin_metadata"]}
    return {**row["metadata"], **shown}


def _attachments(row: Any, req: Request) -> list[dict[str, Any]]:
    sees_hosts = req.context.is_admin or "service" in req.context.roles
    return [
        {
            "id": row["id"],
            "attachment_id": one["id"],
            "volume_id": row["id"],
            "server_id": one["instance_uuid"],
            "host_name": one["attached_host"] if sees_hosts else None,
            "device": one["mountpoint"],
            "attached_at": moment(one["attach_time"]),
        }
        for one in row["attachments"]
        if one["attach_status"] == "attached"
    ]


def _consistency_group(row: Any, req: Request) -> str | None:
    """A consistency group of the old API is a group of a certain type."""
    return row["group_id"] if row.get("is_consistency_group") else row["consistencygroup_id"]


def _shared_targets(row: Any, req: Request) -> bool | None:
    if row["shared_targets"] is None and not req.at_least(3, 69):
        return True
    return row["shared_targets"]


def _key(row: Any, req: Request) -> Any:
    key = row["encryption_key_id"]
    return key if key and key != _FIXED_KEY else ABSENT


_DETAIL = (
    Field("id", "id"),
    Field("status", lambda row, req: SHOWN_STATUS.get(row["status"], row["status"]), columns=("status",)),
    Field("size", "size"),
    Field("availability_zone", "availability_zone"),
    Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
    Field("updated_at", lambda row, req: moment(row["updated_at"]), columns=("updated_at",)),
    Field("name", "display_name"),
    Field("description", "display_description"),
    Field("volume_type", "volume_type_name"),
    Field("snapshot_id", "snapshot_id"),
    Field("source_volid", "source_volid"),
    Field("metadata", _metadata),
    Field("links", _links),
    Field("user_id", "user_id"),
    Field("bootable", lambda row, req: "true" if row["bootable"] else "false", columns=("bootable",)),
    Field("encrypted", lambda row, req: row["encryption_key_id"] is not None, columns=("encryption_key_id",)),
    Field("replication_status", "replication_status"),
    Field("consistencygroup_id", _consistency_group, columns=("consistencygroup_id", "group_id")),
    Field("multiattach", "multiattach"),
    Field("attachments", _attachments),
    Field("migration_status", "migration_status", policy=_ADMIN),
    Field("group_id", "group_id", since="3.13"),
    Field("provider_id", "provider_id", since="3.21", policy=_ADMIN),
    Field("service_uuid", "service_uuid", since="3.48"),
    Field("shared_targets", _shared_targets, since="3.48", columns=("shared_targets",)),
    Field("cluster_name", "cluster_name", since="3.61", policy=_ADMIN),
    Field("volume_type_id", "volume_type_id", since="3.63"),
    Field("encryption_key_id", _key, since="3.64", columns=("encryption_key_id",), optional=True),
    Field("consumes_quota", "use_quota", since="3.65"),
)

_EXTENDED = (
    Field("os-vol-host-attr:host", "host", policy="volume_extension:volume_host_attribute"),
    Field("os-vol-mig-status-attr:migstat", "migration_status", policy="volume_extension:volume_mig_status_attribute"),
    Field("os-vol-mig-status-attr:name_id", "_name_id", policy="volume_extension:volume_mig_status_attribute"),
    Field("os-vol-tenant-attr:tenant_id", "project_id", policy="volume_extension:volume_tenant_attribute"),
    Field(
        "volume_image_metadata",
        lambda row, req: row["image_metadata"] or ABSENT,
        policy="volume_extension:volume_image_metadata:show",
        optional=True,
    ),
)

SUMMARY = View("volume summary", (Field("id", "id"), Field("name", "display_name"), Field("links", _links)))
#: What creating and changing a volume answer.
DETAIL = View("volume", _DETAIL)
#: What showing and listing answer: the same and the fields of the extensions.
EXTENDED = View("volume with extensions", _DETAIL + _EXTENDED)


def render(req: Request, view: View, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as this caller sees them at the version of the request."""
    return view.render(req.version, req.allowed(view.policies), rows, req)
