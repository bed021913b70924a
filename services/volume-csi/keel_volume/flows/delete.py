"""Delete a volume: import, claim and secret go; when the cluster has let go, so do row and quota."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import SECRET, KubeError
from keel_volume.backend import Backend
from keel_volume.csi import claims, holdings
from keel_volume.flows import image_cache, snapshots
from keel_volume.flows.refusals import is_refusal

LOG = log.getLogger(__name__)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Ask for deletion (again) and finish once nothing is there any more.

    Waits for clones of it that are being made: a claim that goes too early would leave them empty.
    """
    backend.unsent.pop(row["id"], None)
    image_cache.forget(backend, row)
    if backend.db.read(rows.is_being_copied, row["id"]) or not _snapshots_gone(backend, row):
        return
    held = holdings.names_of(backend, row["id"], row)
    try:
        remove(backend, row["id"], row)
        left = holdings.are_there(backend, held)
    except KubeError as problem:
        LOG.error("volume %s cannot be deleted: %s", row["id"], problem)
        if is_refusal(problem) or backend.gives_up_deletion(row["terminated_at"]):
            backend.db.run(rows.delete_failed, row["id"])
        return
    if not left and backend.db.run(rows.deleted, backend.quota, row):
        LOG.info("volume %s is gone", row["id"])


def remove(backend: Backend, volume_id: str, row: Mapping[str, Any] | None = None) -> None:
    """Ask the cluster to delete all that a volume has there (without a row: what bears its label). Raises KubeError."""
    backend.kube.delete(SECRET, claims.image_secret_name(volume_id), backend.namespace)
    holdings.remove(backend, holdings.names_of(backend, volume_id, row))


def _snapshots_gone(backend: Backend, row: Mapping[str, Any]) -> bool:
    """A cascade: the API has set these to deleting (cinder 29.0.0 flows 2.5). Each goes with its own quota."""
    for cut in backend.db.read(rows.snapshots_of, row["id"]):
        if cut["status"] == "deleting":
            snapshots.advance_deletion(backend, cut)
    left = {cut["status"] for cut in backend.db.read(rows.snapshots_of, row["id"])}
    if left - {"deleting"}:
        LOG.error("volume %s cannot be deleted: it has snapshots in %s", row["id"], ", ".join(sorted(left)))
        backend.db.run(rows.delete_failed, row["id"])
    return not left
