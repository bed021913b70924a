"""What this service reads and writes of Nova's cell, all of it through the conductor.

Each method is one message. Guarded saves carry the task states they expect; the conductor answers
UnexpectedTaskStateError when the row is elsewhere.
"""

from __future__ import annotations

import datetime
import traceback
from collections.abc import Sequence
from typing import Any

from keel_compute.errors import is_fault, text
from keel_contract.context import Context
from keel_contract.nova import objects

ATTRS = ["info_cache", "metadata", "system_metadata", "numa_topology", "flavor"]
"""Parts of an instance that an operation needs beside its own columns."""


def now() -> datetime.datetime:
    """The moment, as versioned objects take it (aware, UTC)."""
    return datetime.datetime.now(datetime.UTC)


class Records:
    """The conductor as a store of instances, mappings, interfaces, events and faults."""

    def __init__(self, remote: Any) -> None:
        self._remote = remote

    def save(
        self,
        context: Context,
        instance: Any,
        expected: str | Sequence[str | None] | None = None,
        expected_vm_state: str | None = None,
        **changes: Any,
    ) -> None:
        """Write `changes` to the instance, when its task state is one of `expected` (None: whatever it is)."""
        for name, value in changes.items():
            setattr(instance, name, value)
        given: dict[str, Any] = {}
        if expected_vm_state is not None:
            given["expected_vm_state"] = [expected_vm_state]
        if expected is not None:
            given["expected_task_state"] = expected if isinstance(expected, str) else list(expected)
        self._remote.action(context, instance, "save", **given)

    def settle(
        self,
        context: Context,
        instance: Any,
        expected: str | Sequence[str | None] | None,
        vm_state: str,
        power_state: int,
        **changes: Any,
    ) -> None:
        """End an operation: the server is in this state and has no task any more."""
        changes |= {"vm_state": vm_state, "task_state": None, "power_state": power_state}
        self.save(context, instance, expected, **changes)

    def fail(self, context: Context, instance: Any, **changes: Any) -> None:
        """The server is in ERROR; one that is deleted meanwhile is none of ours."""
        try:
            self.save(context, instance, vm_state="error", **changes)
        except Exception as refused:
            if not is_fault(refused, "InstanceNotFound"):
                raise

    def instance(self, context: Context, server: str) -> Any:
        """The instance with flavor, metadata and info cache; RemoteFault InstanceNotFound when there is none."""
        return self._remote.class_action(context, "Instance", "get_by_uuid", server, expected_attrs=ATTRS)

    def instances_of(self, context: Context, host: str) -> list[Any]:
        """Every instance of a host."""
        found = self._remote.class_action(context, "InstanceList", "get_by_host", host, expected_attrs=ATTRS)
        return list(found.objects)

    def instances_by(self, context: Context, servers: Sequence[str], deleted: bool = False) -> list[Any]:
        """Those of the named instances that exist, or with `deleted` those that are deleted."""
        filters = {"uuid": list(servers), "deleted": deleted}
        found = self._remote.class_action(context, "InstanceList", "get_by_filters", filters, expected_attrs=ATTRS)
        return list(found.objects)

    def whole(self, context: Context, instance: Any) -> Any:
        """The instance with all that an operation needs: itself when the message brought it, else read anew."""
        if all(instance.is_set(name) for name in ("info_cache", "system_metadata", "flavor")):
            return instance
        return self.instance(context, instance.uuid)

    def destroy(self, context: Context, instance: Any) -> None:
        """Soft-delete the instance and what hangs on it."""
        self._remote.action(context, instance, "destroy")

    def mappings(self, context: Context, server: str) -> list[Any]:
        """The block device mappings of an instance."""
        found = self._remote.class_action(context, "BlockDeviceMappingList", "get_by_instance_uuid", server)
        return list(found.objects)

    def mappings_of(self, context: Context, servers: Sequence[str]) -> list[Any]:
        """The block device mappings of many instances in one question."""
        if not servers:
            return []
        found = self._remote.class_action(context, "BlockDeviceMappingList", "get_by_instance_uuids", list(servers))
        return list(found.objects)

    def mapping(self, context: Context, volume: str, server: str) -> Any:
        """The mapping of one volume; RemoteFault VolumeBDMNotFound."""
        return self._remote.class_action(context, "BlockDeviceMapping", "get_by_volume_and_instance", volume, server)

    def create_mapping(self, context: Context, **values: Any) -> Any:
        """A new block device mapping."""
        mapping = objects.BlockDeviceMapping(**values)
        self._remote.action(context, mapping, "create")
        return mapping

    def save_mapping(self, context: Context, mapping: Any, **changes: Any) -> None:
        """Write changes of a mapping; nothing is sent when nothing changed."""
        for name, value in changes.items():
            if mapping.get(name) != value:
                setattr(mapping, name, value)
        if mapping.changes():
            self._remote.action(context, mapping, "save")

    def destroy_mapping(self, context: Context, mapping: Any) -> None:
        """Remove a mapping."""
        self._remote.action(context, mapping, "destroy")

    def create_interface(self, context: Context, server: str, port: str, mac: str, tag: str | None) -> None:
        """The virtual_interfaces row of a port. Its address carries the port, so that it is unique (nova 34.0.0)."""
        row = objects.VirtualInterface(uuid=port, instance_uuid=server, address=f"{mac}/{port}", tag=tag)
        self._remote.action(context, row, "create")

    def delete_interfaces(self, context: Context, server: str) -> None:
        """Remove all virtual_interfaces rows of an instance."""
        self._remote.class_action(context, "VirtualInterface", "delete_by_instance_uuid", server)

    def delete_interface(self, context: Context, port: str) -> None:
        """Remove the row of one port."""
        row = self._remote.class_action(context, "VirtualInterface", "get_by_uuid", port)
        if row is not None:
            self._remote.action(context, row, "destroy")

    def save_network(self, context: Context, instance: Any, vifs: Sequence[dict]) -> None:
        """Write the network info cache."""
        cache = instance.get("info_cache")
        if cache is None:
            cache = objects.InstanceInfoCache(instance_uuid=instance.uuid)
            instance.info_cache = cache
        cache.network_info = list(vifs)
        self._remote.action(context, cache, "save", update_cells=False)

    def begin_event(self, context: Context, server: str, event: str, host: str) -> None:
        """Start a row of instance_actions_events; it needs an action with the context's request id."""
        self._remote.class_action(
            context, "InstanceActionEvent", "event_start", server, event, want_result=False, host=host
        )

    def end_event(self, context: Context, server: str, event: str, error: BaseException | None = None) -> None:
        """Finish the row, with failure when there was an error."""
        self._remote.class_action(
            context,
            "InstanceActionEvent",
            "event_finish_with_failure",
            server,
            event,
            exc_val=text(error) if error else None,
            exc_tb="".join(traceback.format_tb(error.__traceback__)) if error else None,
            want_result=False,
        )

    def fault(self, context: Context, server: str, host: str, error: BaseException, code: int = 500) -> None:
        """An instance_faults row: a sentence of at most 255 characters for the user, the traceback for the operator."""
        details = "".join(traceback.format_exception(error))
        row = objects.InstanceFault(
            instance_uuid=server, code=code, message=text(error)[:255], details=details, host=host
        )
        self._remote.action(context, row, "create")
