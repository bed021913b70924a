"""Write a volume into an image: read out of the cluster, packed, sent to Glance as one stream, compared, written down.

Phases: an order (flows.orders) - a try - the image active and equal to what was sent - the order ended - the row - no
order (cinder 29.0.0 flows 11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.clients.errors import ClientError, NotFound
from keel_common.db.stores.cinder import backend_images as rows
from keel_common.kube import KubeError
from keel_volume.backend import Backend
from keel_volume.csi import naming, streams
from keel_volume.flows import image_packing, orders
from keel_volume.flows.image_converting import Converter
from keel_volume.flows.orders import Order
from keel_volume.flows.refusals import Refused, is_client_refusal, is_refusal

LOG = log.getLogger(__name__)

VERB = "upload"
DONE, FAILED = "done", "failed"
#: Statuses of an image in which somebody gives it its data.
_FILLING = ("saving", "uploading", "importing")


def begin(backend: Backend, context: Any, row: Mapping[str, Any], image: Mapping[str, Any]) -> None:
    """Write the order down; the rest follows. While the cluster does not answer, it is held here and tried again."""
    try:
        orders.keep(backend, row, VERB, image, context.auth_token or "")
    except KubeError as problem:
        if is_refusal(problem):
            _give_up(backend, row, image, context, f"the cluster refused it: {problem}")
            return
        LOG.warning("the upload of volume %s has to wait for the cluster: %s", row["id"], problem)
        backend.unsent[row["id"]] = lambda: begin(backend, context, row, image)
        return
    backend.unsent.pop(row["id"], None)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Start the stream, or write down how it ended, or end what nothing tells of."""
    if backend.transfers.runs("volume", row["id"]):
        return
    order = orders.read(backend, row, VERB)
    if order is None:
        _nothing_known(backend, row)
    elif order.outcome:
        _settle(backend, row, order.outcome)
    else:
        backend.transfers.run("volume", row["id"], lambda: _try(backend, row, order))


def _nothing_known(backend: Backend, row: Mapping[str, Any]) -> None:
    """The request is still to be written down, or was lost on its way to us."""
    again = backend.unsent.get(row["id"])
    if again is not None and not backend.gives_up_creation(row["updated_at"]):
        again()
    elif again is not None or backend.is_lost(row["updated_at"]):
        LOG.error("the request to upload volume %s was lost", row["id"])
        backend.unsent.pop(row["id"], None)
        _write(backend, row, FAILED)


def _try(backend: Backend, row: Mapping[str, Any], order: Order) -> None:
    try:
        if order.tries >= backend.conf.csi.transfer_attempts or order.age() > backend.import_deadline:
            raise Refused("it was tried often and long enough", retry=False)
        _copy(backend, row, order)
        _end(backend, row, order, DONE)
    except Refused as refusal:
        _fail(backend, row, order, str(refusal))
    except ClientError as problem:
        if is_client_refusal(problem):
            _fail(backend, row, order, str(problem))
        else:
            LOG.warning("the upload of volume %s waits for Glance: %s", row["id"], problem)
    except (streams.Interrupted, KubeError) as problem:
        LOG.warning("the upload of volume %s begins again: %s", row["id"], problem)


def _copy(backend: Backend, row: Mapping[str, Any], order: Order) -> None:
    """Fill the image, or see that it is filled. Raises Refused and what passes."""
    glance, context, wanted = backend.clients.glance, order.context(row), order.facts
    image = glance.show(context, wanted["id"])
    if image["status"] in _FILLING:
        raise streams.Interrupted(f"the image is {image['status']}")
    if image["status"] not in ("queued", "active"):
        raise Refused(f"the image is {image['status']}", retry=False)
    image_packing.check(wanted["disk_format"])
    purpose = streams.Purpose("volume", row["id"], row["project_id"])
    orders.tried(backend, row, order)
    with streams.reading(backend, naming.claim(row), purpose) as stream:
        converter = Converter.of(backend.conf, f"upload-{row['id']}")
        packed = image_packing.pack(stream, wanted["disk_format"], wanted["container_format"], converter)
        if image["status"] == "queued":
            glance.upload(context, wanted["id"], packed)
        else:
            for _ in packed:  # Sent by somebody who died before it was written down: is it what it should be?
                continue
    _compare(glance.show(context, wanted["id"]), packed)


def _compare(image: Mapping[str, Any], sent: image_packing.Packed) -> None:
    if image["status"] != "active":
        raise streams.Interrupted(f"the image is {image['status']} after its data")
    digest = image.get("os_hash_value") if image.get("os_hash_algo") == "sha512" else None
    if image.get("size") != sent.size or digest not in (None, sent.digest):
        raise Refused(f"Glance has {image.get('size')} bytes of other content than the {sent.size} sent", retry=False)


def _fail(backend: Backend, row: Mapping[str, Any], order: Order, why: str) -> None:
    LOG.error("volume %s was not uploaded: %s", row["id"], why)
    _drop_image(backend, order.facts["id"], order.context(row))
    _end(backend, row, order, FAILED)


def _give_up(backend: Backend, row: Mapping[str, Any], image: Mapping[str, Any], context: Any, why: str) -> None:
    LOG.error("volume %s was not uploaded: %s", row["id"], why)
    _drop_image(backend, image["id"], context)
    _write(backend, row, FAILED)


def _drop_image(backend: Backend, image_id: str, context: Any) -> None:
    """An image without its data, or with another's, is of no use."""
    try:
        backend.clients.glance.delete(context, image_id)
    except NotFound:
        return
    except ClientError as problem:
        LOG.error("image %s stays: %s", image_id, problem)


def _end(backend: Backend, row: Mapping[str, Any], order: Order, outcome: str) -> None:
    orders.ended(backend, row, order, outcome)
    _settle(backend, row, outcome)


def _settle(backend: Backend, row: Mapping[str, Any], outcome: str) -> None:
    _write(backend, row, outcome)
    orders.forget(backend, row)


def _write(backend: Backend, row: Mapping[str, Any], outcome: str) -> None:
    """uploading -> in-use or available, by its attachments, whatever came of it."""
    if not backend.db.run(rows.uploaded, row["id"]):
        return
    if outcome == DONE:
        LOG.info("volume %s is uploaded", row["id"])
    else:
        backend.tell_user(dict(row), "COPY_VOLUME_TO_IMAGE", "FAILED_TO_UPLOAD_VOLUME")
