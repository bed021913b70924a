"""Delete a volume: import, claim and secret go; when the cluster has let go, so do row and quota."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import DATAVOLUME, PVC, SECRET, SNAPSHOT, KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims

LOG = log.getLogger(__name__)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Ask for deletion (again) and finish once nothing is there any more."""
    name = names.claim(row["id"])
    try:
        still_there = _remove(backend, row, name)
    except KubeError as problem:
        LOG.error("volume %s cannot be deleted: %s", row["id"], problem)
        backend.db.run(rows.delete_failed, row["id"])
        return
    if still_there:
        return
    if backend.db.run(rows.deleted, backend.quota, row):
        LOG.info("volume %s is gone", row["id"])


def _remove(backend: Backend, row: Mapping[str, Any], name: str) -> bool:
    """Whether anything of the volume is still in the cluster after asking for its deletion."""
    kube, namespace = backend.kube, backend.namespace
    for snapshot in kube.list(SNAPSHOT, namespace, {names.VOLUME: row["id"]}):
        # A cascade: the API has set these to deleting (cinder 29.0.0 flows 2.5).
        kube.delete(SNAPSHOT, snapshot["metadata"]["name"], namespace)
    kube.delete(SECRET, claims.image_secret_name(row["id"]), namespace)
    kube.delete(DATAVOLUME, name, namespace)
    kube.delete(PVC, name, namespace)
    return any(kube.find(kind, name, namespace) is not None for kind in (DATAVOLUME, PVC))
