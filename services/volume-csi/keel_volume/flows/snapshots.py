"""Snapshots: a VolumeSnapshot each, usable when the cluster says readyToUse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import SNAPSHOT, KubeError
from keel_volume.backend import Backend
from keel_volume.csi import claims, naming, observe
from keel_volume.flows.refusals import is_refusal

LOG = log.getLogger(__name__)


def begin(backend: Backend, row: Mapping[str, Any]) -> None:
    """Ask the cluster for the snapshot. May be called again: what the cluster cannot take now, the audit asks again."""
    try:
        backend.kube.ensure(SNAPSHOT, claims.snapshot(row, backend.namespace, backend.conf.csi.snapshot_class))
    except KubeError as problem:
        if is_refusal(problem) or backend.gives_up_creation(row["created_at"]):
            _fail(backend, row, f"the snapshot was refused: {problem}")
        else:
            LOG.warning("snapshot %s cannot be asked for now: %s", row["id"], problem)


def advance_creation(backend: Backend, row: Mapping[str, Any]) -> None:
    """Look whether a creating snapshot is usable or late; ask for it again when the request was lost."""
    item = backend.caches.snapshots.get(naming.snapshot(row))
    if item is None:
        if backend.is_lost(row["created_at"]):
            begin(backend, row)
        return
    seen = observe.snapshot(item)
    if seen.ready:
        if backend.db.run(rows.snapshot_created, row):
            LOG.info("snapshot %s is available", row["id"])
    elif observe.age(item) > backend.provision_deadline:
        _fail(backend, row, seen.message)


def advance_deletion(backend: Backend, row: Mapping[str, Any]) -> None:
    """Ask for deletion (again) and finish once it is gone. Waits for volumes that are being made from it."""
    if backend.db.read(rows.is_being_restored, row["id"]):
        return
    name = naming.snapshot(row)
    try:
        backend.kube.delete(SNAPSHOT, name, backend.namespace)
        still_there = backend.kube.find(SNAPSHOT, name, backend.namespace) is not None
    except KubeError as problem:
        LOG.error("snapshot %s cannot be deleted: %s", row["id"], problem)
        gives_up = is_refusal(problem) or backend.gives_up_deletion(row["updated_at"])
        if gives_up and backend.db.run(rows.snapshot_delete_failed, row["id"]):
            backend.tell_user(dict(row), "SNAPSHOT_DELETE", "SNAPSHOT_DELETE_ERROR", "VOLUME_SNAPSHOT")
        return
    if not still_there and backend.db.run(rows.snapshot_deleted, backend.quota, row):
        LOG.info("snapshot %s is gone", row["id"])


def _fail(backend: Backend, row: Mapping[str, Any], message: str) -> None:
    LOG.error("snapshot %s was not made: %s", row["id"], message)
    if backend.db.run(rows.snapshot_failed, row["id"]):
        backend.tell_user(dict(row), "SNAPSHOT_CREATE", "SNAPSHOT_CREATE_ERROR", "VOLUME_SNAPSHOT")
