"""The image of the image service that a snapshot of a server goes into (nova 34.0.0 flows 13, flow_traces)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.wire.move import image_of

LOG = logging.getLogger(__name__)
# properties that belong to one image only, whatever the operator says
_NOT_INHERITED = frozenset({"cinder_encryption_key_id", "cinder_encryption_key_deletion_policy"})
_SIGNATURE = "img_signature"
_FORMATS = ("container_format", "disk_format")
_OF_DEVICES = ("block_device_mapping", "bdm_v2", "root_device_name")


def described(req: Request, server: Mapping[str, Any], name: str, extra: Mapping[str, str]) -> dict[str, Any]:
    """The body of a new image that inherits what the server remembers of its own; `extra` properties win."""
    image = image_of(server["system_metadata"])
    left_out = _NOT_INHERITED | set(req.services.conf.non_inheritable_image_properties)
    inherited = {
        key: str(value)
        for key, value in image.pop("properties").items()
        if key not in left_out and not key.startswith(_SIGNATURE)
    }
    return {**inherited, **extra, **image, "name": name, "visibility": "private"}


def body_of(
    req: Request, server: Mapping[str, Any], name: str, kind: str, extra: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The body of the image of a `snapshot` or `backup` whose data the host will bring."""
    own = {"instance_uuid": server["uuid"], "user_id": str(req.context.user_id), "image_type": kind}
    image = described(req, server, name, {**own, **(extra or {})})
    if kind == "snapshot":  # the host knows what it writes
        for key in _FORMATS:
            image.pop(key, None)
    return image


@contextmanager
def queued(req: Request, body: Mapping[str, Any]) -> Iterator[str]:
    """Make an image without data and give its id; it is deleted again when the body of the `with` fails."""
    glance = req.services.clients.glance
    try:
        image_id = glance.create(req.context, dict(body))["id"]
    except (errors.BadRequest, errors.Conflict) as refused:
        raise Fault(400, refused.message) from None
    except (errors.Forbidden, errors.OverQuota) as refused:
        raise Fault(403, refused.message) from None
    try:
        yield image_id
    except Exception:
        _forget(req, image_id)
        raise


def _forget(req: Request, image_id: str) -> None:
    try:
        req.services.clients.glance.delete(req.context, image_id)
    except errors.ClientError:
        LOG.exception("Image %s, which nothing will be written to, is left over", image_id)


# -- images that only say which volume snapshots to boot from

_MAPPING = (
    "source_type",
    "destination_type",
    "guest_format",
    "device_name",
    "boot_index",
    "device_type",
    "disk_bus",
    "tag",
    "volume_size",
    "image_id",
    "snapshot_id",
    "volume_id",
    "volume_type",
    "no_device",
    "encrypted",
    "encryption_secret_uuid",
    "encryption_format",
    "encryption_options",
)
_NEVER = ("encrypted", "encryption_secret_uuid", "encryption_format", "encryption_options", "no_device")


def mapping_of(device: Mapping[str, Any], snapshot_id: str | None) -> dict[str, Any]:
    """A block device as an image describes it; a volume becomes the snapshot that was taken of it."""
    mapping = {key: device.get(key) for key in _MAPPING} | dict.fromkeys(_NEVER)
    mapping["delete_on_termination"] = bool(device["delete_on_termination"])
    if snapshot_id is not None:
        mapping |= {"source_type": "snapshot", "destination_type": "volume", "snapshot_id": snapshot_id}
        mapping |= {"volume_id": None, "volume_type": None, "image_id": None}
    return mapping


def with_mappings(body: dict[str, Any], mappings: list[dict[str, Any]], root_device_name: str | None) -> dict[str, Any]:
    """The body of an image without data that describes where to boot from."""
    body = {key: value for key, value in body.items() if key not in _OF_DEVICES}
    if root_device_name:
        body["root_device_name"] = root_device_name
    if mappings:
        body |= {"block_device_mapping": json.dumps(mappings), "bdm_v2": "True"}
    return {**body, "container_format": "bare", "disk_format": "raw"}
