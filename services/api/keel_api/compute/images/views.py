"""Images of Glance as the compute API of long ago shows them (nova 34.0.0 recorded exchanges, measured)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http import ABSENT, Field, Request, View
from keel_common.domain.server.block_devices import truth
from keel_common.wire.image import user_properties

_STATUS = {
    "queued": "SAVING",
    "saving": "SAVING",
    "active": "ACTIVE",
    "pending_delete": "DELETED",
    "deleted": "DELETED",
    "killed": "ERROR",
}
_PROGRESS = {"queued": 25, "saving": 50, "active": 100}
_TYPE = "application/vnd.openstack.image"


def _links(row: Mapping[str, Any], req: Request) -> list[dict[str, str]]:
    alternate = {"rel": "alternate", "type": _TYPE, "href": req.services.clients.glance.address(row["id"])}
    return [*req.links.pair("images", row["id"]), alternate]


def _server(row: Mapping[str, Any], req: Request) -> Any:
    uuid = row.get("instance_uuid")
    return {"id": uuid, "links": req.links.pair("servers", uuid)} if uuid else ABSENT


def _disk_config(row: Mapping[str, Any], _: Any) -> Any:
    if "auto_disk_config" not in row:
        return ABSENT
    return "AUTO" if truth(row["auto_disk_config"]) else "MANUAL"


_FIRST = [Field("id", "id"), Field("name", "name")]
IMAGE = View("image", [*_FIRST, Field("links", _links)])
DETAIL = View(
    "image detail",
    [
        *_FIRST,
        Field("minRam", lambda row, _: row.get("min_ram") or 0),
        Field("minDisk", lambda row, _: row.get("min_disk") or 0),
        Field("metadata", lambda row, _: user_properties(row)),
        Field("created", "created_at"),
        Field("updated", "updated_at"),
        Field("status", lambda row, _: _STATUS.get(row["status"], "UNKNOWN")),
        Field("progress", lambda row, _: _PROGRESS.get(row["status"], 0)),
        Field("OS-EXT-IMG-SIZE:size", lambda row, _: row.get("size") or 0),
        Field("server", _server, optional=True),
        Field("OS-DCF:diskConfig", _disk_config, optional=True),
        Field("links", _links),
    ],
)
