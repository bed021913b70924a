"""The compute interface of one Nova host (nova 34.0.0 rpc_server, version 6.5)."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from keel_common.kube import POD, VMI, KubeError, Stopped
from keel_compute.endpoints.journal import recorded
from keel_compute.endpoints.refused import Unbuilt
from keel_compute.errors import Gone, is_fault, text
from keel_compute.flows import attach, boot, delete, interfaces, power
from keel_compute.kubevirt.disks import next_device
from keel_compute.scope import Place, Scope
from keel_compute.site import Site
from keel_compute.steps import network
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault, RemoteFault

LOG = logging.getLogger(__name__)

CONSOLE_CONTAINER = "guest-console-log"
"""Container of the launcher pod that prints the serial console (kubevirt 1.9 logSerialConsole)."""


def _unmade(mapping: Any) -> bool:
    return mapping.destination_type == "volume" and not mapping.volume_id


class ComputeEndpoint(Unbuilt):
    """Methods of nova-compute for the host `place`; builds run in `jobs`, all else in the bus's own threads."""

    def __init__(self, site: Site, place: Place, jobs: Any, enable: Any) -> None:
        super().__init__(site, place)
        self._jobs = jobs
        self._enable = enable

    # -- build and delete

    def build_and_run_instance(self, context: Context, instance: Any, **request: Any) -> None:
        """Queue the build and return; its outcome stands in the records."""
        self.site.flights.queue(instance.uuid)
        self._jobs.submit(self._build, context, instance, request)

    def _build(self, context: Context, instance: Any, request: dict[str, Any]) -> None:
        site, place = self.site, self.place
        with (
            site.flights.enter(instance.uuid, "build") as flight,
            self._outcome(context, instance, "build_and_run_instance"),
        ):
            site.records.begin_event(context, instance.uuid, boot.EVENT, place.name)
            mappings = request.get("block_device_mapping")
            scope = boot.Boot(
                site=site,
                place=place,
                context=context,
                instance=instance,
                flight=flight,
                image=request.get("image") or {},
                mappings=list(mappings.objects) if mappings else [],
                request_spec=request.get("request_spec"),
                filter_properties=request.get("filter_properties") or {},
                requested_networks=request.get("requested_networks"),
                security_groups=request.get("security_groups") or (),
                admin_password=request.get("admin_password"),
                injected_files=request.get("injected_files"),
                host_list=request.get("host_list"),
            )
            boot.boot(scope)
            boot.end_event(scope)

    def terminate_instance(self, context: Context, instance: Any, bdms: Any) -> None:
        """Delete the server; a build of it that goes on is told to give up first."""
        # The info cache says which ports are the user's: without it they would be deleted.
        whole = self.site.records.whole(context, instance)
        mappings = list(bdms.objects) if bdms else []
        # A build or an attachment that goes on, or one whose volume was being made when the message was written,
        # knows more of the volumes than the message does.
        outdated = not mappings or bool(self.site.flights.busy(instance.uuid)) or any(map(_unmade, mappings))
        with (
            self.site.flights.enter(instance.uuid, "delete", cancels=True) as flight,
            self._outcome(context, whole, "terminate_instance"),
        ):
            if outdated:
                mappings = self.site.records.mappings(context, instance.uuid)
            scope = Scope(self.site, self.place, context, whole, flight, mappings=mappings)
            try:
                delete.delete(scope)
            except Stopped:
                raise
            except Exception as error:
                if is_fault(error, "InstanceNotFound"):
                    LOG.info("Server %s is deleted already", instance.uuid)
                    return
                self.site.records.save(context, whole, vm_state="error")
                raise

    # -- power

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

    # -- volumes

    def reserve_block_device_name(
        self,
        context: Context,
        instance: Any,
        device: str | None,
        volume_id: str,
        disk_bus: str | None,
        device_type: str | None,
        tag: str | None,
        multiattach: bool,
    ) -> Any:
        """A mapping with a device name that is free; attach_volume follows."""
        with (
            self.site.flights.enter(instance.uuid, "reserve") as _,
            self._outcome(context, instance, "reserve_block_device_name"),
        ):
            mappings = self.site.records.mappings(context, instance.uuid)
            if any(each.volume_id == volume_id for each in mappings):
                raise ExpectedFault("InvalidVolume", f"Volume {volume_id} is attached to this server already")
            bus = disk_bus or (instance.get("system_metadata") or {}).get("image_hw_disk_bus")
            name = next_device(bus, [each.device_name for each in mappings])
            return self.site.records.create_mapping(
                context,
                source_type="volume",
                destination_type="volume",
                instance_uuid=instance.uuid,
                boot_index=None,
                volume_id=volume_id,
                device_name=name,
                guest_format=None,
                disk_bus=disk_bus,
                device_type=device_type,
                tag=tag,
            )

    def attach_volume(self, context: Context, instance: Any, bdm: Any) -> None:
        """Attach the volume of a reserved mapping."""
        with self._turn(context, instance, "attach_volume") as scope:
            attach.attach(scope, bdm)

    def detach_volume(self, context: Context, volume_id: str, instance: Any, attachment_id: str | None) -> None:
        """Detach a volume."""
        with self._turn(context, instance, "detach_volume") as scope:
            attach.detach(scope, volume_id, attachment_id)

    # -- interfaces

    def attach_interface(
        self,
        context: Context,
        instance: Any,
        network_id: str | None,
        port_id: str | None,
        requested_ip: str | None,
        tag: str | None = None,
    ) -> dict:
        """Attach a port or a port of a network; answers the VIF."""
        with self._turn(context, instance, "attach_interface", "InterfaceAttachFailed") as scope:
            return interfaces.attach(scope, network_id, port_id, requested_ip, tag)

    def detach_interface(self, context: Context, instance: Any, port_id: str) -> None:
        """Detach a port."""
        with self._turn(context, instance, "detach_interface") as scope:
            interfaces.detach(scope, port_id)

    # -- the rest

    def external_instance_event(self, context: Context, instances: Any, events: Any) -> None:
        """Pass events on to who waits for them; a changed network refreshes the info cache."""
        known = {each.uuid: each for each in instances}
        for event in events:
            instance = known.get(event.instance_uuid)
            if instance is None:
                LOG.warning("Event %s is for server %s that was not sent along", event.name, event.instance_uuid)
                continue
            try:
                self._event(context, instance, event)
            except Exception:
                # One event that cannot be handled must not swallow the others of the batch.
                LOG.exception("Event %s of server %s was not handled", event.name, instance.uuid)

    def _event(self, context: Context, instance: Any, event: Any) -> None:
        if event.name in ("network-changed", "network-vif-deleted"):
            self._network_event(context, instance.uuid, event)
            return
        key = f"{event.name}-{event.get('tag')}" if event.get("tag") else event.name
        if not self.site.arrivals.arrive(instance.uuid, key, event.status == "failed"):
            LOG.info("Nobody waits for event %s of server %s", key, instance.uuid)

    def _network_event(self, context: Context, server: str, event: Any) -> None:
        """Follow a change at Neutron. What we do ourselves is told to us too, so the record is read when it is our
        turn.
        """
        with self.site.flights.enter(server, event.name) as flight:
            try:
                instance = self.site.records.instance(context, server)
            except RemoteFault as fault:
                if not is_fault(fault, "InstanceNotFound"):
                    raise
                return
            if instance.task_state == "deleting" or instance.host != self.place.name:
                return
            scope = Scope(self.site, self.place, context, instance, flight)
            if event.name == "network-vif-deleted":
                interfaces.vanished(scope, event.tag)
            else:
                self.site.records.save_network(context, instance, network.refresh(scope))

    def get_console_output(self, context: Context, instance: Any, tail_length: int | str | None) -> str:
        """The last lines of the guest's serial console, from the log of its launcher pod."""
        site = self.site
        vmi = site.kube.find(VMI, f"nova-{instance.uuid}", site.namespace)
        if vmi is None:
            raise ExpectedFault("ConsoleNotAvailable", "Guest does not have a console available.")
        pods = site.kube.list(POD, site.namespace, {"kubevirt.io/created-by": vmi["metadata"]["uid"]})
        if not pods:
            raise ExpectedFault("ConsoleNotAvailable", "Guest does not have a console available.")
        newest = max(pods, key=lambda pod: pod["metadata"]["creationTimestamp"])["metadata"]["name"]
        query: dict[str, Any] = {"container": CONSOLE_CONTAINER}
        if tail_length not in (None, "", 0, -1):
            query["tailLines"] = int(tail_length)
        try:
            return site.kube.text(POD, newest, site.namespace, "log", query)
        except KubeError as refused:
            raise ExpectedFault("ConsoleNotAvailable", f"Guest does not have a console: {text(refused)}") from refused

    def set_host_enabled(self, context: Context, enabled: bool) -> str:
        """The scheduler's trait follows the service record (the API wrote that already)."""
        self._enable(self.place, enabled)
        return "enabled" if enabled else "disabled"

    # -- around an operation

    @contextlib.contextmanager
    def _turn(self, context: Context, instance: Any, method: str, answer: str | None = None) -> Iterator[Scope]:
        """The server's turn, its outcome recorded. `answer` names the exception class that a caller gets."""
        with self.site.flights.enter(instance.uuid, method) as flight:
            whole = self.site.records.whole(context, instance)
            with self._outcome(context, whole, method, answer):
                yield Scope(self.site, self.place, context, whole, flight)

    @contextlib.contextmanager
    def _outcome(self, context: Context, instance: Any, method: str, answer: str | None = None) -> Iterator[None]:
        try:
            with recorded(self.site, self.place.name, context, instance, method):
                yield
        except Gone:
            LOG.info("%s of server %s ends: it is being deleted", method, instance.uuid)
        except (ExpectedFault, Stopped):
            raise
        except Exception as error:
            if answer:
                raise ExpectedFault(answer, text(error)) from error
            raise
