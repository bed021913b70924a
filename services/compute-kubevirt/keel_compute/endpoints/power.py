"""Start, stop, reboot, pause, soft deletion, rescue."""

from __future__ import annotations

from typing import Any

from keel_compute.endpoints.turn import Turns
from keel_compute.flows import pause, power, rescue
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

    def pause_instance(self, context: Context, instance: Any) -> None:
        """Freeze the guest's processors."""
        with self._turn(context, instance, "pause_instance") as scope:
            pause.pause(scope)

    def unpause_instance(self, context: Context, instance: Any) -> None:
        """Let a paused guest go on."""
        with self._turn(context, instance, "unpause_instance") as scope:
            pause.unpause(scope)

    def soft_delete_instance(self, context: Context, instance: Any) -> None:
        """Power off until the server is restored, or reclaimed after [DEFAULT]reclaim_instance_interval."""
        with self._turn(context, instance, "soft_delete_instance") as scope:
            pause.soft_delete(scope)

    def restore_instance(self, context: Context, instance: Any) -> None:
        """Take a soft deletion back."""
        with self._turn(context, instance, "restore_instance") as scope:
            pause.restore(scope)

    def rescue_instance(
        self,
        context: Context,
        instance: Any,
        rescue_password: str | None,
        rescue_image_ref: str | None,
        clean_shutdown: bool,
    ) -> None:
        """Boot from a rescue image with the server's own disks beside it. KubeVirt cannot set the password."""
        with self._turn(context, instance, "rescue_instance") as scope:
            rescue.rescue(scope, rescue_image_ref, clean_shutdown)

    def unrescue_instance(self, context: Context, instance: Any) -> None:
        """Boot from the server's own disks again."""
        with self._turn(context, instance, "unrescue_instance") as scope:
            rescue.unrescue(scope)
