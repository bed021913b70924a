"""What other services may ask of the backup service (cinder 29.0.0 rpc_server, cinder-backup 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.db.stores.cinder import backups
from keel_common.wire.backup import backup as on_wire
from keel_contract.bus import Client
from keel_contract.errors import ExpectedFault
from keel_volume.backup import format, records
from keel_volume.backup.format import Damaged
from keel_volume.backup.runner import Runner
from keel_volume.backup.service import Service
from keel_volume.backup.store import StoreError
from keel_volume.flows import backup as making

LOG = log.getLogger(__name__)


@dataclass
class BackupEndpoint:
    """The methods of topic cinder-backup. ``others`` reaches the backup services of other hosts."""

    _service: Service
    _runner: Runner
    _publish: Callable[[], None]
    _others: Client

    def create_backup(self, context: Any, backup: Any) -> None:
        """Make a backup; its row says of what."""
        self._runner.soon()

    def continue_backup(self, context: Any, backup: Any, backup_device: Any) -> None:
        """A volume service says what to read: known already, the cluster is asked for it directly."""
        self._runner.soon()

    def restore_backup(self, context: Any, backup: Any, volume_id: str, volume_is_new: bool) -> None:
        """Write a backup into a volume; its row says into which."""
        self._runner.soon()

    def delete_backup(self, context: Any, backup: Any) -> None:
        """Delete a backup; its row says so."""
        self._runner.soon()

    def check_support_to_force_delete(self, context: Any) -> bool:
        """An unfinished backup can be deleted: what makes it sees that and stops."""
        return True

    def publish_service_capabilities(self, context: Any) -> None:
        """A scheduler has started and wants to know who makes backups."""
        self._publish()

    def export_record(self, context: Any, backup: Any) -> dict[str, str]:
        """The record of a backup."""
        row = self._service.backend.db.read(backups.get, backup.id)
        if row is None or row["status"] != "available" or row["service"] != self._service.store.name:
            raise ExpectedFault("InvalidBackup", f"Backup {backup.id} is not available in {self._service.store.name}.")
        try:
            return records.dump(row, self._service.store)
        except (StoreError, Damaged, ValueError) as problem:
            raise ExpectedFault("InvalidBackup", f"Backup {backup.id}: {problem}") from problem

    def import_record(
        self, context: Any, backup: Any, backup_service: str, backup_url: str, backup_hosts: Sequence[str]
    ) -> None:
        """Fill a row from a record, or hand it to a host whose store it may be."""
        row = self._service.backend.db.read(backups.get, backup.id)
        if row is None or row["status"] != "creating":
            LOG.info("backup %s is not to be imported any more", backup.id)
        elif backup_service != self._service.store.name:
            self._pass_on(context, row, backup_service, backup_url, list(backup_hosts or ()))
        else:
            self._import(row, backup_url)

    def _import(self, row: dict[str, Any], backup_url: str) -> None:
        service = self._service
        try:
            values = records.read(backup_url, service.store, row["id"])
        except (StoreError, Damaged, ValueError) as problem:
            making.fail(service, row, str(problem))
            return
        values |= {"service": service.store.name, "host": service.host, "availability_zone": service.zone}
        if service.backend.db.run(rows.imported, row["id"], values):
            LOG.info("backup %s is imported", row["id"])

    def _pass_on(self, context: Any, row: dict[str, Any], store: str, url: str, hosts: list[str]) -> None:
        if not hosts:
            making.fail(self._service, row, f"no backup service has the store {store}")
            return
        host, *rest = hosts
        db = self._service.backend.db
        if not db.run(rows.placed, row["id"], host):
            return
        self._others.send(
            context,
            "import_record",
            server=host,
            backup=on_wire({**row, "host": host, "metadata": {}}),
            backup_service=store,
            backup_url=url,
            backup_hosts=rest,
        )

    def reset_status(self, context: Any, backup: Any, status: str) -> None:
        """Write a status; "available" only for a backup that is in the store."""
        service = self._service
        row = service.backend.db.read(backups.get, backup.id)
        if row is None or row["service"] != service.store.name:
            LOG.error("backup %s is not of this store: its status stays", backup.id)
            return
        if status == "available":
            try:
                format.load(service.store, row["service_metadata"] or "")
            except (StoreError, Damaged, ValueError) as problem:
                LOG.error("backup %s stays in %s: %s", row["id"], row["status"], problem)
                return
        service.backend.db.run(rows.reset, row, status)
        self._runner.soon()
