"""Create, delete and extend volumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import quotas, workers
from keel_common.kube import KubeError
from keel_volume.endpoints.served import Served
from keel_volume.flows import backups, create, delete, extend
from keel_volume.flows.refusals import Refused

LOG = log.getLogger(__name__)


class Volumes(Served):
    """The life of a volume."""

    def create_volume(
        self, context: Any, volume: Any, request_spec: Any, filter_properties: Any, allow_reschedule: bool
    ) -> None:
        """Begin a volume; a refusal goes back to the scheduler when it may, else into error."""
        with self._reconciler.alone("volume", volume.id):
            backend = self._backend
            row = backend.db.read(rows.volume, volume.id)
            if row is None or row["status"] != "creating":
                LOG.info("volume %s is not wanted any more", volume.id)
                if row is None:
                    backend.db.run(workers.remove, "Volume", volume.id)
                return
            backend.db.run(workers.take, "Volume", row["id"], "creating", self._service_id())
            if backup_id := _source_backup(request_spec):
                backups.fill(backend, context, row, backup_id)
                return
            retry = (filter_properties or {}).get("retry")
            reschedule = None
            if allow_reschedule and request_spec is not None and retry:

                def reschedule(reason: str) -> None:
                    retry["exc"] = [reason]
                    self._reschedule(context, row, request_spec, filter_properties)

            self._begin(context, row, _image_id(request_spec), reschedule)

    def _begin(self, context: Any, row: dict, image_id: str | None, reschedule: Callable[[str], None] | None) -> None:
        """Ask the cluster; while it cannot answer, the reconciler comes back here until the deadline."""
        backend = self._backend
        try:
            create.begin(backend, context, row, image_id)
        except Refused as refusal:
            LOG.error("volume %s: %s", row["id"], refusal)
            if not (self._takes_back(row) and reschedule and refusal.retry):
                create.fail(backend, row, refusal.action, refusal.detail)
            elif backend.db.run(rows.create_rescheduled, row["id"]):
                reschedule(str(refusal))
        except KubeError as problem:
            LOG.warning("volume %s has to wait for the cluster: %s", row["id"], problem)
            backend.unsent[row["id"]] = lambda: self._begin(context, row, image_id, reschedule)
            return
        backend.unsent.pop(row["id"], None)

    def _takes_back(self, row: dict) -> bool:
        """Whether nothing of a refused volume is left here: only then somebody else may have it."""
        try:
            delete.remove(self._backend, row["id"], row)
        except KubeError as problem:
            LOG.error("what was made of volume %s stays until it is deleted: %s", row["id"], problem)
            return False
        return True

    def _reschedule(self, context: Any, row: dict, spec: Any, properties: Any) -> None:
        volume = spec.volume
        volume.host = volume.scheduled_at = volume.cluster_name = None
        volume.reset_changes()
        self._backend.scheduler.send(
            context,
            "create_volume",
            volume=volume,
            snapshot_id=row["snapshot_id"],
            image_id=_image_id(spec),
            request_spec=spec,
            filter_properties=properties,
        )

    def delete_volume(self, context: Any, volume: Any, unmanage_only: bool = False, cascade: bool = False) -> None:
        """Begin the deletion; the row says deleting already."""
        if unmanage_only:
            raise NotImplementedError("unmanaging a claim is not available")
        self._reconciler.soon("volume", volume.id)

    def extend_volume(self, context: Any, volume: Any, new_size: int, reservations: list[str]) -> None:
        """Begin to grow a volume to ``new_size`` GiB."""
        promised = list(reservations or ())
        with self._reconciler.alone("volume", volume.id):
            row = self._backend.db.read(rows.volume, volume.id)
            if row is not None and row["status"] == "extending":
                extend.begin(self._backend, row, int(new_size), promised)
            else:
                LOG.info("volume %s is not to grow any more", volume.id)
                self._backend.db.run(quotas.rollback, promised)


def _source_backup(request_spec: Any) -> str | None:
    """The backup a volume is made from (3.47)."""
    if request_spec is None or isinstance(request_spec, dict):
        return (request_spec or {}).get("backup_id")
    return request_spec.backup_id if request_spec.obj_attr_is_set("backup_id") else None


def _image_id(request_spec: Any) -> str | None:
    """The image of a request; a clone request has none."""
    if request_spec is None:
        return None
    if isinstance(request_spec, dict):
        return request_spec.get("image_id")
    return request_spec.image_id if request_spec.obj_attr_is_set("image_id") else None
