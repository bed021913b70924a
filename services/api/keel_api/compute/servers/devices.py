"""The block devices of a new server: combined with image and flavor, checked, their volumes reserved."""

from __future__ import annotations

import logging
import uuid as uuids
from collections.abc import Mapping
from typing import Any

from keel_api.compute.servers.asked import Asked
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.domain.server import block_devices
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)
_MULTIATTACH = (2, 60)


def combined(
    req: Request, asked: Asked, flavor: Mapping[str, Any], properties: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The devices of the request with those of the image and the flavor; 400 when they do not fit.

    `properties` are the properties of the image named, {} without one.
    """
    try:
        brought = block_devices.of_image(properties)
        devices = block_devices.with_image(asked.devices, asked.image, brought)
        devices = devices + block_devices.flavor_devices(flavor, devices)
        block_devices.check(devices, req.services.conf.max_local_block_devices)
        block_devices.check_flavor_sizes(devices, flavor)
    except ValueError as error:  # InvalidDevice, or JSON of the image that is none
        raise Fault(400, str(error)) from None
    if block_devices.root_of(devices) is None:
        raise Fault(400, "Block Device Mapping is Invalid: no device of the request can be booted from.")
    _types(devices)
    return devices


def _types(devices: list[dict[str, Any]]) -> None:
    """Device types are words of the contract; others would not pass the bus."""
    allowed = objects.BlockDeviceMapping.fields["device_type"].valid_values
    for device in devices:
        if device["device_type"] is not None and device["device_type"] not in allowed:
            raise Fault(400, f"Block Device Mapping is Invalid: device type {device['device_type']} is not valid")


def check_sources(req: Request, devices: list[dict[str, Any]], count: int) -> None:
    """Look up what the devices come from: volumes are free, snapshots and images exist; sizes are filled in."""
    for device in devices:
        if device["source_type"] == "volume":
            _volume(req, device, count)
        elif device["source_type"] == "snapshot":
            _snapshot(req, device)
        elif device["source_type"] == "image" and device["destination_type"] == "volume":
            _volume_image(req, device)


def _volume(req: Request, device: dict[str, Any], count: int) -> None:
    try:
        volume = req.services.clients.cinder.show_volume(req.context, device["volume_id"])
    except errors.NotFound:
        raise Fault(400, f"Volume {device['volume_id']} could not be found.") from None
    if volume.get("multiattach"):
        if req.version < _MULTIATTACH:
            raise Fault(400, "Multiattach volumes are only supported starting with compute API version 2.60.")
    elif count > 1:
        raise Fault(400, f"Invalid volume: volume {volume['id']} cannot be attached to more than one server")
    if volume["status"] not in ("available", *(["in-use"] if volume.get("multiattach") else [])):
        raise Fault(
            400,
            f"Invalid volume: volume '{volume['id']}' status must be 'available'. Currently in '{volume['status']}'",
        )
    zone = volume.get("availability_zone")
    if not req.services.conf.cinder.cross_az_attach and req.body["server"].get("availability_zone") not in (None, zone):
        raise Fault(400, f"Invalid volume: volume {volume['id']} is in availability zone {zone}, the server is not")
    device["volume_size"] = volume["size"]


def _snapshot(req: Request, device: dict[str, Any]) -> None:
    try:
        snapshot = req.services.clients.cinder.show_snapshot(req.context, device["snapshot_id"])
    except errors.NotFound:
        raise Fault(400, f"Snapshot {device['snapshot_id']} could not be found.") from None
    device["volume_size"] = device["volume_size"] or snapshot["size"]


def _volume_image(req: Request, device: dict[str, Any]) -> None:
    try:
        req.services.clients.glance.show(req.context, device["image_id"])
    except (errors.NotFound, errors.Forbidden):
        raise Fault(400, f"Block Device Mapping is Invalid: failed to get image {device['image_id']}.") from None


def of_server(devices: list[dict[str, Any]], server_uuid: str) -> objects.BlockDeviceMappingList:
    """The devices of one new server, each with an id of its own."""
    made = [
        objects.BlockDeviceMapping(
            **device,
            uuid=str(uuids.uuid4()),
            instance_uuid=server_uuid,
            attachment_id=None,
            encrypted=False,
        )
        for device in devices
    ]
    return objects.BlockDeviceMappingList(objects=made)


def shared(devices: list[dict[str, Any]], own: list[objects.BlockDeviceMappingList]) -> objects.BlockDeviceMappingList:
    """The one list a message carries for all its servers: a single server's own, else one without ids.

    A conductor that makes rows of it for several servers gives each row its own id.
    """
    if len(own) == 1:
        return own[0]
    made = [objects.BlockDeviceMapping(**device, attachment_id=None, encrypted=False) for device in devices]
    return objects.BlockDeviceMappingList(objects=made)


def reserve(req: Request, made: objects.BlockDeviceMappingList) -> None:
    """Reserve the existing volumes of one server with the volume service; takes back its own on a refusal (400)."""
    cinder = req.services.clients.cinder
    for device in made.objects:
        if device.source_type != "volume":
            continue
        try:
            attachment = cinder.create_attachment(req.context, device.volume_id, device.instance_uuid)
        except errors.ClientError as error:
            release(req, made)
            if error.status in (400, 404, 409):
                raise Fault(400, f"Invalid volume: {error.message}") from None
            raise
        device.attachment_id = attachment["id"]


def release(req: Request, made: objects.BlockDeviceMappingList) -> None:
    """Give reserved volumes back; a volume that cannot be given back is logged, the rest go on."""
    for device in made.objects:
        if device.attachment_id is None:
            continue
        try:
            req.services.clients.cinder.delete_attachment(req.context, device.attachment_id)
        except errors.ClientError:
            LOG.exception("Attachment %s of volume %s is left over", device.attachment_id, device.volume_id)
        device.attachment_id = None
