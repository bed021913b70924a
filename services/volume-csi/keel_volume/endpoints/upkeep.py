"""What schedulers and operators ask of the service itself."""

from __future__ import annotations

from typing import Any

from keel_volume.endpoints.served import Served


class Upkeep(Served):
    """About the service, not about one volume."""

    def publish_service_capabilities(self, context: Any) -> None:
        """A scheduler has started and wants the pools."""
        self._publish()

    def secure_file_operations_enabled(self, context: Any, volume: Any) -> bool:
        """Claims are no files of this host."""
        return False
