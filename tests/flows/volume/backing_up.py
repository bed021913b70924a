"""What tests of backups do: rows as the API writes them, messages as it sends them, disks as a guest writes them."""

import time
import uuid

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import backups, quotas, transitions, volumes
from keel_common.domain.volume.quotas import create_backup
from keel_common.domain.volume.states import TRANSITIONS
from keel_common.wire.backup import backup as on_wire
from keel_volume.csi import naming

from .conftest import PROJECT

MIB = 1 << 20
PATTERN = ((0, b"boot"), (3 * MIB + 7, b"the middle"), (9 * MIB, bytes(range(256)) * 4096), (16 * MIB - 5, b"ended"))
SMALL = "16Mi"


def options(folder):
    """Values of cinder.conf for a store in a directory."""
    return {
        "backup_driver": "cinder.backup.drivers.posix.PosixBackupDriver",
        "backup_posix_path": str(folder / "store"),
        "backup_compression_algorithm": "zstd",
        "backup_driver_stats_polling_interval": 10,
    }


class Backed:
    """Backups of the volumes of a suite."""

    def __init__(self, suite, folder, client=None):
        self.suite, self.db, self.client = suite, suite.db, client
        self.folder = folder / "store"

    def fill(self, volume, pattern=PATTERN):
        for place, data in pattern:
            self.suite.sim.write(self.claim(volume), place, data, self.suite.namespace)

    def claim(self, volume):
        return naming.claim(self.suite.row(volume))

    def checksum(self, volume):
        return self.suite.sim.checksum(self.claim(volume), self.suite.namespace)

    def data(self, volume, length=16 * MIB):
        return self.suite.sim.read(self.claim(volume), 0, length, self.suite.namespace)

    def record(self, volume, host=None, snapshot=None, incremental=False, **values):
        """The row of a new backup with its quota; volume or snapshot are backing-up."""

        def write(conn):
            row = volumes.get(conn, volume)
            parent = backups.parent_of_next(conn, volume, PROJECT) if incremental else None
            quotas.take(conn, quotas.Settings.of(self.suite.conf), PROJECT, create_backup(row["size"]), {})
            if snapshot:
                assert transitions.apply(conn, TRANSITIONS["backup snapshot"], snapshot)
            else:
                held = TRANSITIONS["backup forced"].from_seen(row)
                assert transitions.apply(conn, held, volume, {"previous_status": row["status"]})
            base = {
                "project_id": PROJECT,
                "user_id": "u",
                "volume_id": volume,
                "snapshot_id": snapshot,
                "status": "creating",
                "size": row["size"],
                "host": host or (parent["host"] if parent else None),
                "parent_id": parent["id"] if parent else None,
            }
            return backups.create(conn, base | values)

        return self.db.run(write)

    def create(self, volume, **values):
        row = self.record(volume, **values)
        self.suite.scheduler.send(self.suite.context, "create_backup", backup=on_wire(row))
        return row["id"]

    def hold_for_restore(self, backup, volume, host=None):
        values = {"restore_volume_id": volume, **({"host": host} if host else {})}

        def write(conn):
            assert transitions.apply(conn, TRANSITIONS["backup restore"], backup, values)
            assert transitions.apply(conn, TRANSITIONS["restore"], volume)

        self.db.run(write)

    def restore(self, backup, volume):
        self.hold_for_restore(backup, volume)
        self.send("restore_backup", backup, volume_id=volume, volume_is_new=False)

    def delete(self, backup, force=False):
        wanted = TRANSITIONS["backup delete"]
        assert self.db.run(transitions.apply, wanted.without("status") if force else wanted, backup)
        self.send("delete_backup", backup)

    def send(self, method, backup, **args):
        row = self.db.read(backups.show, backup)
        return self.client.send(self.suite.context, method, server=row["host"], backup=on_wire(row), **args)

    def row(self, backup):
        return self.db.read(backups.get, backup)

    def reach(self, backup, status):
        def there():
            row = self.row(backup)
            if row and row["status"] == "error" != status:
                raise AssertionError(f"the backup is in error: {row['fail_reason']}")
            return row if row and row["status"] == status else None

        return self.suite.until(there, f"the backup is {status}")

    def gone(self, backup):
        self.suite.until(lambda: self.row(backup) is None, "the backup is gone")

    def stored(self, backup):
        """Files of a backup in the store."""
        return [path for path in self.folder.rglob("*") if path.is_file() and f"backup_{backup}" in str(path)]

    def snapshot_status(self, snapshot):
        return self.db.read(rows.snapshot, snapshot)["status"]


def name():
    return f"{uuid.uuid4().hex[:6]}-{time.monotonic_ns() % 1000}"
