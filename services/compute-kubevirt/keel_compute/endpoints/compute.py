"""The compute interface of one Nova host (nova 34.0.0 rpc_server, version 6.5)."""

from __future__ import annotations

import logging
from typing import Any

from keel_common.kube import Stopped
from keel_compute.endpoints.devices import Devices
from keel_compute.endpoints.events import Events
from keel_compute.endpoints.live import LiveMoves, slots
from keel_compute.endpoints.moves import Moves
from keel_compute.endpoints.power import Power
from keel_compute.endpoints.views import Views
from keel_compute.errors import is_fault
from keel_compute.flows import boot, delete, rebuild
from keel_compute.scope import Place, Scope
from keel_compute.site import Site
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


def _unmade(mapping: Any) -> bool:
    return mapping.destination_type == "volume" and not mapping.volume_id


class ComputeEndpoint(Power, Moves, LiveMoves, Devices, Events, Views):
    """Methods of nova-compute for the host `place`; builds run in `jobs`, all else in the bus's own threads.

    At most `migrations` live migrations run at a time, 0 means any number.
    """

    def __init__(self, site: Site, place: Place, jobs: Any, enable: Any, migrations: int = 1) -> None:
        super().__init__(site, place)
        self._jobs = jobs
        self._enable = enable
        self._slots = slots(migrations)
        self._given_up: set[int] = set()

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

    def rebuild_instance(self, context: Context, instance: Any, bdms: Any, **request: Any) -> None:
        """Make the server's local disks anew from an image; an evacuation to this host is refused."""
        self.site.flights.queue(instance.uuid)
        self._jobs.submit(self._rebuild, context, instance, bdms, request)

    def _rebuild(self, context: Context, instance: Any, bdms: Any, request: dict[str, Any]) -> None:
        with self.site.flights.enter(instance.uuid, "rebuild") as flight:
            whole = self.site.records.whole(context, instance)
            with self._outcome(context, whole, "rebuild_instance"):
                rebuild.refuse(
                    bool(request.get("recreate")),
                    request.get("injected_files"),
                )
                rebuild.rebuild(
                    rebuild.Rebuild(
                        site=self.site,
                        place=self.place,
                        context=context,
                        instance=whole,
                        flight=flight,
                        mappings=list(bdms.objects) if bdms else [],
                        image_ref=request.get("image_ref") or None,
                        preserve_ephemeral=bool(request.get("preserve_ephemeral")),
                        was_stopped=whole.vm_state == "stopped",
                        reimage_boot_volume=bool(request.get("reimage_boot_volume")),
                    )
                )

    def set_host_enabled(self, context: Context, enabled: bool) -> str:
        """The scheduler's trait follows the service record (the API wrote that already)."""
        self._enable(self.place, enabled)
        return "enabled" if enabled else "disabled"
