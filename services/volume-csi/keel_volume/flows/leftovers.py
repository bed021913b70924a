"""What the cluster still holds of volumes and snapshots that are deleted in the database.

It comes to be when a lost answer, a forced deletion or a crash crosses a creation. Only rows that are there and marked
as deleted count: objects of another deployment in the same namespace have no row here and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import SNAPSHOT, names
from keel_volume.backend import Backend
from keel_volume.csi import holdings
from keel_volume.flows import delete

LOG = log.getLogger(__name__)


def find(backend: Backend) -> tuple[Iterable[str], Iterable[str]]:
    """Ids of deleted volumes and of deleted snapshots that the mirrors of the cluster still show."""
    caches = backend.caches
    shown = {
        "volumes": [holdings.label(item, names.VOLUME) for item in (*caches.claims.items(), *caches.imports.items())],
        "snapshots": [holdings.label(item, names.SNAPSHOT) for item in caches.snapshots.items()],
    }
    found = {
        name: backend.db.read(rows.deleted_among, name, {one for one in ids if one}) for name, ids in shown.items()
    }
    return found["volumes"], found["snapshots"]


def remove(backend: Backend, kind: str, resource_id: str) -> None:
    """Take away what is left of a volume or snapshot whose row is deleted."""
    if not _is_shown(backend, kind, resource_id):
        return
    if not backend.db.read(rows.deleted_among, f"{kind}s", [resource_id]):
        return
    LOG.warning("%s %s is deleted and still in the cluster: it is taken away", kind, resource_id)
    if kind == "volume":
        delete.remove(backend, resource_id)
    else:
        for item in _snapshots(backend, resource_id):
            backend.kube.delete(SNAPSHOT, item["metadata"]["name"], backend.namespace)


def _is_shown(backend: Backend, kind: str, resource_id: str) -> bool:
    """Whether an object with our label stands in the mirrors and is not on its way out already."""
    held = holdings.shown(backend, resource_id) if kind == "volume" else _snapshots(backend, resource_id)
    return any(not item["metadata"].get("deletionTimestamp") for item in held)


def _snapshots(backend: Backend, snapshot_id: str) -> list[Mapping[str, Any]]:
    items = backend.caches.snapshots.items()
    return [item for item in items if holdings.label(item, names.SNAPSHOT) == snapshot_id]
