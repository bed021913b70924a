"""Block devices of a server as disks and volumes of a VirtualMachine.

Which claim stands behind a device: a Cinder volume's claim comes from its connection_info (driver_volume_type "csi");
the root disk from an image, ephemeral disks and swap have claims of their own, named after the server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keel_common.kube import names
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.kubevirt.hardware import CDROM_BUSES, DISK_BUSES, choice_of

HOTPLUG_BUSES = ("virtio", "scsi")


@dataclass(frozen=True)
class Disk:
    """One disk of the machine. `boot_index` None: never tried for boot. `hotpluggable`: can leave a running guest."""

    name: str
    claim: str
    bus: str = "virtio"
    device: str = "disk"
    boot_index: int | None = None
    serial: str | None = None
    hotpluggable: bool = False
    shareable: bool = False
    readonly: bool = False

    def disk(self) -> dict:
        """The entry of domain.devices.disks."""
        target: dict[str, Any] = {"bus": self.bus}
        if self.readonly:
            target["readonly"] = True
        body: dict[str, Any] = {"name": self.name, self.device: target}
        if self.boot_index is not None:
            body["bootOrder"] = self.boot_index + 1
        if self.serial:
            body["serial"] = self.serial
        if self.shareable:
            body.update(shareable=True, cache="none")
        return body

    def volume(self) -> dict:
        """The entry of spec.volumes."""
        source: dict[str, Any] = {"claimName": self.claim}
        if self.readonly and self.device != "cdrom":
            source["readOnly"] = True
        if self.hotpluggable:
            source["hotpluggable"] = True
        return {"name": self.name, "persistentVolumeClaim": source}


@dataclass(frozen=True)
class LocalDisk:
    """A disk that is made for the server and goes with it. `size_gb` in GiB; `suffix` root, eph0.. or swap."""

    suffix: str
    size_gb: int
    from_image: bool = False


def connection(bdm: Any) -> dict:
    """connection_info of a block device mapping as a dict, {} when nothing is saved yet."""
    return json.loads(bdm.connection_info) if bdm.connection_info else {}


def volume_disk(bdm: Any, info: Mapping[str, Any], properties: Mapping[str, Any], root: bool) -> Disk:
    """The disk of an attached Cinder volume. Raises Unsupported for a volume this cluster cannot see."""
    if info.get("driver_volume_type") != "csi":
        raise Unsupported(
            f"volume {bdm.volume_id} is reached by {info.get('driver_volume_type')!r}; only csi volumes can be attached"
        )
    data = info["data"]
    device = bdm.device_type or "disk"
    bus = bdm.disk_bus or choice_of(properties, "hw_disk_bus", DISK_BUSES, "virtio")
    if device == "cdrom":
        bus = bdm.disk_bus or choice_of(properties, "hw_cdrom_bus", CDROM_BUSES, "sata")
    elif device == "lun":
        bus = "scsi"
    if bus not in DISK_BUSES:
        raise Unsupported(f"disk bus {bus!r}")
    return Disk(
        name=names.disk(bdm.volume_id),
        claim=data["claim_name"],
        bus=bus if root or device == "cdrom" or bus in HOTPLUG_BUSES else "virtio",
        device=device,
        boot_index=bdm.boot_index if bdm.boot_index is not None and bdm.boot_index >= 0 else None,
        serial=bdm.volume_id,
        hotpluggable=not root and device != "cdrom",
        shareable=bool(data.get("shareable") or info.get("multiattach")),
        readonly=data.get("access_mode") == "ro",
    )


def image_root_size(flavor_gb: int, image: Mapping[str, Any]) -> int:
    """GiB of the root disk of an image-backed server; a flavor without disk takes the image's own size."""
    if flavor_gb:
        return flavor_gb
    size = int(image.get("virtual_size") or image.get("size") or 0)
    return max(1, -(-size // 1024**3), int(image.get("min_disk") or 0))


def local_disks(bdms: Sequence[Any], flavor: Any, image: Mapping[str, Any]) -> list[LocalDisk]:
    """The local disks of a server in the order of its mappings."""
    found: list[LocalDisk] = []
    ephemeral = 0
    for bdm in bdms:
        if bdm.destination_type != "local":
            continue
        if bdm.source_type == "image":
            found.append(LocalDisk("root", image_root_size(flavor.root_gb, image), from_image=True))
        elif bdm.guest_format == "swap":
            found.append(LocalDisk("swap", max(1, -(-int(flavor.swap or 0) // 1024))))
        else:
            found.append(LocalDisk(f"eph{ephemeral}", bdm.volume_size or flavor.ephemeral_gb))
            ephemeral += 1
    return found


def local_disk(server: str, local: LocalDisk, properties: Mapping[str, Any]) -> Disk:
    """The disk entry of a local disk."""
    bus = choice_of(properties, "hw_disk_bus", DISK_BUSES, "virtio")
    device = "disk"
    if local.from_image and properties.get("disk_format") == "iso":
        device, bus = "cdrom", choice_of(properties, "hw_cdrom_bus", CDROM_BUSES, "sata")
    return Disk(
        name=local.suffix,
        claim=names.local_disk(server, local.suffix),
        bus=bus,
        device=device,
        boot_index=0 if local.from_image else None,
    )


def _letters(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def device_prefix(bus: str | None) -> str:
    """How the guest is likely to name a disk on this bus."""
    return "/dev/vd" if (bus or "virtio") == "virtio" else "/dev/sd"


def next_device(bus: str | None, taken: Sequence[str | None]) -> str:
    """The first free device name, by letter over all prefixes (vdb and sdb exclude each other, as in Nova)."""
    used = {name.rsplit("/", 1)[-1][2:].rstrip("0123456789") for name in taken if name}
    index = 0
    while _letters(index) in used:
        index += 1
    return device_prefix(bus) + _letters(index)
