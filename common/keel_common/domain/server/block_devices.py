"""Block devices of a new server: the two request forms, what may be combined, the boot order.

Rules: nova 34.0.0 schemas (servers.create), errors (InvalidBDM*), serialized_examples (block_device_mapping).
A device here is a dict with the field names of the BlockDeviceMapping object.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

TRUE = frozenset({"true", "1", "on", "yes"})
FIELDS = (
    "source_type",
    "destination_type",
    "delete_on_termination",
    "guest_format",
    "device_name",
    "boot_index",
    "device_type",
    "disk_bus",
    "no_device",
    "image_id",
    "volume_id",
    "snapshot_id",
    "volume_size",
    "volume_type",
    "tag",
)
# source -> destinations that can be made from it
_PAIRS = {
    "image": ("local", "volume"),
    "volume": ("volume",),
    "snapshot": ("volume",),
    "blank": ("local", "volume"),
}
_DEFAULT_DESTINATION = {"image": "local", "volume": "volume", "snapshot": "volume", "blank": "local"}
_BUSES = frozenset({"fdc", "ide", "lxc", "sata", "scsi", "usb", "virtio", "xen", "uml"})


class InvalidDevice(ValueError):
    """A block device request cannot be met; `str(error)` is the sentence for the user."""


def truth(value: Any) -> bool:
    """Return the boolean of an API value: a bool or one of the accepted words."""
    return value if isinstance(value, bool) else str(value).strip().lower() in TRUE


def from_v1(devices: Iterable[Mapping[str, Any]], root_name: str = "vda") -> list[dict[str, Any]]:
    """Translate the older form: a volume or snapshot per device; the one named like the root disk is booted from."""
    translated = []
    for given in devices:
        if given.get("no_device"):
            continue
        device = {k: given[k] for k in ("device_name", "volume_size", "delete_on_termination") if k in given}
        device |= {"destination_type": "volume", "boot_index": -1}
        if given.get("snapshot_id"):
            device |= {"source_type": "snapshot", "snapshot_id": given["snapshot_id"]}
        elif given.get("volume_id"):
            device |= {"source_type": "volume", "volume_id": given["volume_id"]}
        elif given.get("virtual_name"):
            device |= {"source_type": "blank", "destination_type": "local", "device_type": "disk"}
            device["delete_on_termination"] = True
            if given["virtual_name"] == "swap":
                device["guest_format"] = "swap"
        else:
            raise InvalidDevice("Block Device Mapping is Invalid: Unrecognized legacy format.")
        named = str(device.get("device_name") or "").removeprefix("/dev/")
        if device["source_type"] != "blank" and named == root_name.removeprefix("/dev/"):
            device["boot_index"] = 0
        translated.append(device_of(device))
    return translated


def from_v2(devices: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Translate the newer form (uuid names the source); InvalidDevice where a source has no id."""
    translated = []
    for given in devices:
        if given.get("no_device"):
            continue
        device = dict(given)
        source = device.setdefault("source_type", "blank" if "uuid" not in device else "volume")
        uuid = device.pop("uuid", None)
        if source != "blank":
            key = f"{source}_id"
            device[key] = uuid or device.get(key)
            if not device[key]:
                raise InvalidDevice("Block Device Mapping is Invalid: Missing device UUID.")
        elif uuid:
            raise InvalidDevice("Block Device Mapping is Invalid: Invalid device UUID.")
        if source == "snapshot" or source == "volume":
            device.setdefault("destination_type", "volume")
        translated.append(device_of(device))
    return translated


def device_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return one device with every field set and typed."""
    device: dict[str, Any] = {field: given.get(field) for field in FIELDS}
    device["delete_on_termination"] = truth(given.get("delete_on_termination") or False)
    device["no_device"] = False
    device["destination_type"] = device["destination_type"] or _DEFAULT_DESTINATION[device["source_type"]]
    if device["boot_index"] is not None:
        index = int(device["boot_index"])
        device["boot_index"] = index if index >= 0 else -1
    if device["volume_size"] is not None:
        device["volume_size"] = int(device["volume_size"])
    return device


def image_device(image_id: str, volume: bool = False) -> dict[str, Any]:
    """Return the root disk that a plain image gives: local, lost with the server."""
    return device_of(
        {
            "source_type": "image",
            "destination_type": "volume" if volume else "local",
            "device_type": "disk",
            "boot_index": 0,
            "delete_on_termination": True,
            "image_id": image_id,
        }
    )


def of_image(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the devices an image brings itself: one made of a server that booted from a volume."""
    text = properties.get("block_device_mapping")
    if not text:
        return []
    described = json.loads(text) if isinstance(text, str) else text
    if not truth(properties.get("bdm_v2") or False):
        return from_v1(described, str(properties.get("root_device_name") or "vda"))
    known = {*FIELDS, "uuid"}
    return from_v2({k: v for k, v in one.items() if k in known and v is not None} for one in described)


