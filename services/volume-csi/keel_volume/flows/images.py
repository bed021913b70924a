"""Images as the source of volumes: may it be written, where from, and what the volume remembers of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from keel_common.clients.errors import ClientError
from keel_volume.backend import Backend
from keel_volume.flows.refusals import Refused

#: Annotation of the import: what the volume is to remember (JSON), so that nobody has to be asked at the end.
FACTS = "openstack.org/image-facts"

#: Facts of an image that a bootable volume remembers (cinder 29.0.0 flows 1.6).
_FACTS = ("checksum", "container_format", "disk_format", "min_disk", "min_ram", "size")
_FORMATS = ("raw", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "iso")
_NOT_PROPERTIES = frozenset(
    (
        "id name status visibility protected owner created_at updated_at tags self file schema locations direct_url "
        "os_hidden os_hash_algo os_hash_value virtual_size stores"
    ).split()
).union(_FACTS)


def open_for_import(
    backend: Backend, context: Any, row: Mapping[str, Any], image_id: str
) -> tuple[Mapping[str, Any], str, str]:
    """The image, the token that may read it and the URL of its data. Raises Refused."""
    glance = backend.clients.glance
    try:
        image = glance.show(context, image_id)
        _check(image, row)
        return image, context.auth_token or glance.token(), glance.file_url(image_id)
    except ClientError as problem:
        raise Refused(f"image {image_id}: {problem}", retry=False) from problem


def facts(image: Mapping[str, Any]) -> dict[str, Any]:
    """What a volume remembers of its image: some facts and every property somebody gave it."""
    found = {"image_id": image["id"], "image_name": image.get("name")}
    found |= {key: image.get(key) for key in _FACTS}
    found |= {key: value for key, value in image.items() if key not in _NOT_PROPERTIES}
    return {key: value for key, value in found.items() if value is not None}


def facts_of_import(data_volume: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that stand on an import."""
    return orjson.loads(data_volume["metadata"].get("annotations", {}).get(FACTS) or "{}")


def _check(image: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    if image["status"] != "active":
        raise Refused(f"image {image['id']} is {image['status']}, not active", retry=False)
    if image["disk_format"] not in _FORMATS:
        raise Refused(
            f"images of format {image['disk_format']} cannot be written to a volume",
            retry=False,
            detail="IMAGE_FORMAT_UNACCEPTABLE",
        )
    needed = max(image.get("virtual_size") or 0, image.get("size") or 0)
    if needed > row["size"] * 2**30:
        raise Refused(f"the image needs {needed} bytes, the volume has {row['size']} GiB", retry=False)
