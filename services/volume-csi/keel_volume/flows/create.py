"""Create a volume: the claim (or the import that fills it) is applied, the watch says when it is usable.

The intent stands in the volume row and, for an image, in the DataVolume: a restarted process goes on from there (cinder
29.0.0 flows 1.3; KubeVirt mapping).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder.backend_backups import is_being_filled
from keel_common.kube import DATAVOLUME, PVC, SECRET, KubeError
from keel_volume.backend import Backend
from keel_volume.csi import claims, classes, holdings, naming, observe
from keel_volume.csi.stream_writing import WRITTEN_FOR
from keel_volume.flows import image_cache, images
from keel_volume.flows.refusals import Refused, is_refusal

LOG = log.getLogger(__name__)


def begin(backend: Backend, context: Any, row: Mapping[str, Any], image_id: str | None) -> None:
    """Ask the cluster for the volume. May be called again. Raises Refused, and KubeError when the cluster is not able
    to answer now."""
    _check_encryption(backend, row)
    try:
        if image_id:
            _begin_import(backend, context, row, image_id)
        elif _is_copy(row) and backend.waits_for_consumer(claims.storage_class(row)):
            backend.kube.ensure(DATAVOLUME, claims.copy(row, backend.namespace, backend.access_mode))
        else:
            backend.kube.apply(PVC, claims.claim(row, backend.namespace, backend.access_mode))
    except KubeError as problem:
        if not is_refusal(problem):
            raise
        raise Refused(f"the cluster refused it: {problem}", retry=True) from problem


def _check_encryption(backend: Backend, row: Mapping[str, Any]) -> None:
    """A type that promises encrypted storage gets none that is not, whatever the scheduler thinks."""
    if row["encryption_id"] is None:
        return
    name = claims.storage_class(row)
    if not classes.encrypts(backend.caches.classes.get(name)):
        raise Refused(f"the StorageClass {name} does not say that it encrypts", retry=True)


def _is_copy(row: Mapping[str, Any]) -> bool:
    return bool(row["snapshot_id"] or row["source_volid"])


def _begin_import(backend: Backend, context: Any, row: Mapping[str, Any], image_id: str) -> None:
    source = images.open_for_import(backend, context, row, image_id)
    facts = images.facts(source.image)
    if (clone := image_cache.clone(backend, row, source.image)) is not None:
        kind, body = clone
        body["metadata"].setdefault("annotations", {})[images.FACTS] = orjson.dumps(facts).decode()
        backend.kube.ensure(kind, body)
        return
    facts |= images.signature_facts(backend.conf)
    body = claims.image_import(row, backend.namespace, backend.access_mode, source.url, source.checksum)
    body["metadata"]["annotations"][images.FACTS] = orjson.dumps(facts).decode()
    if source.image.get("updated_at"):
        body["metadata"]["annotations"][image_cache.UPDATED] = source.image["updated_at"]
    backend.kube.apply(SECRET, claims.image_secret(row, backend.namespace, source.token))
    backend.kube.ensure(DATAVOLUME, body)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Look whether a creating volume is usable, refused for good, late or lost, and write that down."""
    name = naming.claim(row)
    claim, data_volume = backend.caches.claims.get(name), backend.caches.imports.get(name)
    first = data_volume or claim
    if first is None:
        _nothing_there(backend, row)
        return
    if is_backups(first):
        return  # The backup service fills it, and writes down that it has.
    if data_volume is None and observe.is_filled_by_import(claim):
        return  # The two mirrors are not in step: without its import the claim tells nothing.
    waits, attempts = backend.waits_for_consumer(claims.storage_class(row)), backend.conf.csi.import_attempts
    seen = observe.creation(claim, data_volume, waits, attempts)
    if seen.ready:
        if not image_cache.is_being_filled(backend, row, first, images.facts_of_import(first).get("image_id")):
            _finish(backend, row, first)
        return
    deadline = backend.import_deadline if data_volume else backend.provision_deadline
    if seen.failed or observe.age(first) > deadline:
        LOG.error("volume %s was not made: %s", row["id"], seen.message)
        of_image = data_volume is not None and not _is_copy(row)
        if of_image:
            _forget_token(backend, row)
        fail(backend, row, "COPY_IMAGE_TO_VOLUME" if of_image else "CREATE_VOLUME_FROM_BACKEND")


def is_backups(item: Mapping[str, Any]) -> bool:
    """Whether a backup is written into this claim."""
    return (holdings.note(item, WRITTEN_FOR) or "").startswith("backup.")


def _nothing_there(backend: Backend, row: Mapping[str, Any]) -> None:
    """The request is still to be sent, has been sent this moment, or was lost on its way to us."""
    again, asked = backend.unsent.get(row["id"]), row["scheduled_at"] or row["created_at"]
    if again is not None and not backend.gives_up_creation(asked):
        again()
    elif (again is not None or backend.is_lost(asked)) and not backend.db.read(is_being_filled, row["id"]):
        name = naming.claim(row)
        if any(backend.kube.find(kind, name, backend.namespace) for kind in (DATAVOLUME, PVC)):
            return  # The mirror is late.
        LOG.error("volume %s was not made: %s", row["id"], "no answer" if again else "the request was lost")
        fail(backend, row, "CREATE_VOLUME_FROM_BACKEND")


def _finish(backend: Backend, row: Mapping[str, Any], made: Mapping[str, Any]) -> None:
    facts: Mapping[str, Any] | None = images.facts_of_import(made)
    if facts:
        _forget_token(backend, row)
    else:
        facts = backend.db.read(rows.copy_image_facts, row)
    if backend.db.run(rows.created, row["id"], facts):
        LOG.info("volume %s is available", row["id"])


def _forget_token(backend: Backend, row: Mapping[str, Any]) -> None:
    """The secret holds a user's token: it goes before the row is written, so that a crash cannot leave it behind."""
    backend.kube.delete(SECRET, claims.image_secret_name(row["id"]), backend.namespace)


def fail(backend: Backend, row: Mapping[str, Any], action: str, detail: str = "DRIVER_FAILED_CREATE") -> None:
    """creating -> error with a message for the user; what was made in the cluster goes when the volume is deleted."""
    backend.unsent.pop(row["id"], None)
    if backend.db.run(rows.create_failed, row["id"]):
        backend.tell_user(dict(row), action, detail)
