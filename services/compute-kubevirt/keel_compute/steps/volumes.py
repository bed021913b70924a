"""Volumes of a server at Cinder."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

from keel_common.clients import errors as peers
from keel_compute.errors import BuildAbort, Refused
from keel_compute.kubevirt.disks import connection, next_device
from keel_compute.scope import Scope

LOG = logging.getLogger(__name__)


def name_devices(scope: Scope) -> None:
    """Give every mapping a device name, the boot disk first; in memory, saved by who saves the mapping next."""
    bus = scope.properties.get("hw_disk_bus")
    ordered = sorted(scope.mappings, key=lambda each: (each.boot_index != 0, each.boot_index is None))
    for mapping in ordered:
        if not mapping.device_name:
            taken = [each.device_name for each in scope.mappings]
            mapping.device_name = next_device(mapping.disk_bus or bus, taken)


def provide(scope: Scope, mapping: Any) -> None:
    """Make sure that the mapping has a volume and an attachment: creates a volume from image, snapshot or blank where
    asked.
    """
    cinder, records = scope.site.clients.cinder, scope.site.records
    if not mapping.volume_id:
        # Noted before it is waited for: whatever becomes of this build, the volume goes with its server.
        records.save_mapping(scope.context, mapping, volume_id=_create(scope, mapping))
        _available(scope, mapping.volume_id)
    if not mapping.attachment_id:
        volume = mapping.volume_id
        try:
            attachment = cinder.create_attachment(scope.asker, volume, scope.server)["id"]
        except peers.ClientError as refused:
            raise BuildAbort(f"Volume {volume} cannot be attached: {refused.message}") from refused
        records.save_mapping(scope.context, mapping, attachment_id=attachment)


def _create(scope: Scope, mapping: Any) -> str:
    body: dict[str, Any] = {
        "size": mapping.volume_size,
        "name": f"{scope.server}-blank-vol" if mapping.source_type == "blank" else "",
        "volume_type": mapping.volume_type,
    }
    if mapping.source_type == "snapshot":
        body["snapshot_id"] = mapping.snapshot_id
    elif mapping.source_type == "image":
        body["imageRef"] = mapping.image_id
    if scope.site.conf.cinder.cross_az_attach is False:
        body["availability_zone"] = scope.instance.availability_zone
    try:
        return scope.site.clients.cinder.create_volume(scope.asker, body)["id"]
    except peers.ClientError as refused:
        raise BuildAbort(f"Block Device Mapping is Invalid: {refused.message}") from refused


def _available(scope: Scope, volume: str) -> None:
    """Wait until a new volume is available; [DEFAULT]block_device_allocate_retries times, _interval seconds apart."""
    conf = scope.site.conf
    for _ in range(conf.block_device_allocate_retries + 1):
        scope.flight.check()
        status = scope.site.clients.cinder.show_volume(scope.asker, volume)["status"]
        if status == "available":
            return
        if status not in ("creating", "downloading"):
            break
        time.sleep(conf.block_device_allocate_retries_interval)
    raise BuildAbort(f"Volume {volume} did not finish being created; its status is {status}.")


def connect(scope: Scope, mapping: Any) -> dict[str, Any]:
    """Tell Cinder who attaches; answers connection_info with serial and multiattach as Nova keeps it.

    An attachment that is complete already (an operation that goes on after a restart) is only read.
    """
    cinder = scope.site.clients.cinder
    try:
        attachment = cinder.show_attachment(scope.asker, mapping.attachment_id)
        if attachment.get("status") != "attached" or not attachment.get("connection_info"):
            connector = scope.site.connector(scope.place.name)
            attachment = cinder.update_attachment(scope.asker, mapping.attachment_id, connector, mapping.device_name)
    except peers.ClientError as refused:
        raise _refused(mapping, refused) from refused
    return _info(mapping, attachment)


def _refused(mapping: Any, refused: peers.ClientError) -> Refused:
    return Refused(f"Volume {mapping.volume_id} cannot be attached: {refused.message}")


def _info(mapping: Any, attachment: dict[str, Any]) -> dict[str, Any]:
    info = _nova_form(attachment["connection_info"])
    info["serial"] = mapping.volume_id
    return info


def connect_beside(scope: Scope, mapping: Any) -> None:
    """One more attachment, of this host, beside the one of the host that the server still runs on; the mapping names
    the new one.

    It is made with its connector: one that is reserved first cannot be connected while another is (cinder 29.0.0
    flows 5.5). Raises Refused.
    """
    cinder, connector = scope.site.clients.cinder, scope.site.connector(scope.place.name)
    try:
        made = cinder.create_attachment(scope.asker, mapping.volume_id, scope.server, connector, mapping.device_name)
    except peers.ClientError as refused:
        raise _refused(mapping, refused) from refused
    info = json.dumps(_info(mapping, made))
    scope.site.records.save_mapping(scope.context, mapping, attachment_id=made["id"], connection_info=info)
    complete(scope, mapping)


def _nova_form(info: dict[str, Any]) -> dict[str, Any]:
    """Cinder's attachments are flat; Nova keeps driver_volume_type and data apart (nova 34.0.0 volume client)."""
    if "data" in info:
        return dict(info)
    data = dict(info)
    form: dict[str, Any] = {"driver_volume_type": data.pop("driver_volume_type", None)}
    for name in ("serial", "multiattach", "connector", "status"):
        if name in data and name != "connector":
            form[name] = data.pop(name)
    form["data"] = data
    return form


def complete(scope: Scope, mapping: Any) -> None:
    """The volume is in the guest: it becomes in-use. Done already counts as done."""
    try:
        scope.site.clients.cinder.complete_attachment(scope.asker, mapping.attachment_id)
    except peers.BadRequest as refused:
        attachment = scope.site.clients.cinder.show_attachment(scope.asker, mapping.attachment_id)
        if attachment.get("status") != "attached":
            raise Refused(refused.message) from refused


def save_connection(scope: Scope, mapping: Any, info: dict[str, Any]) -> None:
    """Keep connection_info in the mapping."""
    scope.site.records.save_mapping(scope.context, mapping, connection_info=json.dumps(info))


def disconnect(scope: Scope, mapping: Any) -> None:
    """End the attachment of a mapping; absent already counts as ended.

    One whose attachment was never noted may have one all the same: whoever asked for it did not hear the answer.
    """
    cinder = scope.site.clients.cinder
    if mapping.attachment_id:
        cinder.delete_attachment(scope.asker, mapping.attachment_id)
        return
    for each in cinder.list_attachments(None, volume_id=mapping.volume_id, instance_id=scope.server):
        LOG.warning("Volume %s of server %s was reserved without a note of it", mapping.volume_id, scope.server)
        cinder.delete_attachment(None, each["id"])


def remove(scope: Scope, mapping: Any) -> None:
    """Delete a volume that goes with its server; gone already counts as deleted."""
    try:
        scope.site.clients.cinder.delete_volume(scope.asker, mapping.volume_id)
    except peers.NotFound:
        LOG.info("Volume %s is gone already", mapping.volume_id)


__all__ = [
    "complete",
    "connect",
    "connect_beside",
    "connection",
    "disconnect",
    "name_devices",
    "provide",
    "remove",
    "save_connection",
]
