"""Write an image over a volume: a claim filled with it takes the place of the volume's own; the volume stays who it is.

Phases: an order (flows.orders) - the image looked at - a stand-in (flows.stand_in) that CDI fills - the row, on its new
claim - Nova told, where a server waits for it - the old claim gone (cinder 29.0.0 flows 12). What the volume held
before is there until the row has changed: an image that cannot be written costs nothing but the status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.clients.errors import ClientError
from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import backend_images
from keel_common.kube import KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, holdings, naming
from keel_volume.flows import create, images, orders, stand_in
from keel_volume.flows.orders import Order
from keel_volume.flows.refusals import Refused, is_refusal

LOG = log.getLogger(__name__)

VERB = "reimage"
#: Annotation on the new claim of a volume whose servers wait to be told.
TELL = "openstack.org/reimaged-tell"


def begin(
    backend: Backend, context: Any, row: Mapping[str, Any], image: Mapping[str, Any], snapshot_id: str | None
) -> None:
    """Write the order down; the rest follows. While the cluster does not answer, it is held here and tried again."""
    facts = {"image": images.facts(image), "snapshot": snapshot_id}
    try:
        orders.keep(backend, row, VERB, facts, context.auth_token or "")
    except KubeError as problem:
        if is_refusal(problem):
            _fail(backend, row, f"the cluster refused it: {problem}")
            return
        LOG.warning("the new image of volume %s has to wait for the cluster: %s", row["id"], problem)
        backend.unsent[row["id"]] = lambda: begin(backend, context, row, image, snapshot_id)
        return
    backend.unsent.pop(row["id"], None)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Take the next step; a volume without a status before is being made by somebody else's rules."""
    if not row["previous_status"]:
        create.advance(backend, row)
        return
    if backend.transfers.runs("volume", row["id"]):
        return
    order = orders.read(backend, row, VERB)
    if order is None:
        _nothing_known(backend, row)
    elif order.facts["snapshot"] or "url" in order.facts:
        _fill(backend, row, order)
    else:
        backend.transfers.run("volume", row["id"], lambda: _look(backend, row, order))


def _nothing_known(backend: Backend, row: Mapping[str, Any]) -> None:
    """The request is still to be written down, or was lost on its way to us."""
    again = backend.unsent.get(row["id"])
    if again is not None and not backend.gives_up_creation(row["updated_at"]):
        again()
    elif again is not None or backend.is_lost(row["updated_at"]):
        backend.unsent.pop(row["id"], None)
        _fail(backend, row, "the request was lost")


def _look(backend: Backend, row: Mapping[str, Any], order: Order) -> None:
    """Before anything is done: is the image what it says it is."""
    try:
        source = images.open_for_import(backend, order.context(row), row, order.facts["image"]["image_id"])
        found = {"url": source.url, "checksum": source.checksum, "image": images.facts(source.image)}
        orders.note(backend, row, order, found, source.token)
    except Refused as refusal:
        _fail(backend, row, str(refusal), refusal.detail)
    except KubeError as problem:
        LOG.warning("the new image of volume %s has to wait for the cluster: %s", row["id"], problem)


def _fill(backend: Backend, row: Mapping[str, Any], order: Order) -> None:
    facts = order.facts
    if facts["snapshot"]:
        cut = backend.db.read(rows.snapshot, facts["snapshot"])
        if cut is None:
            _fail(backend, row, "the snapshot of its image is gone")
            return
        like = {"source_volid": None, "snapshot_id": cut["id"], "snapshot_location": naming.snapshot(cut)}
        seen = stand_in.step(backend, row, f"reimage {cut['id']}", like)
    else:
        like = {"source_volid": None, "snapshot_id": None}
        purpose = f"reimage {facts['image']['image_id']} {order.since.isoformat()}"
        seen = stand_in.step(backend, row, purpose, like, lambda wanted: _import(backend, wanted, facts))
    if seen.ready:
        _finish(backend, row, facts["image"])
    elif seen.failed:
        _fail(backend, row, seen.message)


def _import(backend: Backend, wanted: Mapping[str, Any], facts: Mapping[str, Any]) -> dict:
    return claims.image_import(wanted, backend.namespace, backend.access_mode, facts["url"], facts["checksum"])


def _finish(backend: Backend, row: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    claim = naming.next_claim(row)
    if row["previous_status"] == "reserved":
        _mark(backend, claim, "servers wait")
    if not backend.db.run(backend_images.reimaged, row, claim, facts):
        return
    LOG.info("volume %s holds image %s, in claim %s", row["id"], facts["image_id"], claim)
    orders.forget(backend, row)
    changed = {**row, "status": row["previous_status"], "provider_location": claim}
    if row["previous_status"] == "reserved":
        _tell(backend, changed, claim)
    stand_in.settle(backend, changed)


def settle(backend: Backend, row: Mapping[str, Any]) -> None:
    """Tell Nova of the new content when the mark says that it waits: after a crash, perhaps once more."""
    claim = naming.claim(row)
    if holdings.note(backend.caches.claims.get(claim), TELL) is not None and _is_marked(backend, claim):
        _tell(backend, row, claim)


def _tell(backend: Backend, row: Mapping[str, Any], claim: str) -> None:
    servers = backend.db.read(rows.servers_of, row["id"])
    events = [{"name": "volume-reimaged", "server_uuid": server, "tag": row["id"]} for server in servers]
    try:
        if events:
            backend.clients.nova.external_events(events, microversion="2.93")
    except ClientError as problem:
        LOG.error("Nova was not told about the new image of %s: %s", row["id"], problem)
        backend.tell_user(dict(row), "REIMAGE_VOLUME", "REIMAGE_VOLUME_FAILED")
    _mark(backend, claim, None)


def marked(backend: Backend) -> list[str]:
    """Ids of the volumes whose servers may still have to be told."""
    found = (holdings.label(item, names.VOLUME) for item in backend.caches.claims.items() if holdings.note(item, TELL))
    return sorted({volume for volume in found if volume})


def _mark(backend: Backend, claim: str, text: str | None) -> None:
    backend.kube.patch(holdings.KINDS[-1], claim, backend.namespace, {"metadata": {"annotations": {TELL: text}}})


def _is_marked(backend: Backend, claim: str) -> bool:
    """In the cluster: the mirror may be late."""
    return holdings.note(backend.kube.find(holdings.KINDS[-1], claim, backend.namespace), TELL) is not None


def _fail(backend: Backend, row: Mapping[str, Any], why: str, detail: str = "UNKNOWN_ERROR") -> None:
    LOG.error("volume %s was not written over: %s", row["id"], why)
    if backend.db.run(backend_images.reimage_failed, row):
        backend.tell_user(dict(row), "REIMAGE_VOLUME", detail)
        orders.forget(backend, row)
        stand_in.settle(backend, {**row, "status": "error"})
