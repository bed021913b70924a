"""Start, stop, reboot."""

from __future__ import annotations

from typing import Any

from keel_compute.endpoints.turn import Turns
from keel_compute.flows import power
from keel_contract.context import Context


class Power(Turns):
    """Whether the guest of a server runs."""

    def start_instance(self, context: Context, instance: Any) -> None:
        """Power on."""
        with self._turn(context, instance, "start_instance") as scope:
            power.start(scope)

    def stop_instance(self, context: Context, instance: Any, clean_shutdown: bool) -> None:
        """Power off, gently or at once."""
        with self._turn(context, instance, "stop_instance") as scope:
            power.stop(scope, clean_shutdown)

    def reboot_instance(self, context: Context, instance: Any, block_device_info: Any, reboot_type: str) -> None:
        """Reboot, SOFT or HARD."""
        with self._turn(context, instance, "reboot_instance") as scope:
            power.reboot(scope, reboot_type)
