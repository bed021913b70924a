"""Sizes of volumes in GiB: what a type and a source demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GIB = 1024**3


def type_refusal(size: int, extra_specs: Mapping[str, str | None]) -> str | None:
    """Why a volume type refuses this size, or None."""
    low, high = extra_specs.get("provisioning:min_vol_size"), extra_specs.get("provisioning:max_vol_size")
    if low and size < int(low):
        return f"a size of {size} GiB is below the {low} GiB of the volume type"
    if high and size > int(high):
        return f"a size of {size} GiB is above the {high} GiB of the volume type"
    return None


def image_refusal(image: Mapping[str, Any], size: int) -> str | None:
    """Why a volume of `size` GiB cannot be made from this image, or None."""
    if image.get("status") != "active":
        return f"image {image.get('id')} is not active"
    needed = -(-int(image.get("size") or 0) // GIB)
    if needed > size:
        return f"a volume of {size} GiB cannot hold image {image.get('id')} of {needed} GiB"
    if int(image.get("min_disk") or 0) > size:
        return f"a volume of {size} GiB is smaller than the min_disk of {image['min_disk']} GiB of the image"
    virtual = -(-int(image.get("virtual_size") or 0) // GIB)
    if virtual > size:
        return f"a volume of {size} GiB cannot hold the {virtual} GiB the image unpacks to"
    return None
