"""Create and delete snapshots."""

from __future__ import annotations

from typing import Any

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import workers
from keel_volume.endpoints.served import Served
from keel_volume.flows import snapshots


class Snapshots(Served):
    """The life of a snapshot."""

    def create_snapshot(self, context: Any, snapshot: Any) -> None:
        """Begin a snapshot."""
        with self._reconciler.alone("snapshot", snapshot.id):
            row = self._backend.db.read(rows.snapshot, snapshot.id)
            if row is not None and row["status"] == "creating":
                self._backend.db.run(workers.take, "Snapshot", row["id"], "creating", self._service_id())
                snapshots.begin(self._backend, row)
            else:
                self._backend.db.run(workers.remove, "Snapshot", snapshot.id)

    def delete_snapshot(self, context: Any, snapshot: Any, unmanage_only: bool = False) -> None:
        """Begin the deletion of a snapshot."""
        if unmanage_only:
            raise NotImplementedError("unmanaging a snapshot is not available")
        self._reconciler.soon("snapshot", snapshot.id)