def with_image(
    devices: list[dict[str, Any]], image_id: str | None, brought: Iterable[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Put the root disk of an image first, unless a device of the request boots already.

    `brought` are the devices of the image; those that the request names again by device or boot index are left out.
    """
    names = {d["device_name"] for d in devices if d["device_name"]}
    booted = root_of(devices) is not None
    added = [d for d in brought if d["device_name"] not in names and not (booted and d["boot_index"] == 0)]
    combined = [*added, *devices]
    if image_id and root_of(combined) is None:
        return [image_device(image_id), *combined]
    return combined


def check(devices: list[dict[str, Any]], max_local: int) -> None:
    """Raise InvalidDevice unless the devices can be combined: boot order, pairs, buses, tags, sizes, local disks."""
    _check_boot_order(devices)
    tags = [d["tag"] for d in devices if d["tag"]]
    if len(tags) != len(set(tags)):
        raise InvalidDevice("Block Device Mapping is Invalid: Device tags must be unique.")
    for device in devices:
        _check_pair(device)
    local = [d for d in devices if d["destination_type"] == "local"]
    if max_local >= 0 and len(local) > max_local:
        raise InvalidDevice("Block Device Mapping is Invalid: You specified more local devices than the limit allows")
    swaps = [d for d in local if d["source_type"] == "blank" and d["guest_format"] == "swap"]
    if len(swaps) > 1:
        raise InvalidDevice("Block Device Mapping is Invalid: more than one swap drive requested.")


def _check_boot_order(devices: list[dict[str, Any]]) -> None:
    order = sorted(d["boot_index"] for d in devices if d["boot_index"] is not None and d["boot_index"] >= 0)
    if order != list(range(len(order))):
        raise InvalidDevice(
            "Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping "
            "combination is not valid."
        )


def _check_pair(device: Mapping[str, Any]) -> None:
    source, destination = device["source_type"], device["destination_type"]
    if destination not in _PAIRS[source]:
        raise InvalidDevice(f"Block Device Mapping is Invalid: Mapping {source} to {destination} is not supported")
    if source == "image" and destination == "local" and device["boot_index"] != 0:
        raise InvalidDevice("Block Device Mapping is Invalid: Mapping image to local is not supported.")
    if source in ("blank", "image") and destination == "volume" and not device["volume_size"]:
        what = (
            "Blank volumes (source: 'blank', dest: 'volume')"
            if source == "blank"
            else "Images with destination_type 'volume'"
        )
        raise InvalidDevice(f"Block Device Mapping is Invalid: {what} need to have non-zero size")
    if device["disk_bus"] and device["disk_bus"] not in _BUSES:
        raise InvalidDevice(f"Block Device Mapping is Invalid: disk bus {device['disk_bus']} is not valid")


def flavor_devices(flavor: Mapping[str, Any], devices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the ephemeral and swap disks that a flavor brings and the request does not name itself."""
    blanks = [d for d in devices if d["source_type"] == "blank" and d["destination_type"] == "local"]
    added = []
    if flavor["ephemeral_gb"] and not any(d["guest_format"] != "swap" for d in blanks):
        added.append(_blank(flavor["ephemeral_gb"], None))
    if flavor["swap"] and not any(d["guest_format"] == "swap" for d in blanks):
        added.append(_blank(flavor["swap"], "swap"))
    return added


def _blank(size: int, guest_format: str | None) -> dict[str, Any]:
    return device_of(
        {
            "source_type": "blank",
            "destination_type": "local",
            "device_type": "disk",
            "boot_index": -1,
            "delete_on_termination": True,
            "guest_format": guest_format,
            "volume_size": size,
        }
    )


def check_flavor_sizes(devices: list[dict[str, Any]], flavor: Mapping[str, Any]) -> None:
    """Raise InvalidDevice when local blank disks ask for more than the flavor gives (GiB; swap in MiB)."""
    blanks = [d for d in devices if d["source_type"] == "blank" and d["destination_type"] == "local"]
    swap = sum(d["volume_size"] or 0 for d in blanks if d["guest_format"] == "swap")
    if swap > (flavor["swap"] or 0):
        raise InvalidDevice("Swap drive requested is larger than instance type allows.")
    ephemeral = sum(d["volume_size"] or 0 for d in blanks if d["guest_format"] != "swap")
    if ephemeral > (flavor["ephemeral_gb"] or 0):
        raise InvalidDevice("Ephemeral disks requested are larger than the instance type allows.")


def root_of(devices: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the device the server boots from, if any."""
    return next((d for d in devices if d["boot_index"] == 0), None)
