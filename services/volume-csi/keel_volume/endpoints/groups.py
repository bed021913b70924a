"""Groups, group snapshots and the consistency groups of the old API, which are groups of a certain type."""

from __future__ import annotations

from typing import Any

from keel_common.db.stores.cinder import backend_groups as store
from keel_volume.endpoints.served import Served
from keel_volume.flows import groups


class Groups(Served):
    """The life of groups. Their rows say what is wanted, but for the volumes of a change."""

    def create_group(self, context: Any, group: Any) -> None:
        """A group without volumes: there at once."""
        self._reconciler.soon("group", group.id)

    def create_group_from_src(
        self, context: Any, group: Any, group_snapshot: Any = None, source_group: Any = None
    ) -> None:
        """Begin the volumes of a group that is a copy; the rows name what each is a copy of."""
        self._reconciler.soon("group", group.id)

    def update_group(
        self, context: Any, group: Any, add_volumes: str | None = None, remove_volumes: str | None = None
    ) -> None:
        """Put volumes (ids with commas) into a group and take others out."""
        with self._reconciler.alone("group", group.id):
            groups.update(self._backend, group.id, _ids(add_volumes), _ids(remove_volumes))

    def delete_group(self, context: Any, group: Any) -> None:
        """Delete a group and its volumes; their rows say so already."""
        for volume in self._backend.db.read(store.volumes, group.id):
            self._reconciler.soon("volume", volume["id"])
        self._reconciler.soon("group", group.id)

    def create_group_snapshot(self, context: Any, group_snapshot: Any) -> None:
        """Take a snapshot of every volume of a group."""
        self._reconciler.soon("group_snapshot", group_snapshot.id)

    def delete_group_snapshot(self, context: Any, group_snapshot: Any) -> None:
        """Delete the snapshots of a group snapshot; their rows say so already."""
        for snapshot in self._backend.db.read(store.snapshots, group_snapshot.id):
            self._reconciler.soon("snapshot", snapshot["id"])
        self._reconciler.soon("group_snapshot", group_snapshot.id)

    def enable_replication(self, context: Any, group: Any) -> None:
        """This backend has no replication."""
        groups.refuse_replication(self._backend, group.id)

    def disable_replication(self, context: Any, group: Any) -> None:
        """This backend has no replication."""
        groups.refuse_replication(self._backend, group.id)

    def failover_replication(
        self, context: Any, group: Any, allow_attached_volume: bool = False, secondary_backend_id: str | None = None
    ) -> None:
        """This backend has no replication."""
        groups.refuse_replication(self._backend, group.id)

    def list_replication_targets(self, context: Any, group: Any) -> dict[str, Any]:
        """There are none."""
        return {"replication_targets": []}


def _ids(text: str | None) -> list[str]:
    return [part for part in (text or "").split(",") if part]
