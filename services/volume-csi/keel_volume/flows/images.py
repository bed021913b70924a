"""Images as the source of volumes: may it be written, where from, and what the volume remembers of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from keel_common.clients.errors import ClientError
from keel_volume.backend import Backend
from keel_volume.flows.image_inspection import inspect
from keel_volume.flows.refusals import Refused

#: Annotation of the import: what the volume is to remember (JSON), so that nobody has to be asked at the end.
FACTS = "openstack.org/image-facts"

#: Facts of an image that a bootable volume remembers (cinder 29.0.0 flows 1.6).
_FACTS = ("checksum", "container_format", "disk_format", "min_disk", "min_ram", "size")
#: Formats that are written as they are.
_AS_IT_IS = ("raw", "iso")
_UNACCEPTABLE = "IMAGE_FORMAT_UNACCEPTABLE"
_SIGNATURE = frozenset(
    ("img_signature", "img_signature_hash_method", "img_signature_key_type", "img_signature_certificate_uuid")
)
_NOT_PROPERTIES = frozenset(
    (
        "id name status visibility protected owner created_at updated_at tags self file schema locations direct_url "
        "os_hidden os_hash_algo os_hash_value virtual_size stores"
    ).split()
).union(_FACTS)


@dataclass(frozen=True)
class Source:
    """An image that may be written: the token that may read it, the URL of its data and what its data sums up to."""

    image: Mapping[str, Any]
    token: str
    url: str

    @property
    def checksum(self) -> str | None:
        """``algorithm:hex`` as CDI takes it, None when Glance tells none of these."""
        if self.image.get("os_hash_algo") in ("sha256", "sha512") and self.image.get("os_hash_value"):
            return f"{self.image['os_hash_algo']}:{self.image['os_hash_value']}"
        return f"md5:{self.image['checksum']}" if self.image.get("checksum") else None


def open_for_import(backend: Backend, context: Any, row: Mapping[str, Any], image_id: str) -> Source:
    """The image, looked at. Raises Refused."""
    glance = backend.clients.glance
    try:
        image = glance.show(context, image_id)
        _check(backend, image, row)
        inspect(lambda: glance.download(context, image_id), image, row["size"] << 30, backend.conf.vmdk_allowed_types)
        return Source(image, context.auth_token or glance.token(), glance.file_url(image_id))
    except ClientError as problem:
        raise _refused(f"image {image_id}: {problem}") from problem


def facts(image: Mapping[str, Any]) -> dict[str, Any]:
    """What a volume remembers of its image: some facts and every property somebody gave it."""
    found = {"image_id": image["id"], "image_name": image.get("name")}
    found |= {key: image.get(key) for key in _FACTS}
    found |= {key: value for key, value in image.items() if key not in _NOT_PROPERTIES}
    return {key: value for key, value in found.items() if value is not None}


def signature_facts(conf: Any) -> dict[str, Any]:
    """What is remembered of having looked for a signature: there was none, or the image would have been refused."""
    return {"signature_verified": False} if conf.verify_glance_signatures == "enabled" else {}


def facts_of_import(item: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that stand on what an image was written into; none on anything else."""
    return orjson.loads((item["metadata"].get("annotations") or {}).get(FACTS) or "{}")


def _check(backend: Backend, image: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    if image["status"] != "active":
        raise _refused(f"image {image['id']} is {image['status']}, not active")
    if backend.conf.image_conversion_disable and image["disk_format"] not in _AS_IT_IS:
        raise _refused(f"images of format {image['disk_format']} are not converted here", _UNACCEPTABLE)
    if backend.conf.verify_glance_signatures == "enabled" and image.keys() >= _SIGNATURE:
        raise _refused(
            "the image is signed, and there is no key manager to check it with", "SIGNATURE_VERIFICATION_FAILED"
        )
    needed = max(image.get("virtual_size") or 0, image.get("size") or 0)
    if needed > row["size"] * 2**30:
        raise _refused(f"the image needs {needed} bytes, the volume has {row['size']} GiB")


def _refused(why: str, detail: str = "UNKNOWN_ERROR") -> Refused:
    return Refused(why, retry=False, action="COPY_IMAGE_TO_VOLUME", detail=detail)
