"""Moves of servers at a nova-compute at the edge: rebuilt, evacuated, resized, migrated while they run.

The disks of all hosts are one: what is moved are the records, in the order of a real move.
"""

from __future__ import annotations

from typing import Any

from conformance.host_records import OFF, RUNNING, HostRecords, now, to
from keel_contract.nova import objects


class HostMoves(HostRecords):
    """What changes the host, the flavor or the image of a server."""

    def rebuild_instance(
        self,
        context: Any,
        instance: Any,
        recreate: bool,
        migration: Any,
        scheduled_node: str | None,
        target_state: str | None = None,
        **_: Any,
    ) -> None:
        with self._event(context, instance, "rebuild_instance"):
            where = self._place(context, self.host, scheduled_node or self.node) if recreate else {}
            power, state = (OFF, "stopped") if target_state == "stopped" else (RUNNING, "active")
            self._save(context, instance, **to(power, state, launched_at=now(), **where))
            if migration is not None:
                self._status(context, migration, "done", dest_compute=self.host)

    def prep_resize(self, context: Any, instance: Any, flavor: Any, migration: Any, node: str | None, **_: Any) -> None:
        with self._event(context, instance, "prep_resize"):
            whole = self._whole(context, instance)
            old = whole.flavor
            whole.system_metadata = {**whole.system_metadata, "old_vm_state": whole.vm_state}
            self._flavors(whole, flavor, old, flavor)
            self._status(
                context,
                migration,
                "finished",
                dest_compute=self.host,
                dest_node=node or self.node,
                dest_host="192.168.0.1",
            )
            where = self._place(context, self.host, node or self.node)
            self._save(context, whole, **to(RUNNING, "resized", launched_at=now(), **where))

    def confirm_resize(self, context: Any, instance: Any, migration: Any) -> None:
        with self._event(context, instance, "confirm_resize"):
            whole = self._whole(context, instance)
            self._flavors(whole, whole.flavor, None, None)
            self._status(context, migration, "confirmed")
            deleting = {"task_state": whole.task_state} if whole.task_state == "deleting" else {}
            self._save(context, whole, **{**to(RUNNING, "active"), **deleting})
            self._peers.placement.delete_allocations(migration.uuid)

    def revert_resize(self, context: Any, instance: Any, migration: Any, request_spec: Any = None) -> None:
        with self._event(context, instance, "revert_resize"):
            old = instance.old_flavor
            whole = self._whole(context, instance)
            self._flavors(whole, old or whole.flavor, None, None)
            self._status(context, migration, "reverted")
            stopped = whole.system_metadata.get("old_vm_state") == "stopped"
            power, state = (OFF, "stopped") if stopped else (RUNNING, "active")
            where = self._place(context, migration.source_compute, migration.source_node)
            self._save(context, whole, **to(power, state, **where))
            self._peers.placement.move_allocations(migration.uuid, instance.uuid)

    def check_can_live_migrate_destination(self, context: Any, instance: Any, **_: Any) -> Any:
        return objects.LibvirtLiveMigrateData(
            is_shared_instance_path=True, is_shared_block_storage=False, block_migration=False, serial_listen_addr=None
        )

    def live_migration(self, context: Any, dest: str, instance: Any, migration: Any, **_: Any) -> None:
        with self._event(context, instance, "live_migration"):
            self._status(context, migration, "running")
            where = self._place(context, dest, migration.dest_node or dest)
            self._save(context, instance, task_state=None, progress=0, **where)
            self._status(context, migration, "completed")
            self._peers.placement.delete_allocations(migration.uuid)

    def live_migration_abort(self, context: Any, instance: Any, migration_id: int) -> None:
        """Too late: a migration here is over before anybody hears of it."""

    def live_migration_force_complete(self, context: Any, instance: Any) -> None:
        """Too late, too."""

    def _status(self, context: Any, migration: Any, status: str, **values: Any) -> None:
        self._save(context, migration, status=status, **values)

    def _flavors(self, instance: Any, flavor: Any, old: Any, new: Any) -> None:
        """The flavor of a server with what the record repeats of it."""
        instance.flavor, instance.old_flavor, instance.new_flavor = flavor, old, new
        instance.instance_type_id = flavor.id
        instance.memory_mb, instance.vcpus = flavor.memory_mb, flavor.vcpus
        instance.root_gb, instance.ephemeral_gb = flavor.root_gb, flavor.ephemeral_gb
