"""Volumes and interfaces of servers that exist."""

from __future__ import annotations

from typing import Any

from keel_compute.endpoints.turn import Turns
from keel_compute.flows import attach, interfaces
from keel_compute.kubevirt.disks import next_device
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault


class Devices(Turns):
    """Attach and detach."""

    # -- volumes

    def reserve_block_device_name(
        self,
        context: Context,
        instance: Any,
        device: str | None,
        volume_id: str,
        disk_bus: str | None,
        device_type: str | None,
        tag: str | None,
        multiattach: bool,
    ) -> Any:
        """A mapping with a device name that is free; attach_volume follows."""
        with (
            self.site.flights.enter(instance.uuid, "reserve") as _,
            self._outcome(context, instance, "reserve_block_device_name"),
        ):
            mappings = self.site.records.mappings(context, instance.uuid)
            if any(each.volume_id == volume_id for each in mappings):
                raise ExpectedFault("InvalidVolume", f"Volume {volume_id} is attached to this server already")
            bus = disk_bus or (instance.get("system_metadata") or {}).get("image_hw_disk_bus")
            name = next_device(bus, [each.device_name for each in mappings])
            return self.site.records.create_mapping(
                context,
                source_type="volume",
                destination_type="volume",
                instance_uuid=instance.uuid,
                boot_index=None,
                volume_id=volume_id,
                device_name=name,
                guest_format=None,
                disk_bus=disk_bus,
                device_type=device_type,
                tag=tag,
            )

    def attach_volume(self, context: Context, instance: Any, bdm: Any) -> None:
        """Attach the volume of a reserved mapping."""
        with self._turn(context, instance, "attach_volume") as scope:
            attach.attach(scope, bdm)

    def detach_volume(self, context: Context, volume_id: str, instance: Any, attachment_id: str | None) -> None:
        """Detach a volume."""
        with self._turn(context, instance, "detach_volume") as scope:
            attach.detach(scope, volume_id, attachment_id)

    # -- interfaces

    def attach_interface(
        self,
        context: Context,
        instance: Any,
        network_id: str | None,
        port_id: str | None,
        requested_ip: str | None,
        tag: str | None = None,
    ) -> dict:
        """Attach a port or a port of a network; answers the VIF."""
        with self._turn(context, instance, "attach_interface", "InterfaceAttachFailed") as scope:
            return interfaces.attach(scope, network_id, port_id, requested_ip, tag)

    def detach_interface(self, context: Context, instance: Any, port_id: str) -> None:
        """Detach a port."""
        with self._turn(context, instance, "detach_interface") as scope:
            interfaces.detach(scope, port_id)
