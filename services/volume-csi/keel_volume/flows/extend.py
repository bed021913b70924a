"""Extend a volume: the claim asks for more, the watch says when it has it. The intent stands on the claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from oslo_log import log

from keel_common.clients.errors import ClientError
from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import PVC, KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, observe

LOG = log.getLogger(__name__)


def begin(backend: Backend, row: Mapping[str, Any], new_size: int, reservations: list[str]) -> None:
    """Record the wish on the claim together with the request for more; GiB."""
    wish = orjson.dumps({"size": new_size, "reservations": reservations}).decode()
    body = {
        "metadata": {"annotations": {claims.EXTEND: wish}},
        "spec": {"resources": {"requests": {"storage": f"{new_size}Gi"}}},
    }
    try:
        backend.kube.patch(PVC, names.claim(row["id"]), backend.namespace, body)
    except KubeError as problem:
        _fail(backend, row, reservations, str(problem))


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Look whether the claim has grown, and finish."""
    claim = backend.caches.claims.get(names.claim(row["id"]))
    wish = _wish(claim)
    if wish is None:
        return
    size, reservations = wish["size"], wish["reservations"]
    seen = observe.extension(claim, size)
    if not seen.ready:
        if seen.failed:
            _fail(backend, row, reservations, seen.message)
        return
    servers = backend.db.run(rows.extended, row, size, reservations)
    if servers is None:
        return
    LOG.info("volume %s has %d GiB now", row["id"], size)
    _forget(backend, row)
    if servers:
        _tell_servers(backend, row, servers)


def _wish(claim: Mapping | None) -> dict | None:
    text = claim["metadata"].get("annotations", {}).get(claims.EXTEND) if claim else None
    return orjson.loads(text) if text else None


def _fail(backend: Backend, row: Mapping[str, Any], reservations: list[str], message: str) -> None:
    LOG.error("volume %s did not grow: %s", row["id"], message)
    if backend.db.run(rows.extend_failed, row["id"], reservations):
        backend.tell_user(dict(row), "EXTEND_VOLUME", "DRIVER_FAILED_EXTEND")
        _forget(backend, row)


def _forget(backend: Backend, row: Mapping[str, Any]) -> None:
    body = {"metadata": {"annotations": {claims.EXTEND: None}}}
    try:
        backend.kube.patch(PVC, names.claim(row["id"]), backend.namespace, body)
    except KubeError as problem:
        # Harmless: without the status extending nobody reads it, and the next extension overwrites it.
        LOG.warning("the mark of a finished extension stays on volume %s: %s", row["id"], problem)


def _tell_servers(backend: Backend, row: Mapping[str, Any], servers: list[str]) -> None:
    """volume-extended to Nova (2.51); the size stands even when Nova cannot be told (cinder 29.0.0 flows 3.6)."""
    events = [{"name": "volume-extended", "server_uuid": server, "tag": row["id"]} for server in servers]
    try:
        backend.clients.nova.external_events(events, microversion="2.51")
    except ClientError as problem:
        LOG.error("Nova was not told about the new size of %s: %s", row["id"], problem)
        backend.tell_user(dict(row), "EXTEND_VOLUME", "NOTIFY_COMPUTE_SERVICE_FAILED")
