"""Attachments and the connections of the old API."""

from __future__ import annotations

from typing import Any

from keel_common.db.stores.cinder import attachments
from keel_common.wire import cinder as wire
from keel_volume.endpoints.served import Served
from keel_volume.flows import connection


class Connections(Served):
    """What a compute service asks for."""

    def attachment_update(self, context: Any, vref: Any, connector: dict, attachment_id: str) -> dict:
        """Give an attachment its connector; its connection_info comes back."""
        return connection.update(self._backend, vref.id, connector, attachment_id)

    def attachment_delete(self, context: Any, attachment_id: str, vref: Any) -> None:
        """Nothing to undo in the cluster: the pod that used the claim ends by its own service."""

    def initialize_connection(self, context: Any, volume: Any, connector: dict) -> dict:
        """Connection data of the old API."""
        return connection.initialize(self._backend, volume.id, connector)

    def terminate_connection(self, context: Any, volume_id: str, connector: dict, force: bool = False) -> None:
        """Nothing to undo, as for attachment_delete."""

    def remove_export(self, context: Any, volume_id: str) -> None:
        """Claims have no exports."""

    def attach_volume(
        self,
        context: Any,
        volume_id: str,
        instance_uuid: str | None,
        host_name: str | None,
        mountpoint: str,
        mode: str,
        volume: Any = None,
    ) -> Any:
        """attach of the old API; the attachment comes back."""
        attachment_id = connection.attach(self._backend, volume_id, instance_uuid, host_name, mountpoint, mode)
        row = self._backend.db.read(attachments.get, attachment_id)
        return wire.attachment(row) if row else None

    def detach_volume(self, context: Any, volume_id: str, attachment_id: str | None = None, volume: Any = None) -> None:
        """detach of the old API."""
        connection.detach(self._backend, volume_id, attachment_id)
