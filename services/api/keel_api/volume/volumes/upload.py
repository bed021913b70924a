"""Write a volume into an image (source: cinder 29.0.0 upload flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, lists, lookup, move_rpc
from keel_api.volume.times import moment
from keel_common.clients import errors
from keel_common.db.stores.cinder import transitions, types
from keel_common.domain.volume.states import TRANSITIONS

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
#: Keys of an image's metadata that every image has of its own, or that are not for users to set.
_CORE = (
    "image_id",
    "image_name",
    "checksum",
    "container_format",
    "disk_format",
    "min_disk",
    "min_ram",
    "size",
    "status",
    "visibility",
    "protected",
    "owner",
    "id",
    "name",
    "created_at",
    "updated_at",
    "tags",
)
_RESERVED = ("os_glance_", "img_signature", "cinder_encryption_key", "signature_verified")


@handles("POST /volumes/{id}/action #os-volume_upload_image")
def upload(req: Request) -> Row:
    """Make an image and start to fill it: 202. `force` counts only where [DEFAULT]enable_force_upload is true."""
    asked = req.args
    force = lists.boolean("force", asked.get("force", False)) and req.services.conf.enable_force_upload
    image = _wanted(req, asked)
    row, type_row = req.services.db.run(_begin, req, image, force)
    try:
        made = req.services.clients.glance.create(req.context, {**_properties(row), **image})
    except errors.ClientError as refused:
        req.services.db.run(_undo, row)
        raise Fault(refused.status if refused.status in (401, 403, 404, 409, 413) else 400, str(refused)) from None
    except Exception:
        req.services.db.run(_undo, row)
        raise
    try:
        move_rpc.upload(req, row, _meta(made, image))
    except Exception:
        LOG.exception("Upload of volume %s could not be handed to its backend", row["id"])
        req.services.db.run(_undo, row)
        raise
    return {"os-volume_upload_image": _shown(row, type_row, made)}


def _wanted(req: Request, asked: Row) -> Row:
    image = {
        "container_format": asked.get("container_format") or "bare",
        "disk_format": asked.get("disk_format") or "raw",
        "name": asked["image_name"].strip(),
    }
    conf = req.services.conf
    if image["container_format"] == "compressed" and not conf.allow_compression_on_image_upload:
        raise Fault(400, "Images are not compressed on upload here.")
    if image["disk_format"] != "raw" and conf.image_conversion_disable:
        raise Fault(400, f"Volumes are uploaded as raw images here, not as {image['disk_format']}.")
    if req.at_least(3, 1):
        image["visibility"] = asked.get("visibility", "private")
        image["protected"] = lists.boolean("protected", asked.get("protected", False))
    return image


def _begin(conn: Any, req: Request, image: Row, force: bool) -> tuple[Row, Row | None]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    req.must("volume_extension:volume_actions:upload_image", lookup.target(row))
    if image.get("visibility") == "public":
        req.must("volume_extension:volume_actions:upload_public", lookup.target(row))
    if row["encryption_key_id"] is not None:
        raise faults.invalid_volume("an encrypted volume cannot be uploaded: there is no key manager")
    transition = TRANSITIONS["upload forced" if force else "upload"].from_seen(row)
    if not row["host"] or not transitions.apply(conn, transition, row["id"], {"previous_status": row["status"]}):
        states = "available or in-use" if force else "available"
        raise faults.refused_transition(transition, f"Volume {row['id']} status must be {states}")
    row.update({"previous_status": row["status"], "status": "uploading"})
    return row, types.get(conn, row["volume_type_id"])


def _properties(row: Row) -> Row:
    """What the volume knows of the image it was made from goes with it, but for what is the image's own."""
    pairs = row["image_metadata"]
    return {key: value for key, value in pairs.items() if key not in _CORE and not key.startswith(_RESERVED)}


def _meta(made: Row, image: Row) -> Row:
    """What the backend needs to know of the image."""
    return {"id": made["id"], "container_format": image["container_format"], "disk_format": image["disk_format"]}


def _undo(conn: Any, row: Row) -> None:
    transitions.apply(conn, TRANSITIONS["upload undone"], row["id"], {"status": row["previous_status"]})


def _shown(row: Row, type_row: Row | None, made: Row) -> Row:
    shown = {
        "id": row["id"],
        "updated_at": moment(row["updated_at"]),
        "status": row["status"],
        "display_description": row["display_description"],
        "size": row["size"],
        "volume_type": _type(type_row),
        "image_id": made["id"],
        "container_format": made.get("container_format"),
        "disk_format": made.get("disk_format"),
        "image_name": made.get("name"),
    }
    return {**shown, **{key: made[key] for key in ("protected", "visibility") if key in made}}


def _type(row: Row | None) -> Row | None:
    if row is None:
        return None
    plain = ("id", "name", "description", "is_public", "extra_specs", "qos_specs_id")
    times = {key: moment(row[key]) for key in ("created_at", "updated_at", "deleted_at")}
    return {**{key: row[key] for key in plain}, **times, "deleted": bool(row["deleted"])}
