"""Volumes at a nova-compute at the edge: connected when a server boots, attached, exchanged, detached."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

from conformance.host_records import HostRecords
from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects


class HostVolumes(HostRecords):
    """What concerns volumes."""

    def _boot_volume(self, context: Any, instance: Any, mapping: Any) -> None:
        if mapping.destination_type != "volume":
            return
        if not mapping.get("volume_id"):
            mapping.volume_id = self._peers.cinder.create_volume(context, {"size": mapping.volume_size})["id"]
            self._wait_for(context, mapping.volume_id)
        if not mapping.get("attachment_id"):
            made = self._peers.cinder.create_attachment(context, mapping.volume_id, instance.uuid)
            mapping.attachment_id = made["id"]
        self._connect(context, mapping)

    def _wait_for(self, context: Any, volume_id: str) -> None:
        deadline = time.monotonic() + 10
        while self._peers.cinder.show_volume(context, volume_id)["status"] == "creating":
            if time.monotonic() > deadline:
                raise RuntimeError(f"volume {volume_id} is still being made")
            time.sleep(0.02)

    def _connect(self, context: Any, mapping: Any) -> None:
        self._peers.cinder.update_attachment(context, mapping.attachment_id, {"host": self.host}, mapping.device_name)
        self._peers.cinder.complete_attachment(context, mapping.attachment_id)
        mapping.connection_info = '{"driver_volume_type": "fake", "data": {}}'

    def reserve_block_device_name(
        self,
        context: Any,
        instance: Any,
        device: str | None,
        volume_id: str,
        disk_bus: str | None,
        device_type: str | None,
        tag: str | None,
        multiattach: bool,
    ) -> Any:
        found = self._remote.class_action(context, "BlockDeviceMappingList", "get_by_instance_uuid", instance.uuid)
        if any(each.volume_id == volume_id for each in found.objects):
            raise ExpectedFault("InvalidVolume", f"Invalid volume: {volume_id} is already attached", reason="attached")
        used = {each.device_name for each in found.objects}
        name = next(each for each in device_names("/dev/sda") if each not in used)
        mapping = objects.BlockDeviceMapping(
            source_type="volume",
            destination_type="volume",
            instance_uuid=instance.uuid,
            boot_index=None,
            volume_id=volume_id,
            device_name=device or name,
            guest_format=None,
            disk_bus=disk_bus,
            device_type=device_type,
            tag=tag,
        )
        self._remote.action(context, mapping, "create")
        return mapping

    def attach_volume(self, context: Any, instance: Any, bdm: Any) -> None:
        with self._event(context, instance, "attach_volume"):
            self._connect(context, bdm)
            self._remote.action(context, bdm, "save")

    def detach_volume(self, context: Any, volume_id: str, instance: Any, attachment_id: str | None) -> None:
        with self._event(context, instance, "detach_volume"):
            found = self._remote.class_action(
                context, "BlockDeviceMapping", "get_by_volume_and_instance", volume_id, instance.uuid
            )
            self._peers.cinder.delete_attachment(context, found.get("attachment_id") or attachment_id)
            self._remote.action(context, found, "destroy")

    def swap_volume(
        self, context: Any, old_volume_id: str, new_volume_id: str, instance: Any, new_attachment_id: str
    ) -> None:
        with self._event(context, instance, "swap_volume"):
            found = self._remote.class_action(
                context, "BlockDeviceMapping", "get_by_volume_and_instance", old_volume_id, instance.uuid
            )
            old = found.get("attachment_id")
            found.volume_id, found.attachment_id = new_volume_id, new_attachment_id
            self._connect(context, found)
            self._remote.action(context, found, "save")
            self._peers.cinder.delete_attachment(context, old)


def ordered(mappings: Any) -> list[Any]:
    """Boot devices first."""
    found = list(mappings.objects) if mappings else []
    return sorted(found, key=lambda each: (each.get("boot_index") is None, each.get("boot_index") or 0))


def device_names(first: str) -> Iterator[str]:
    """Names of disks from the first one on."""
    return (first[:-1] + chr(ord(first[-1]) + number) for number in itertools.count())
