"""A nova-compute at the edge of the test: it speaks the bus as a real one does, and its hypervisor always succeeds.

It is no part of the product: what is tested are the API, the conductor and the scheduler in front of it.
"""

from __future__ import annotations

from typing import Any

from conformance.host_consoles import HostConsoles
from conformance.host_images import HostImages
from conformance.host_moves import HostMoves
from conformance.host_network import HostNetwork, vifs
from conformance.host_records import OFF, PAUSED, RUNNING, SUSPENDED, now, to
from conformance.host_volumes import HostVolumes, device_names, ordered
from conformance.orders import HostOrders


class NovaCompute(HostOrders, HostConsoles, HostImages, HostMoves, HostNetwork, HostVolumes):
    """All that a host is asked."""

    # -- birth and death

    def build_and_run_instance(self, context: Any, instance: Any, **request: Any) -> None:
        with self._event(context, instance, "_do_build_and_run_instance".lstrip("_")):
            self._save(context, instance, launched_on=self.host, **self._place(context, self.host, self.node))
            self._allocate(context, instance, request.get("requested_networks"))
            names = device_names("/dev/sda")
            for mapping in ordered(request["block_device_mapping"]):
                self._boot_volume(context, instance, mapping)
                mapping.device_name = mapping.get("device_name") or next(names)
                self._remote.action(context, mapping, "save")
            more = {} if instance.get("root_device_name") else {"root_device_name": "/dev/sda"}
            self._save(context, instance, **to(RUNNING, "active", launched_at=now(), **more))

    def terminate_instance(self, context: Any, instance: Any, bdms: Any) -> None:
        with self._event(context, instance, "terminate_instance"):
            whole = self._whole(context, instance)
            for vif in vifs(whole):
                self._release(context, vif)
            for mapping in bdms.objects if bdms else ():
                if mapping.get("attachment_id"):
                    self._peers.cinder.delete_attachment(context, mapping.attachment_id)
                if mapping.get("volume_id") and mapping.get("delete_on_termination"):
                    self._peers.cinder.delete_volume(context, mapping.volume_id)
                self._remote.action(context, mapping, "destroy")
            self._save(context, whole, vm_state="deleted", task_state=None, power_state=0, terminated_at=now())
            self._remote.action(context, whole, "destroy")
            self._peers.placement.delete_allocations(instance.uuid)

    def soft_delete_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "soft_delete_instance", **to(OFF, "soft-delete"))

    def restore_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "restore_instance", **to(RUNNING, "active", deleted_at=None))

    # -- power

    def start_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "start_instance", **to(RUNNING, "active"))

    def stop_instance(self, context: Any, instance: Any, clean_shutdown: bool) -> None:
        self._moved(context, instance, "stop_instance", **to(OFF, "stopped"))

    def reboot_instance(self, context: Any, instance: Any, block_device_info: Any, reboot_type: str) -> None:
        self._moved(context, instance, "reboot_instance", **to(RUNNING, "active"))

    def pause_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "pause_instance", **to(PAUSED, "paused"))

    def unpause_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "unpause_instance", **to(RUNNING, "active"))

    def suspend_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "suspend_instance", **to(SUSPENDED, "suspended"))

    def resume_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "resume_instance", **to(RUNNING, "active"))

    def rescue_instance(self, context: Any, instance: Any, **_: Any) -> None:
        self._moved(context, instance, "rescue_instance", **to(OFF, "rescued", launched_at=now()))

    def unrescue_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "unrescue_instance", **to(RUNNING, "active"))

    def set_admin_password(self, context: Any, instance: Any, new_pass: str) -> None:
        self._moved(context, instance, "set_admin_password", task_state=None)

    def inject_network_info(self, context: Any, instance: Any) -> None:
        """Nothing to inject into."""

    def trigger_crash_dump(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "trigger_crash_dump")
