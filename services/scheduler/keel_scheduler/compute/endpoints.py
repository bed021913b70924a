"""What other services may ask of the compute scheduler (nova 34.0.0 rpc_server, scheduler 4.5)."""

from __future__ import annotations

from typing import Any

from oslo_log import log

from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects
from keel_scheduler.compute.choose import Chooser, NoValidHost, Pick
from keel_scheduler.compute.request import Request

LOG = log.getLogger(__name__)


class SchedulerEndpoint:
    """The methods of topic scheduler."""

    def __init__(self, chooser: Chooser):
        self._chooser = chooser

    def select_destinations(
        self,
        context: Any,
        request_spec: Any = None,
        filter_properties: Any = None,
        spec_obj: Any = None,
        instance_uuids: list[str] | None = None,
        return_objects: bool = False,
        return_alternates: bool = False,
    ) -> list[Any]:
        """For each instance its host (claimed) and, when asked for, alternates; NoValidHost as recorded.

        The traceback that travels with NoValidHost ends in the hosts left after
        each filter: administrators find it in the details of the server's fault.
        """
        request = Request.from_spec(spec_obj)
        instances = instance_uuids or [spec_obj.instance_uuid]
        try:
            picks = self._chooser.select(request, instances, return_objects and return_alternates)
        except NoValidHost as refusal:
            LOG.warning("%s for %s", refusal, ", ".join(instances))
            raise ExpectedFault("NoValidHost", refusal.message, reason=refusal.reason) from refusal
        if return_objects:
            return [[_selection(pick) for pick in row] for row in picks]
        return [{"host": row[0].host.host, "nodename": row[0].host.node, "limits": {}} for row in picks]

    def update_aggregates(self, context: Any, aggregates: Any) -> None:
        """Aggregates are read when they are needed: nothing is kept that could be old."""

    def delete_aggregate(self, context: Any, aggregate: Any) -> None:
        """As for update_aggregates."""

    def update_instance_info(self, context: Any, host_name: str, instance_info: Any) -> None:
        """Servers of a host are read when a filter needs them: nothing is kept that could be old."""

    def delete_instance_info(self, context: Any, host_name: str, instance_uuid: str) -> None:
        """As for update_instance_info."""

    def sync_instance_info(self, context: Any, host_name: str, instance_uuids: list[str]) -> None:
        """As for update_instance_info."""


def _selection(pick: Pick) -> Any:
    """A Selection object as recorded (wire_examples/selection)."""
    return objects.Selection(
        compute_node_uuid=pick.host.uuid,
        service_host=pick.host.host,
        nodename=pick.host.node,
        cell_uuid=pick.host.cell_uuid,
        limits=objects.SchedulerLimits(numa_topology=None, vcpu=None, disk_gb=None, memory_mb=None),
        allocation_request=pick.allocation_request,
        allocation_request_version=pick.allocation_request_version,
        availability_zone=pick.zone,
    )
