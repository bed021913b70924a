"""A cinder-volume at the edge of the test: it speaks the bus as a real one does, and its driver always succeeds.

A real one writes the database, too; so does this one. It is no part of the product.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from keel_common.db import Database, now
from keel_common.db.stores.cinder import attachments, connections, group_snapshots, groups, quotas, volumes
from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder.rows import TABLES
from keel_contract.context import Context

POOL = "fake"
_A_MOMENT = 0.15
"""Seconds that making something takes, so that its state on the way can be seen as in the recording."""


class CinderVolume:
    """One backend with one endless pool."""

    def __init__(self, conf: Any, db: Database, host: str, scheduler: Any):
        self._db, self.host, self._scheduler = db, host, scheduler
        self._quota = quotas.Settings.of(conf)
        self._working: list[threading.Thread] = []

    def _later(self, work: Callable[[], Any]) -> None:
        """Do it in a moment, in the background."""

        def run() -> None:
            time.sleep(_A_MOMENT)
            work()

        self._working.append(threading.Thread(target=run, daemon=True))
        self._working[-1].start()

    def idle(self) -> None:
        """Return when nothing is being made any more."""
        while self._working:
            self._working.pop().join()

    def report(self, timestamp: str) -> None:
        """Tell the scheduler of the pool."""
        room = {"total_capacity_gb": "infinite", "free_capacity_gb": "infinite", "allocated_capacity_gb": 0}
        pool = {"pool_name": POOL, "reserved_percentage": 0, "thin_provisioning_support": True, "multiattach": True}
        able = {"consistent_group_snapshot_enabled": True, "group_replication_enabled": True}
        capabilities = {"volume_backend_name": POOL, "storage_protocol": "fake", "vendor_name": "Fake"}
        self._scheduler.send(
            Context.admin("cinder"),
            "update_service_capabilities",
            service_name="volume",
            host=self.host,
            capabilities={
                **capabilities,
                "driver_version": "1.0",
                "backend_state": "up",
                "pools": [{**pool, **room, **able}],
            },
            cluster_name=None,
            timestamp=timestamp,
        )

    def publish_service_capabilities(self, context: Any) -> None:
        """The scheduler of this test is told by `report`."""

    # -- volumes

    def create_volume(
        self, context: Any, volume: Any, request_spec: Any, filter_properties: Any, allow_reschedule: bool
    ) -> None:
        self._later(lambda: self._create(volume.id))

    def _create(self, volume_id: str) -> None:
        facts = self._db.read(rows.copy_image_facts, self._db.read(rows.volume, volume_id))
        self._db.run(rows.created, volume_id, facts)

    def delete_volume(self, context: Any, volume: Any, unmanage_only: bool = False, cascade: bool = False) -> None:
        self._later(lambda: self._delete(volume.id, cascade))

    def _delete(self, volume_id: str, cascade: bool) -> None:
        for cut in self._db.read(rows.snapshots_of, volume_id) if cascade else ():
            self._db.run(rows.snapshot_deleted, self._quota, cut)
        self._db.run(rows.deleted, self._quota, self._db.read(rows.volume, volume_id))

    def extend_volume(self, context: Any, volume: Any, new_size: int, reservations: list[str]) -> None:
        row, held = self._db.read(rows.volume, volume.id), list(reservations or ())
        self._later(lambda: self._db.run(rows.extended, row, int(new_size), held))

    # -- snapshots

    def create_snapshot(self, context: Any, snapshot: Any) -> None:
        row = self._db.read(rows.snapshot, snapshot.id)
        self._later(lambda: self._db.run(rows.snapshot_created, row))

    def delete_snapshot(self, context: Any, snapshot: Any, unmanage_only: bool = False) -> None:
        row = self._db.read(rows.snapshot, snapshot.id)
        self._later(lambda: self._db.run(rows.snapshot_deleted, self._quota, row))

    # -- groups

    def create_group(self, context: Any, group: Any) -> None:
        self._later(lambda: self._db.run(groups.change, group.id, {"status": "available"}))

    def update_group(self, context: Any, group: Any, add_volumes: str = "", remove_volumes: str = "") -> None:
        def work() -> None:
            for ids, owner in ((add_volumes, group.id), (remove_volumes, None)):
                for volume_id in filter(None, (ids or "").split(",")):
                    self._db.run(volumes.change, volume_id, {"group_id": owner})
            self._db.run(groups.change, group.id, {"status": "available"})

        self._later(work)

    def delete_group(self, context: Any, group: Any) -> None:
        def work() -> None:
            for row in self._db.read(groups.volumes, group.id):
                self._db.run(rows.deleted, self._quota, self._db.read(rows.volume, row["id"]))
            self._db.run(quotas.give_back, self._quota, group.project_id, {"groups": -1})
            self._db.run(groups.destroy, group.id)

        self._later(work)

    def create_group_snapshot(self, context: Any, group_snapshot: Any) -> None:
        def work() -> None:
            for row in self._db.read(group_snapshots.snapshots, group_snapshot.id):
                self._db.run(rows.snapshot_created, self._db.read(rows.snapshot, row["id"]))
            self._db.run(group_snapshots.change, group_snapshot.id, {"status": "available"})

        self._later(work)

    def delete_group_snapshot(self, context: Any, group_snapshot: Any) -> None:
        def work() -> None:
            for row in self._db.read(group_snapshots.snapshots, group_snapshot.id):
                self._db.run(rows.snapshot_deleted, self._quota, self._db.read(rows.snapshot, row["id"]))
            self._db.run(group_snapshots.destroy, group_snapshot.id)

        self._later(work)

    def create_group_from_src(
        self, context: Any, group: Any, group_snapshot: Any = None, source_group: Any = None
    ) -> None:
        def work() -> None:
            for row in self._db.read(groups.volumes, group.id):
                self._create(row["id"])
            self._db.run(groups.change, group.id, {"status": "available"})

        self._later(work)

    # -- connections

    def attachment_update(self, context: Any, vref: Any, connector: dict, attachment_id: str) -> dict:
        self._db.run(connections.connect, attachment_id, vref.id, connector, "rw")
        return {"driver_volume_type": "fake", "data": {}}

    def attachment_delete(self, context: Any, attachment_id: str, vref: Any) -> None:
        """Nothing is connected."""

    def attach_volume(
        self, context: Any, volume_id: str, instance_uuid: str, host_name: str, mountpoint: str, mode: str, **_: Any
    ) -> None:
        self._db.run(connections.attach, volume_id, instance_uuid, host_name, mountpoint, mode)

    def detach_volume(self, context: Any, volume_id: str, attachment_id: str | None = None, **_: Any) -> None:
        held = self._db.read(attachments.of_volume, volume_id)
        self._db.run(connections.detach, volume_id, attachment_id or (held[0]["id"] if held else None))

    def initialize_connection(self, context: Any, volume: Any, connector: dict) -> dict:
        return {"driver_volume_type": "fake", "data": {}}

    def terminate_connection(self, context: Any, volume_id: str, connector: dict, force: bool = False) -> None:
        """Nothing is connected."""

    def accept_transfer(
        self, context: Any, volume_id: str, new_user: str, new_project: str, no_snapshots: bool = False
    ) -> dict:
        return {}

    def remove_export(self, context: Any, volume_id: str) -> None:
        """Nothing is exported."""

    def secure_file_operations_enabled(self, context: Any, volume: Any) -> bool:
        return False


def heartbeats(conn: Any) -> None:
    """Every service was heard of now."""
    conn.execute(TABLES["services"].update().values(updated_at=now()))
