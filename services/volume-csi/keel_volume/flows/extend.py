"""Extend a volume: the claim asks for more, the watch says when it has it. The intent stands on the claim."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
from oslo_log import log

from keel_common.clients.errors import ClientError
from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import placement, quotas
from keel_common.kube import PVC, KubeError, NotFound, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, naming, observe

LOG = log.getLogger(__name__)


def begin(backend: Backend, row: Mapping[str, Any], new_size: int, reservations: list[str]) -> None:
    """Record the wish on the claim together with the request for more; GiB.

    A cluster that does not take it has changed nothing: the volume is as before, and the user is told.
    """
    wish = {"size": new_size, "reservations": reservations, "since": datetime.now(UTC).isoformat()}
    body = {
        "metadata": {"annotations": {claims.EXTEND: orjson.dumps(wish).decode()}},
        "spec": {"resources": {"requests": {"storage": f"{new_size}Gi"}}},
    }
    try:
        backend.kube.patch(PVC, naming.claim(row), backend.namespace, body)
    except NotFound:
        _fail(backend, row, reservations, "its claim does not exist")
    except KubeError as problem:
        LOG.error("volume %s cannot grow: %s", row["id"], problem)
        if backend.db.run(placement.extension_refused, row["id"], reservations):
            backend.tell_user(dict(row), "EXTEND_VOLUME", "DRIVER_FAILED_EXTEND")


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Look whether the claim has grown, and finish."""
    claim = backend.caches.claims.get(naming.claim(row))
    wish = _wish(claim)
    if wish is None:
        if backend.is_lost(row["updated_at"]):
            _give_back(backend, row)
        return
    size, reservations = wish["size"], wish["reservations"]
    seen = observe.extension(claim, size, attached=row["attach_status"] == "attached")
    if seen.ready:
        if backend.db.run(rows.extended, row, size, reservations):
            LOG.info("volume %s has %d GiB now", row["id"], size)
            settle(backend, {**row, "size": size})
    elif seen.failed or _age(wish) > backend.extend_deadline:
        _fail(backend, row, reservations, seen.message)


def marked(backend: Backend) -> list[str]:
    """Ids of the volumes whose claims bear the mark of an extension."""
    labels = (item["metadata"].get("labels") or {} for item in backend.caches.claims.items() if _wish(item))
    return [found[names.VOLUME] for found in labels if names.VOLUME in found]


def settle(backend: Backend, row: Mapping[str, Any]) -> None:
    """Take the mark of an extension away that is over, whoever ended it: servers are told of a size that came true,
    promised quota of one that did not is given back."""
    name = naming.claim(row)
    if _wish(backend.caches.claims.get(name)) is None:
        return
    wish = _wish(backend.kube.find(PVC, name, backend.namespace))
    if wish is None:
        return
    if row["size"] >= wish["size"]:
        _tell_servers(backend, row)
    else:
        backend.db.run(quotas.rollback, wish["reservations"])
    backend.kube.patch(PVC, name, backend.namespace, {"metadata": {"annotations": {claims.EXTEND: None}}})


def _give_back(backend: Backend, row: Mapping[str, Any]) -> None:
    """Nothing tells of the wish: it was lost on its way, or its claim is not there any more."""
    claim = backend.kube.find(PVC, naming.claim(row), backend.namespace)
    if claim is None:
        _fail(backend, row, [], "its claim does not exist")
    elif _wish(claim) is None:
        LOG.error("the request to extend volume %s was lost", row["id"])
        if backend.db.run(rows.extension_lost, row):
            backend.tell_user(dict(row), "EXTEND_VOLUME", "DRIVER_FAILED_EXTEND")


def _wish(claim: Mapping | None) -> dict | None:
    text = (claim["metadata"].get("annotations") or {}).get(claims.EXTEND) if claim else None
    return orjson.loads(text) if text else None


def _age(wish: Mapping[str, Any]) -> Any:
    return datetime.now(UTC) - datetime.fromisoformat(wish["since"])


def _fail(backend: Backend, row: Mapping[str, Any], reservations: list[str], message: str) -> None:
    LOG.error("volume %s did not grow: %s", row["id"], message)
    if backend.db.run(rows.extend_failed, row["id"], reservations):
        backend.tell_user(dict(row), "EXTEND_VOLUME", "DRIVER_FAILED_EXTEND")
        settle(backend, row)


def _tell_servers(backend: Backend, row: Mapping[str, Any]) -> None:
    """volume-extended to Nova (2.51); the size stands even when Nova cannot be told (cinder 29.0.0 flows 3.6)."""
    servers = backend.db.read(rows.servers_of, row["id"])
    if not servers:
        return
    events = [{"name": "volume-extended", "server_uuid": server, "tag": row["id"]} for server in servers]
    try:
        backend.clients.nova.external_events(events, microversion="2.51")
    except ClientError as problem:
        LOG.error("Nova was not told about the new size of %s: %s", row["id"], problem)
        backend.tell_user(dict(row), "EXTEND_VOLUME", "NOTIFY_COMPUTE_SERVICE_FAILED")
