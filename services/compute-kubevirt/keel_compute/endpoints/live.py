"""Live migration."""

from __future__ import annotations

import threading
from typing import Any

from keel_compute.endpoints.journal import recorded
from keel_compute.endpoints.turn import Turns
from keel_compute.errors import NotSupported, text
from keel_compute.flights import Flight
from keel_compute.flows import live, move
from keel_compute.flows.move import Move
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault


class LiveMoves(Turns):
    """Both sides of a live migration.

    The source has the server's turn for the whole migration and waits for answers of the destination, which may be
    this very process: the destination's methods take no turn.
    """

    _jobs: Any
    _slots: threading.BoundedSemaphore
    _given_up: set[int]

    def check_can_live_migrate_destination(
        self,
        context: Context,
        instance: Any,
        block_migration: bool | None,
        disk_over_commit: bool | None,
        migration: Any,
        limits: Any,
    ) -> Any:
        """Whether the server can come to this host; answers what the two sides tell each other."""
        with recorded(self.site, self.place.name, context, instance, "check_can_live_migrate_destination"):
            return live.check_destination(self._beside(context, instance, migration), block_migration, disk_over_commit)

    def check_can_live_migrate_source(self, context: Context, instance: Any, dest_check_data: Any) -> Any:
        """Whether the guest can leave this host."""
        with recorded(self.site, self.place.name, context, instance, "check_can_live_migrate_source"):
            return live.check_source(self._beside(context, instance), dest_check_data)

    def pre_live_migration(self, context: Context, instance: Any, disk: Any, migrate_data: Any) -> Any:
        """Make this host ready for the guest."""
        with recorded(self.site, self.place.name, context, instance, "pre_live_migration"):
            return live.prepare(self._beside(context, instance), migrate_data)

    def post_live_migration_at_destination(self, context: Context, instance: Any, block_migration: bool) -> None:
        """The guest runs on this host."""
        with recorded(self.site, self.place.name, context, instance, "post_live_migration_at_destination"):
            live.take_over(self._beside(context, self.site.records.whole(context, instance)))

    def live_migration(
        self, context: Context, dest: str, instance: Any, block_migration: Any, migration: Any, migrate_data: Any
    ) -> None:
        """Queue the migration; [DEFAULT]max_concurrent_live_migrations of a host run at a time."""
        move.note(self._beside(context, instance, migration), status="queued")
        self.site.flights.queue(instance.uuid)
        self._jobs.submit(self._migrate, context, instance, migration, migrate_data)

    def _migrate(self, context: Context, instance: Any, migration: Any, data: Any) -> None:
        migration.dest_compute_id = self._compute_id(context, migration.dest_compute)
        with self._slots, self.site.flights.enter(instance.uuid, "live_migration") as flight:
            whole = self.site.records.whole(context, instance)
            scope = Move(self.site, self.place, context, whole, flight, migration=migration)
            with recorded(self.site, self.place.name, context, whole, "live_migration"):
                live.migrate(scope, data, lambda: migration.id in self._given_up)
        self._given_up.discard(migration.id)

    def _compute_id(self, context: Context, host: str) -> int | None:
        found = self.site.remote.class_action(context.elevated(), "ComputeNodeList", "get_all_by_host", host)
        return next((each.id for each in found.objects), None)

    def live_migration_abort(self, context: Context, instance: Any, migration_id: int) -> None:
        """Give a migration up, whether it waits or runs."""
        migration = self.site.remote.class_action(context.elevated(), "Migration", "get_by_id", migration_id)
        with recorded(self.site, self.place.name, context, instance, "live_migration_abort"):
            self._given_up.add(migration_id)
            live.abort(self._beside(context, instance, migration))

    def live_migration_force_complete(self, context: Context, instance: Any) -> None:
        """KubeVirt decides by its migration policies, made before the start, whether it pauses or copies afterwards."""
        words = "KubeVirt cannot be told to force a migration that runs; a MigrationPolicy says so beforehand"
        try:
            with recorded(self.site, self.place.name, context, instance, "live_migration_force_complete"):
                raise NotSupported(words)
        except NotSupported as refused:
            raise ExpectedFault("NotImplementedError", text(refused), module="builtins") from refused

    def _beside(self, context: Context, instance: Any, migration: Any = None) -> Move:
        return Move(self.site, self.place, context, instance, Flight(), migration=migration)


def slots(most: int) -> threading.BoundedSemaphore:
    """Places for migrations that run at a time; 0 means as many as there are."""
    return threading.BoundedSemaphore(most if most > 0 else 10_000)
