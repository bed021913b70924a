"""What the cluster still holds of volumes and snapshots that are deleted in the database.

It comes to be when a lost answer, a forced deletion or a crash crosses a creation. Only rows that are there and marked
as deleted count: objects of another deployment in the same namespace have no row here and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import SNAPSHOT, names
from keel_volume.backend import Backend
from keel_volume.flows import delete

LOG = log.getLogger(__name__)


def find(backend: Backend) -> tuple[Iterable[str], Iterable[str]]:
    """Ids of deleted volumes and of deleted snapshots that the mirrors of the cluster still show."""
    caches = backend.caches
    shown = {
        "volumes": [_label(item, names.VOLUME) for item in (*caches.claims.items(), *caches.imports.items())],
        "snapshots": [_label(item, names.SNAPSHOT) for item in caches.snapshots.items()],
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
        backend.kube.delete(SNAPSHOT, names.snapshot(resource_id), backend.namespace)


def _is_shown(backend: Backend, kind: str, resource_id: str) -> bool:
    """Whether an object with our label stands in the mirrors and is not on its way out already."""
    caches = backend.caches
    if kind == "volume":
        name, label = names.claim(resource_id), names.VOLUME
        held = [caches.claims.get(name), caches.imports.get(name)]
    else:
        label = names.SNAPSHOT
        held = [caches.snapshots.get(names.snapshot(resource_id))]
    return any(
        _label(item, label) == resource_id and not item["metadata"].get("deletionTimestamp") for item in held if item
    )


def _label(item: dict, name: str) -> str | None:
    labels = item["metadata"].get("labels") or {}
    return labels.get(name) if labels.get(names.MANAGED_BY) == names.STORAGE else None
