"""Instance and InstanceList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import extras, instances_create, instances_destroy, instances_save, server_row
from keel_common.db.stores.nova import instances as store
from keel_conductor.objects import new_server, wire
from keel_conductor.objects.registry import Call, Done, action, class_action, objects_in
from keel_contract import versions

TABLE = store.TABLE
DEFAULT_PARTS = ("info_cache",)
"""What is loaded when a caller names nothing (nova 34.0.0, answers of Instance.get_by_uuid)."""
CREATED_PARTS = (*store.EXTRA_PARTS, "info_cache", "metadata", "system_metadata", "security_groups")
ALWAYS_CREATED = set(store.EXTRA_PARTS) - {"flavor", "keypairs"}
JOINED = ("metadata", "system_metadata", "info_cache", "tags", "services")
"""Parts that a save reads again when the caller has them."""
_REMAKEABLE = (*JOINED, "security_groups", *store.EXTRA_PARTS, "old_flavor", "new_flavor", "fault", "pci_devices")


LARGEST_ID = 2**63 - 1


def _states(expected: Any) -> list[Any] | None:
    if expected is None:
        return None
    return list(expected) if isinstance(expected, list | tuple | set) else [expected]


@class_action("Instance", "get_by_uuid")
def get_by_uuid(call: Call, uuid: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:
    return wire.instance(_load(call, uuid, expected_attrs))


@class_action("Instance", "get_by_id")
def get_by_id(call: Call, inst_id: int, expected_attrs: Any = None) -> Any:
    if call.db.is_sqlite and abs(inst_id) > LARGEST_ID:  # MariaDB compares with any number
        raise Refused("InvalidID", f"{inst_id} is no id.", 400, id=inst_id)
    parts = DEFAULT_PARTS if expected_attrs is None else expected_attrs
    found = call.db.read(store.load, [TABLE.c.id == inst_id, *_mine(call)], parts, call.context.read_deleted)
    if not found:
        raise not_found("InstanceNotFound", f"Server {inst_id}", instance_id=inst_id)
    return wire.instance(found[0])


def _load(call: Call, uuid: str, parts: Any = None) -> dict[str, Any]:
    wanted = DEFAULT_PARTS if parts is None else tuple(parts)
    found = call.db.read(store.load, [TABLE.c.uuid == uuid, *_mine(call)], wanted, call.context.read_deleted)
    if not found:
        raise not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)
    return found[0]


def _mine(call: Call) -> list[Any]:
    """Who is no administrator finds the servers of the own project alone."""
    return [] if call.context.is_admin else [TABLE.c.project_id == call.context.project_id]


@action("Instance", "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The server exists.", action="create", reason="already created")
    if obj.get("node") and not obj.get("compute_id") and not versions.older(obj.VERSION, "2.8"):
        raise Refused("ObjectActionError", "A server that is made on a node needs its compute_id.")
    wanted = new_server.of(obj)
    if not obj.is_set("info_cache"):
        wanted.network_info = None
    created = call.db.run(instances_create.create, wanted)
    parts = [name for name in CREATED_PARTS if name in ALWAYS_CREATED or obj.is_set(name)]
    server = _load(call, obj.uuid, parts)
    more = {} if obj.is_set("pci_devices") or obj.is_set("pci_requests") else {"pci_devices": None}
    fresh = wire.read(wire.objects.Instance, wire.instance_fields(server) | more)
    fresh.ec2_ids = wire.objects.EC2Ids(**created.ec2_ids)
    return Done({name: getattr(fresh, name) for name in fresh.fields if fresh.is_set(name)}, None, _unsaved(fresh))


@action("Instance", "save")
def save(
    call: Call,
    obj: Any,
    expected_vm_state: Any = None,
    expected_task_state: Any = None,
    admin_state_reset: bool = False,
) -> Done:
    changes = wire.instance_changes(obj)
    if "node" in changes.values and "compute_id" not in changes.values and not versions.older(obj.VERSION, "2.8"):
        raise Refused("ObjectActionError", "A server that moves to a node needs its compute_id.")
    return Done(*call.db.run(_save, obj, changes, _states(expected_vm_state), _states(expected_task_state)))


def _save(conn: Any, obj: Any, changes: instances_save.Changes, vm_states: Any, task_states: Any) -> Done:
    """The guarded save and what it tells the caller, in one transaction."""
    parts = {name for name in JOINED if obj.is_set(name)} | {"system_metadata"}
    row = instances_save.save(conn, obj.uuid, changes, vm_states, task_states, parts)
    if not (changes.values or changes.metadata is not None or changes.system_metadata is not None):
        return _only_parts(conn, row, obj, changes)
    server = store.with_parts(conn, row, parts - server_row.GATHERED)
    return Done(wire.instance_fields(server), None, _unsaved(obj))


def _only_parts(conn: Any, row: dict[str, Any], obj: Any, changes: instances_save.Changes) -> Done:
    """After a save that left the row of the server alone: what was changed stays named as unsaved, but for keys."""
    values: dict[str, Any] = {}
    parts = [name for name, saved in (("info_cache", changes.network_info), ("flavor", changes.flavors)) if saved]
    if parts:
        server = store.load(conn, [TABLE.c.id == row["id"]], parts)[0]
        names = {"info_cache"} & set(parts) | (set(wire.FLAVORS) if "flavor" in parts else set())
        values = {name: value for name, value in wire.instance_fields(server).items() if name in names}
    unsaved = set(obj.obj_what_changed()) - {"keypairs", *wire.FLAVORS}
    if "keypairs" in obj.obj_what_changed():
        values["keypairs"] = _clean(obj.keypairs)
    return Done(values, None, unsaved | {name for name, child in values.items() if _changed(child)})


def _clean(child: Any) -> Any:
    child.obj_reset_changes(recursive=True)
    return child


def _unsaved(obj: Any) -> list[str]:
    """Fields whose object still has changes of its own: saving a server does not save those."""
    return [name for name in objects_in(type(obj)) if obj.is_set(name) and _changed(getattr(obj, name))]


def _changed(child: Any) -> bool:
    return child is not None and bool(child.obj_what_changed())


@action("Instance", "refresh")
def refresh(call: Call, obj: Any, use_slave: bool = False) -> Done:
    parts = [name for name in _REMAKEABLE if obj.is_set(name)]
    fresh = wire.instance(_load(call, obj.uuid, parts))
    values = {name: getattr(fresh, name) for name in fresh.fields if fresh.is_set(name)}
    return Done(values, None, {*_unsaved(fresh), *(name for name in _unsaved(obj) if name not in values)})


@action("Instance", "destroy")
def destroy(call: Call, obj: Any, hard_delete: bool = False) -> Done:
    if not obj.is_set("id"):
        raise Refused("ObjectActionError", "The server is gone already.", action="destroy", reason="already destroyed")
    row = call.db.run(instances_destroy.destroy, obj.uuid, obj.get("host"), hard_delete)
    return Done(wire.fields("Instance", row))


@action("Instance", "drop_migration_context")
def drop_migration_context(call: Call, obj: Any) -> Done:
    if obj.is_set("migration_context") and obj.migration_context is None:
        return Done({})
    changed = call.db.run(extras.put, obj.uuid, {"migration_context": None})
    return Done({"migration_context": None}, None, ["migration_context"] if changed else [])


@action("Instance", "delete_metadata_key")
def delete_metadata_key(call: Call, obj: Any, key: str) -> Done:
    """One key; the others stay as the caller has them, or as they are in the database."""
    call.db.run(instances_save.remove_metadata, obj.uuid, key)
    held = obj.metadata if obj.is_set("metadata") else call.db.read(instances_save.metadata, obj.uuid)
    return Done({"metadata": {name: value for name, value in held.items() if name != key}})
