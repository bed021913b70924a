"""Images of the image service as Nova writes them: the dict of messages, the typed ImageMeta, the system metadata.

Sources: nova 34.0.0 wire examples (image_meta, schedule_and_build_instances), serialized_examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_contract.nova import objects

_PLAIN = (
    "checksum",
    "container_format",
    "created_at",
    "direct_url",
    "disk_format",
    "id",
    "min_disk",
    "min_ram",
    "name",
    "owner",
    "protected",
    "size",
    "status",
    "tags",
    "updated_at",
    "virtual_size",
    "visibility",
)
# what the image service adds and Nova does not keep as a property
_SERVICE_KEYS = frozenset(
    {"self", "file", "schema", "locations", "stores", "os_hidden", "os_hash_algo", "os_hash_value"}
)
# older property names -> fields of ImageMetaProps
_RENAMED = {
    "architecture": "hw_architecture",
    "auto_disk_config": "hw_auto_disk_config",
    "hypervisor_type": "img_hv_type",
    "vm_mode": "hw_vm_mode",
    "os_version": "img_version",
    "owner_id": "img_owner_id",
    "root_device_name": "img_root_device_name",
}
# "no kernel" and "no ramdisk" in words, as if the image had no such property
_NO_KERNEL = frozenset({("kernel_id", "nokernel"), ("ramdisk_id", "nokernel")})
_NOT_INHERITED = frozenset({"block_device_mapping", "bdm_v2", "root_device_name", "mappings"})
_LONGEST = 255


class InvalidProperty(ValueError):
    """A property of an image has a value Nova does not know."""


def image_dict(found: Mapping[str, Any]) -> dict[str, Any]:
    """The image as messages carry it: known attributes beside `properties`."""
    image = {name: found[name] for name in _PLAIN if name in found and found[name] is not None}
    image["min_disk"], image["min_ram"] = found.get("min_disk") or 0, found.get("min_ram") or 0
    image["properties"] = {
        key: value
        for key, value in found.items()
        if key not in _PLAIN
        and key not in _SERVICE_KEYS
        and not isinstance(value, list | dict)
        and (key, value) not in _NO_KERNEL
    }
    return image


def user_properties(found: Mapping[str, Any]) -> dict[str, str | None]:
    """What people wrote on an image of Glance: its properties without those the service itself sets."""
    return {
        key: value
        for key, value in found.items()
        if key not in _PLAIN and key not in _SERVICE_KEYS and (value is None or isinstance(value, str))
    }


def image_meta(image: Mapping[str, Any]) -> objects.ImageMeta:
    """The typed form of an image dict; InvalidProperty names a property with an unknown value."""
    fields = objects.ImageMeta.fields
    values = {name: value for name, value in image.items() if name in fields and name != "properties"}
    return objects.ImageMeta(**values, properties=_properties(image.get("properties") or {}))


def plain_image(meta: Any) -> dict[str, Any]:
    """The dict of a typed image (None: an empty one), as `prep_resize` and `resize_instance` carry it: what the object
    has set, under its own names (nova 34.0.0 flows 7.7)."""
    if meta is None:
        return {}
    image = dict(meta.to_primitive()["nova_object.data"])
    if image.get("properties") is not None:
        image["properties"] = dict(image["properties"]["nova_object.data"])
    return image


def _properties(given: Mapping[str, Any]) -> objects.ImageMetaProps:
    made: Any = objects.ImageMetaProps()
    for key, value in given.items():
        name = _RENAMED.get(key, key)
        if name not in objects.ImageMetaProps.fields or name == "traits_required" or value is None:
            continue
        try:
            setattr(made, name, value)
        except (ValueError, TypeError) as error:
            raise InvalidProperty(f"Image property {key} has the invalid value {value!r}: {error}") from error
    traits = sorted(key[len("trait:") :] for key, value in given.items() if key.startswith("trait:") and value)
    if traits:
        made.traits_required = traits
    return made


def system_metadata(image: Mapping[str, Any], root_gb: int | None, not_inherited: Iterable[str] = ()) -> dict[str, str]:
    """The `image_` keys a server keeps of the image it was made from; `root_gb` of its flavor is its least disk."""
    left_out = _NOT_INHERITED | frozenset(not_inherited)
    kept = {
        f"image_{key}": str(value)[:_LONGEST]
        for key, value in (image.get("properties") or {}).items()
        if key not in left_out
    }
    for key in ("min_ram", "min_disk", "disk_format", "container_format"):
        value = root_gb if key == "min_disk" and root_gb else image.get(key)
        if value is not None:
            kept[f"image_{key}"] = str(value)
    base = (image.get("properties") or {}).get("base_image_ref") or image.get("id") or ""
    kept["image_base_image_ref"] = str(base)
    return kept


def volume_image(volume: Mapping[str, Any]) -> dict[str, Any]:
    """The image a bootable volume was made from, as the volume service remembers it; {} when it does not."""
    remembered = dict(volume.get("volume_image_metadata") or {})
    image: dict[str, Any] = {"status": "active", "min_ram": int(remembered.pop("min_ram", 0) or 0), "min_disk": 0}
    remembered.pop("min_disk", None)
    image["size"] = int(volume["size"]) * 1024**3
    for name in ("container_format", "disk_format", "checksum"):
        if name in remembered:
            image[name] = remembered.pop(name)
    remembered.pop("size", None)
    remembered.pop("image_id", None)
    remembered.pop("image_name", None)
    image["properties"] = remembered
    return image
