"""Create a volume: the claim (or the import that fills it) is applied, the watch says when it is usable.

The intent stands in the volume row and, for an image, in the DataVolume: a
restarted process goes on from there (cinder 29.0.0 flows 1.3; KubeVirt mapping).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.clients.errors import ClientError
from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import DATAVOLUME, PVC, SECRET, KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, observe

LOG = log.getLogger(__name__)

#: Facts of an image that a bootable volume remembers (cinder 29.0.0 flows 1.6).
_IMAGE_FACTS = ("checksum", "container_format", "disk_format", "min_disk", "min_ram", "size")
_IMAGE_ANNOTATION = "openstack.org/image-id"
_FORMATS = ("raw", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "iso")
_NOT_PROPERTIES = frozenset(
    (
        "id name status visibility protected owner created_at updated_at tags self file schema locations direct_url "
        "os_hidden os_hash_algo os_hash_value virtual_size stores"
    ).split()
).union(_IMAGE_FACTS)


class Refused(Exception):
    """The volume cannot be made here. ``retry``: another backend may be asked. ``detail`` names the user message."""

    def __init__(self, message: str, *, retry: bool, detail: str = "DRIVER_FAILED_CREATE"):
        super().__init__(message)
        self.retry = retry
        self.detail = detail


def begin(backend: Backend, context: Any, row: Mapping[str, Any], image_id: str | None) -> None:
    """Ask the cluster for the volume. May be called again. Raises Refused."""
    if image_id:
        _begin_import(backend, context, row, image_id)
        return
    try:
        backend.kube.apply(PVC, claims.claim(row, backend.namespace, backend.access_mode))
    except KubeError as problem:
        raise Refused(f"the claim was refused: {problem}", retry=True) from problem


def _begin_import(backend: Backend, context: Any, row: Mapping[str, Any], image_id: str) -> None:
    glance = backend.clients.glance
    try:
        image = glance.show(context, image_id)
        _check_image(image, row)
        secret = claims.image_secret(row, backend.namespace, context.auth_token or glance.token())
        body = claims.image_import(row, backend.namespace, backend.access_mode, glance.file_url(image_id))
    except ClientError as problem:
        raise Refused(f"image {image_id}: {problem}", retry=False) from problem
    body["metadata"]["annotations"][_IMAGE_ANNOTATION] = image_id
    try:
        backend.kube.apply(SECRET, secret)
        backend.kube.ensure(DATAVOLUME, body)
    except KubeError as problem:
        raise Refused(f"the import was refused: {problem}", retry=True) from problem


def _check_image(image: Mapping[str, Any], row: Mapping[str, Any]) -> None:
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


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Look whether a creating volume is usable, refused for good or late, and write that down."""
    name = names.claim(row["id"])
    claim, data_volume = backend.caches.claims.get(name), backend.caches.imports.get(name)
    first = data_volume or claim
    if first is None:
        return
    seen = observe.creation(claim, data_volume, backend.waits_for_consumer(claims.storage_class(row)))
    if seen.ready:
        _finish(backend, row, data_volume)
        return
    deadline = backend.import_deadline if data_volume else backend.provision_deadline
    if seen.failed or observe.age(first) > deadline:
        LOG.error("volume %s was not made: %s", row["id"], seen.message)
        fail(backend, row, "COPY_IMAGE_TO_VOLUME" if data_volume else "CREATE_VOLUME_FROM_BACKEND")


def _finish(backend: Backend, row: Mapping[str, Any], data_volume: Mapping | None) -> None:
    facts = _image_facts(backend, data_volume) if data_volume else backend.db.read(rows.copy_image_facts, row)
    if backend.db.run(rows.created, row["id"], facts):
        LOG.info("volume %s is available", row["id"])
    if data_volume:
        backend.kube.delete(SECRET, claims.image_secret_name(row["id"]), backend.namespace)


def _image_facts(backend: Backend, data_volume: Mapping) -> dict[str, Any]:
    """What the volume remembers of its image; at the least the id when the image has gone meanwhile."""
    image_id = data_volume["metadata"].get("annotations", {}).get(_IMAGE_ANNOTATION)
    if not image_id:
        return {}
    try:
        image = backend.clients.glance.show(None, image_id)
    except ClientError as problem:
        LOG.warning("image %s of a new volume cannot be read any more: %s", image_id, problem)
        return {"image_id": image_id}
    facts = {"image_id": image_id, "image_name": image.get("name")}
    facts |= {key: image[key] for key in _IMAGE_FACTS if image.get(key) is not None}
    facts |= {key: value for key, value in image.items() if key not in _NOT_PROPERTIES and value is not None}
    return {key: value for key, value in facts.items() if value is not None}


def fail(backend: Backend, row: Mapping[str, Any], action: str, detail: str = "DRIVER_FAILED_CREATE") -> None:
    """creating -> error with a message for the user; what was made in the cluster goes when the volume is deleted."""
    if backend.db.run(rows.create_failed, row["id"]):
        backend.tell_user(dict(row), action, detail)
