"""What a backup service asks of the backend of a volume."""

from __future__ import annotations

from typing import Any

from keel_common.db.stores.cinder import volumes
from keel_common.wire import cinder as wire
from keel_contract.cinder.objects import BackupDeviceInfo
from keel_volume.endpoints.served import Served


class Backups(Served):
    """Ours asks the cluster itself; this is for a cinder-backup of another make."""

    def get_backup_device(self, context: Any, backup: Any, want_objects: bool = False, async_call: bool = False) -> Any:
        """The volume itself is what to read. Whoever then asks for a connection without being in the cluster is refused
        there, and its backup ends in error instead of waiting for ever."""
        row = self._backend.db.read(volumes.show, backup.volume_id)
        if row is None:
            raise LookupError(f"volume {backup.volume_id} is gone")
        device = BackupDeviceInfo(volume=wire.volume(row, None), snapshot=None, secure_enabled=False)
        if not async_call:
            return device
        self._backend.backups.send(context, "continue_backup", server=backup.host, backup=backup, backup_device=device)
        return None
