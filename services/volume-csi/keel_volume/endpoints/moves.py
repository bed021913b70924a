"""Put volumes back, give them another type and move them."""

from __future__ import annotations

from typing import Any

from keel_volume.endpoints.served import Served


class Moves(Served):
    """What changes the claim of a volume for another one."""

    def revert_to_snapshot(self, context: Any, volume: Any, snapshot: Any) -> None:
        """Begin to put a volume back; both rows say so already."""
        self._reconciler.soon("volume", volume.id)
