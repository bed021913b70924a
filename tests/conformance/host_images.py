"""Images a nova-compute at the edge writes: snapshots, backups, and what a shelved server comes back from."""

from __future__ import annotations

from typing import Any

from conformance.host_records import OFF, RUNNING, HostRecords, now, to


class HostImages(HostRecords):
    """Snapshots of servers."""

    def snapshot_instance(self, context: Any, instance: Any, image_id: str) -> None:
        with self._event(context, instance, "snapshot_instance"):
            self._upload(context, image_id)
            self._save(context, instance, task_state=None)

    def backup_instance(self, context: Any, instance: Any, image_id: str, backup_type: str, rotation: int) -> None:
        with self._event(context, instance, "backup_instance"):
            self._upload(context, image_id)
            self._save(context, instance, task_state=None)

    def _upload(self, context: Any, image_id: str) -> None:
        self._peers.glance.images[image_id]["status"] = "active"

    def shelve_instance(self, context: Any, instance: Any, image_id: str | None, **_: Any) -> None:
        with self._event(context, instance, "shelve_instance"):
            whole = self._whole(context, instance)
            if image_id:
                self._upload(context, image_id)
            marks = {"shelved_at": now().isoformat(), "shelved_image_id": image_id, "shelved_host": self.host}
            whole.system_metadata = {**whole.system_metadata, **{k: v for k, v in marks.items() if v}}
            self._save(context, whole, **to(OFF, "shelved"))
        if self._conf.shelved_offload_time == 0:
            self.shelve_offload_instance(context, whole)

    def shelve_offload_instance(self, context: Any, instance: Any, **_: Any) -> None:
        with self._event(context, instance, "shelve_offload_instance"):
            self._peers.placement.delete_allocations(instance.uuid)
            self._save(context, instance, **to(OFF, "shelved_offloaded", host=None, node=None, compute_id=None))

    def unshelve_instance(self, context: Any, instance: Any, **_: Any) -> None:
        with self._event(context, instance, "unshelve_instance"):
            whole = self._whole(context, instance)
            whole.system_metadata = {k: v for k, v in whole.system_metadata.items() if not k.startswith("shelved_")}
            where = self._place(context, self.host, self.node)
            self._save(context, whole, **to(RUNNING, "active", launched_at=now(), **where))

    def quiesce_instance(self, context: Any, instance: Any) -> None:
        """The guest is still enough."""

    def unquiesce_instance(self, context: Any, instance: Any, mapping: Any = None) -> None:
        """It never was held."""
