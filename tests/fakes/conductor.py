"""A conductor of one cell in memory, on the bus: it keeps instances and what hangs on them, and counts its messages.

It guards saves as the contract says (expected task states, deleted instances) and answers in the contract's form.
"""

from __future__ import annotations

import datetime
import threading
import uuid
from typing import Any

from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects, remote


def moment() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class FakeConductor:
    """`messages`: "Object.method" in order. `states`: instance -> [(vm_state, task_state)] as they were saved.

    `instances`, `mappings`, `interfaces`, `services`, `computes`: rows as objects. `events`: [(instance, event,
    finished, error)]. `refuse`: "Object.method" -> exception raised once.
    """

    def __init__(self) -> None:
        self.migrations: dict[int, Any] = {}
        self.lock = threading.RLock()
        self.messages: list[str] = []
        self.states: dict[str, list[tuple[str, str | None]]] = {}
        self.instances: dict[str, Any] = {}
        self.mappings: dict[str, Any] = {}
        self.interfaces: dict[str, Any] = {}
        self.services: dict[str, Any] = {}
        self.computes: dict[str, Any] = {}
        self.events: list[list[Any]] = []
        self.faults: list[Any] = []
        self.rescheduled: list[dict[str, Any]] = []
        self.refuse: dict[str, Exception] = {}
        self.after: dict[str, Any] = {}
        self._ids = iter(range(1, 10**6))

    # -- what a conductor answers

    def ping(self, context: Any, arg: Any) -> dict:
        return {"service": "conductor", "arg": arg}

    def get_backdoor_port(self, context: Any) -> None:
        return None

    def build_instances(self, context: Any, **request: Any) -> None:
        with self.lock:
            self.rescheduled.append(request)

    def object_action(self, context: Any, objinst: Any, objmethod: str, args: list, kwargs: dict) -> Any:
        name = f"{objinst.obj_name()}.{objmethod}"
        with self.lock:
            self._note(name)
            before = remote.snapshot(objinst)
            result = self._find(name)(objinst, *args, **kwargs)
            objinst.obj_reset_changes()
            return remote.updates(before, objinst), result

    def object_class_action_versions(
        self, context: Any, objname: str, objmethod: str, object_versions: dict, args: list, kwargs: dict
    ) -> Any:
        name = f"{objname}.{objmethod}"
        with self.lock:
            self._note(name)
            return self._find(name)(*args, **kwargs)

    def _note(self, name: str) -> None:
        self.messages.append(name)
        if error := self.refuse.pop(name, None):
            raise error

    def _find(self, name: str) -> Any:
        obj, method = name.split(".")
        return getattr(self, f"_{obj}_{method}")

    def _id(self, obj: Any) -> None:
        obj.id = next(self._ids)
        obj.created_at = moment()

    # -- instances

    def add(self, instance: Any) -> Any:
        """A row, as if the conductor's own flow had made it."""
        with self.lock:
            self._id(instance)
            instance.obj_reset_changes(recursive=True)
            self.instances[instance.uuid] = instance
            return instance

    def _live(self, server: str) -> Any:
        found = self.instances.get(server)
        if found is None or found.get("deleted"):
            raise ExpectedFault(
                "InstanceNotFound", f"Instance {server} could not be found.", instance_id=server, code=404
            )
        return found

    def _Instance_save(  # noqa: N802
        self, obj: Any, expected_vm_state: Any = None, expected_task_state: Any = None, admin_state_reset: bool = False
    ) -> None:
        row = self._live(obj.uuid)
        if expected_vm_state is not None and row.vm_state not in expected_vm_state:
            raise ExpectedFault("UnexpectedVMStateError", f"Conflict: {row.vm_state} is not one of {expected_vm_state}")
        if expected_task_state is not None:
            expected = [expected_task_state] if isinstance(expected_task_state, str) else list(expected_task_state)
            if row.task_state not in expected:
                name = (
                    "UnexpectedDeletingTaskStateError" if row.task_state == "deleting" else "UnexpectedTaskStateError"
                )
                raise ExpectedFault(name, f"Conflict: {row.task_state} is not one of {expected}")
        for field, value in obj.obj_get_changes().items():
            setattr(row, field, value)
        row.obj_reset_changes(recursive=True)
        obj.updated_at = moment()
        self.states.setdefault(obj.uuid, []).append((row.vm_state, row.task_state))
        if act := self.after.pop(("Instance.save", row.task_state), None):
            act(row)

    def _Instance_destroy(self, obj: Any, hard_delete: bool = False) -> None:  # noqa: N802
        row = self._live(obj.uuid)
        row.deleted = obj.deleted = True
        row.deleted_at = obj.deleted_at = moment()
        self.interfaces = {port: each for port, each in self.interfaces.items() if each.instance_uuid != obj.uuid}

    def _Instance_get_by_uuid(self, server: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:  # noqa: N802
        return self._live(server).obj_clone()

    def _InstanceList_get_by_host(self, host: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:  # noqa: N802
        found = [each.obj_clone() for each in self.instances.values() if each.get("host") == host and not each.deleted]
        return objects.InstanceList(objects=found)

    def _InstanceList_get_by_filters(self, filters: dict, **_: Any) -> Any:  # noqa: N802
        wanted = filters.get("uuid") or []
        dead = filters.get("deleted", False)
        found = [each.obj_clone() for each in self.instances.values() if each.uuid in wanted and each.deleted == dead]
        return objects.InstanceList(objects=found)

    def _InstanceInfoCache_save(self, obj: Any, update_cells: bool = True) -> None:  # noqa: N802
        self._live(obj.instance_uuid).info_cache = obj.obj_clone()

    def _InstanceFault_create(self, obj: Any) -> None:  # noqa: N802
        self._id(obj)
        self.faults.append(obj)

    # -- moves

    def migrate_server(self, context: Any, **request: Any) -> None:
        with self.lock:
            self.rescheduled.append(request)

    def add_migration(self, **values: Any) -> Any:
        row = objects.Migration(
            **{"uuid": str(uuid.uuid4()), "status": "pre-migrating", "migration_type": "migration", **values}
        )
        self._id(row)
        row.obj_reset_changes()
        self.migrations[row.id] = row
        return row

    def _Migration_save(self, obj: Any) -> None:  # noqa: N802
        row = self.migrations[obj.id]
        for field, value in obj.obj_get_changes().items():
            setattr(row, field, value)

    def _Migration_get_by_id(self, migration_id: int) -> Any:  # noqa: N802
        return self.migrations[migration_id].obj_clone()

    def _Migration_get_by_instance_and_status(self, server: str, status: str) -> Any:  # noqa: N802
        for each in self.migrations.values():
            if (each.instance_uuid, each.status) == (server, status):
                return each.obj_clone()
        raise ExpectedFault("MigrationNotFoundByStatus", f"Migration not found for {server} in {status}", code=404)

    # -- devices

    def add_mapping(self, **values: Any) -> Any:
        blank = dict.fromkeys(
            ("connection_info", "device_name", "device_type", "disk_bus", "guest_format", "image_id", "snapshot_id")
        )
        blank |= dict.fromkeys(("tag", "volume_id", "volume_size", "volume_type", "attachment_id", "boot_index"))
        row = objects.BlockDeviceMapping(
            **{**blank, "uuid": str(uuid.uuid4()), "delete_on_termination": False, "no_device": False, **values}
        )
        self._id(row)
        row.obj_reset_changes()
        self.mappings[row.uuid] = row
        return row

    def _BlockDeviceMapping_create(self, obj: Any) -> None:  # noqa: N802
        row = self.add_mapping(**obj.obj_get_changes())
        for name in set(row.fields) - {"instance"}:
            if row.is_set(name):
                setattr(obj, name, row.get(name))

    def _BlockDeviceMapping_save(self, obj: Any) -> None:  # noqa: N802
        row = self.mappings[obj.uuid]
        for field, value in obj.obj_get_changes().items():
            setattr(row, field, value)

    def _BlockDeviceMapping_destroy(self, obj: Any) -> None:  # noqa: N802
        self.mappings.pop(obj.uuid, None)

    def _of(self, *servers: str) -> Any:
        found = [each.obj_clone() for each in self.mappings.values() if each.instance_uuid in servers]
        return objects.BlockDeviceMappingList(objects=found)

    def _BlockDeviceMappingList_get_by_instance_uuid(self, server: str, use_slave: bool = False) -> Any:  # noqa: N802
        return self._of(server)

    def _BlockDeviceMappingList_get_by_instance_uuids(self, servers: list, use_slave: bool = False) -> Any:  # noqa: N802
        return self._of(*servers)

    def _BlockDeviceMapping_get_by_volume_and_instance(  # noqa: N802
        self, volume: str, server: str, expected_attrs: Any = None
    ) -> Any:
        for each in self.mappings.values():
            if (each.volume_id, each.instance_uuid) == (volume, server):
                return each.obj_clone()
        raise ExpectedFault("VolumeBDMNotFound", f"No volume Block Device Mapping found for {volume}.", code=404)

    def _VirtualInterface_create(self, obj: Any) -> None:  # noqa: N802
        self._id(obj)
        self.interfaces[obj.uuid] = obj

    def _VirtualInterface_destroy(self, obj: Any) -> None:  # noqa: N802
        self.interfaces.pop(obj.uuid, None)

    def _VirtualInterface_get_by_uuid(self, port: str) -> Any:  # noqa: N802
        found = self.interfaces.get(port)
        return found.obj_clone() if found else None

    def _VirtualInterface_delete_by_instance_uuid(self, server: str) -> None:  # noqa: N802
        self.interfaces = {port: each for port, each in self.interfaces.items() if each.instance_uuid != server}

    # -- events, consoles

    def _InstanceActionEvent_event_start(  # noqa: N802
        self, server: str, event: str, want_result: bool = True, host: str | None = None
    ) -> None:
        self.events.append([server, event, False, None])

    def _InstanceActionEvent_event_finish_with_failure(  # noqa: N802
        self, server: str, event: str, exc_val: Any = None, exc_tb: Any = None, want_result: Any = None
    ) -> None:
        for each in reversed(self.events):
            if each[:2] == [server, event]:
                each[2:] = [True, exc_val]
                return
        raise ExpectedFault("InstanceActionEventNotFound", f"Event {event} not found for action of {server}", code=404)

    def _ConsoleAuthToken_clean_console_auths_for_instance(self, server: str) -> None:  # noqa: N802
        return None

    # -- services and nodes

    def _Service_get_minimum_version(self, binary: str, use_slave: bool = False) -> int:  # noqa: N802
        return min((each.version for each in self.services.values()), default=0)

    def _ServiceList_get_by_binary(self, binary: str, include_disabled: bool = False) -> Any:  # noqa: N802
        return objects.ServiceList(objects=[each.obj_clone() for each in self.services.values()])

    def _Service_get_by_host_and_binary(self, host: str, binary: str) -> Any:  # noqa: N802
        if host not in self.services:
            raise ExpectedFault("HostBinaryNotFound", f"Could not find binary {binary} on host {host}.", code=404)
        return self.services[host].obj_clone()

    def _Service_get_by_compute_host(self, host: str, use_slave: bool = False) -> Any:  # noqa: N802
        return self._Service_get_by_host_and_binary(host, "nova-compute")

    def _Service_create(self, obj: Any) -> None:  # noqa: N802
        self._id(obj)
        obj.uuid, obj.disabled, obj.disabled_reason, obj.forced_down = str(uuid.uuid4()), False, None, False
        self.services[obj.host] = obj.obj_clone()

    def _Service_save(self, obj: Any) -> None:  # noqa: N802
        for field, value in obj.obj_get_changes().items():
            setattr(self.services[obj.host], field, value)

    def _ComputeNodeList_get_all_by_host(self, host: str, use_slave: bool = False) -> Any:  # noqa: N802
        if host not in self.computes:
            raise ExpectedFault("ComputeHostNotFound", f"Compute host {host} could not be found.", code=404)
        return objects.ComputeNodeList(objects=[self.computes[host].obj_clone()])

    def _ComputeNode_create(self, obj: Any) -> None:  # noqa: N802
        self._id(obj)
        self.computes[obj.host] = obj.obj_clone()

    def _ComputeNode_save(self, obj: Any, prune_stats: bool = False) -> None:  # noqa: N802
        for field, value in obj.obj_get_changes().items():
            setattr(self.computes[obj.host], field, value)


class FakeScheduler:
    """Takes what computes tell the schedulers."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def update_instance_info(self, context: Any, host_name: str, instance_info: Any) -> None:
        self.told.append(("update", host_name))

    def delete_instance_info(self, context: Any, host_name: str, instance_uuid: str) -> None:
        self.told.append(("delete", host_name))
