"""The image of a new server: found, active, and not too big for the flavor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.domain.server import block_devices
from keel_common.wire.image import image_dict, volume_image

_GIB = 1024**3


def show(req: Request, image_id: str) -> dict[str, Any]:
    """The image as messages carry it; 400 when the caller has no such image."""
    try:
        return image_dict(req.services.clients.glance.show(req.context, image_id))
    except (errors.NotFound, errors.Forbidden, errors.BadRequest):
        raise Fault(400, "Can not find requested image") from None


def of_root_volume(req: Request, root: Mapping[str, Any]) -> dict[str, Any]:
    """What a server booting from a volume or snapshot knows of its image; 400 when it cannot boot."""
    cinder = req.services.clients.cinder
    try:
        if root["source_type"] == "volume":
            volume = cinder.show_volume(req.context, root["volume_id"])
            if str(volume.get("bootable", "")).lower() != "true":
                raise Fault(400, f"Block Device {root['volume_id']} is not bootable.")
            return volume_image(volume)
        if root["source_type"] == "snapshot":
            snapshot = cinder.show_snapshot(req.context, root["snapshot_id"])
            return volume_image(cinder.show_volume(req.context, snapshot["volume_id"]))
    except errors.NotFound:
        kind = root["source_type"]
        raise Fault(400, f"{kind.capitalize()} {root[f'{kind}_id']} could not be found.") from None
    return {"properties": {}, "status": "active", "min_ram": 0, "min_disk": 0}


def check(req: Request, image: Mapping[str, Any], flavor: Mapping[str, Any], devices: list[dict[str, Any]]) -> None:
    """400 when the image is not active or too big for the flavor or the root volume; 403 for a flavor without disk."""
    if image.get("id") and image.get("status") != "active":
        raise Fault(400, f"Image {image['id']} is not active.")
    if flavor["memory_mb"] < int(image.get("min_ram") or 0):
        raise Fault(400, "Flavor's memory is too small for requested image.")
    root = block_devices.root_of(devices)
    min_disk = int(image.get("min_disk") or 0) * _GIB
    if root is not None and root["destination_type"] == "volume":
        size = int(root["volume_size"] or 0) * _GIB
        if root["source_type"] == "image" and size < min_disk:
            raise Fault(
                400,
                "Volume is smaller than the minimum size specified in image metadata. "
                f"Volume size is {size} bytes, minimum size is {min_disk} bytes.",
            )
        return
    _check_local(req, image, flavor, min_disk)


def _check_local(req: Request, image: Mapping[str, Any], flavor: Mapping[str, Any], min_disk: int) -> None:
    disk = flavor["root_gb"] * _GIB
    if disk == 0:
        if not req.can("os_compute_api:servers:create:zero_disk_flavor"):
            raise Fault(403, "Only volume-backed servers are allowed for flavors with zero disk.")
        return
    size = int(image.get("size") or 0)
    if size > disk:
        raise Fault(
            400,
            f"Flavor's disk is too small for requested image. Flavor disk is {disk} bytes, image is {size} bytes.",
        )
    if min_disk > disk:
        raise Fault(
            400,
            "Flavor's disk is smaller than the minimum size specified in image metadata. "
            f"Flavor disk is {disk} bytes, minimum size is {min_disk} bytes.",
        )
