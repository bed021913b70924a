"""What the host at the edge of the test answers to orders about itself, to shares and to snapshots of a volume."""

from __future__ import annotations

from typing import Any


class HostOrders:
    """Mixed into the compute: every order is carried out at once."""

    _remote: Any

    def set_host_enabled(self, context: Any, enabled: bool) -> str:
        return "enabled" if enabled else "disabled"

    def host_maintenance_mode(self, context: Any, host: str, mode: bool) -> str:
        return "on_maintenance" if mode else "off_maintenance"

    def host_power_action(self, context: Any, action: str) -> str:
        return action

    def volume_snapshot_create(self, context: Any, instance: Any, volume_id: str, create_info: Any) -> None:
        """Nothing is kept."""

    def volume_snapshot_delete(
        self, context: Any, instance: Any, volume_id: str, snapshot_id: str, delete_info: Any
    ) -> None:
        """Nothing was kept."""

    def allow_share(self, context: Any, instance: Any, share_mapping: Any) -> None:
        share_mapping.status = "inactive"
        self._remote.action(context, share_mapping, "save")

    def deny_share(self, context: Any, instance: Any, share_mapping: Any) -> None:
        self._remote.action(context, share_mapping, "delete")
