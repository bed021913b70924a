"""Instance and InstanceList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import instances as store
from keel_common.db.stores.nova import instances_create, instances_destroy, instances_save
from keel_conductor.objects import new_server, wire
from keel_conductor.objects.registry import Call, action, class_action
from keel_contract import versions

TABLE = store.TABLE
_REMAKEABLE = (
    *store.DEFAULT_PARTS,
    *store.EXTRA_PARTS,
    "old_flavor",
    "new_flavor",
    "fault",
    "pci_devices",
    "services",
    "tags",
)


def _states(expected: Any) -> list[Any] | None:
    if expected is None:
        return None
    return list(expected) if isinstance(expected, list | tuple | set) else [expected]


@class_action("Instance", "get_by_uuid")
def get_by_uuid(call: Call, uuid: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:
    return wire.instance(_load(call, uuid, expected_attrs))


@class_action("Instance", "get_by_id")
def get_by_id(call: Call, inst_id: int, expected_attrs: Any = None) -> Any:
    parts = store.DEFAULT_PARTS if expected_attrs is None else expected_attrs
    found = call.db.read(store.load, [TABLE.c.id == inst_id], parts, call.context.read_deleted)
    if not found:
        raise not_found("InstanceNotFound", f"Server {inst_id}", instance_id=inst_id)
    return wire.instance(found[0])


def _load(call: Call, uuid: str, parts: Any = None) -> dict[str, Any]:
    wanted = store.DEFAULT_PARTS if parts is None else tuple(parts)
    server = call.db.read(store.by_uuid, uuid, wanted, call.context.read_deleted)
    if server is None:
        raise not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)
    return server


@action("Instance", "create")
def create(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The server exists.", action="create", reason="already created")
    created = call.db.run(instances_create.create, new_server.of(obj))
    values = wire.fields("Instance", _load(call, obj.uuid, ()))
    return values | {"ec2_ids": wire.read(wire.objects.EC2Ids, created.ec2_ids)}, None


@action("Instance", "save")
def save(
    call: Call,
    obj: Any,
    expected_vm_state: Any = None,
    expected_task_state: Any = None,
    admin_state_reset: bool = False,
) -> tuple[dict[str, Any], Any]:
    changes = wire.instance_changes(obj)
    if changes.values.get("node") and "compute_id" not in changes.values and not versions.older(obj.VERSION, "2.8"):
        text, reason = "A server that moves to a node needs its compute_id.", "node changed without compute_id"
        raise Refused("ObjectActionError", text, action="save", reason=reason)
    row = call.db.run(instances_save.save, obj.uuid, changes, _states(expected_vm_state), _states(expected_task_state))
    return wire.fields("Instance", row), None


@action("Instance", "refresh")
def refresh(call: Call, obj: Any, use_slave: bool = False) -> tuple[dict[str, Any], Any]:
    parts = [name for name in _REMAKEABLE if obj.is_set(name)]
    fresh = wire.instance(_load(call, obj.uuid, parts))
    return {name: getattr(fresh, name) for name in fresh.fields if fresh.is_set(name)}, None


@action("Instance", "destroy")
def destroy(call: Call, obj: Any, hard_delete: bool = False) -> tuple[dict[str, Any], Any]:
    if not obj.is_set("id") or obj.get("deleted"):
        raise Refused("ObjectActionError", "The server is gone already.", action="destroy", reason="already destroyed")
    row = call.db.run(instances_destroy.destroy, obj.uuid, obj.get("host"), hard_delete)
    return wire.fields("Instance", row), None


@action("Instance", "drop_migration_context")
def drop_migration_context(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    if obj.is_set("migration_context") and obj.migration_context is None:
        return {}, None
    changes = instances_save.Changes(extra={"migration_context": None})
    call.db.run(instances_save.save_parts, obj.uuid, changes)
    return {"migration_context": None}, None


@action("Instance", "delete_metadata_key")
def delete_metadata_key(call: Call, obj: Any, key: str) -> tuple[dict[str, Any], Any]:
    left = {name: value for name, value in _load(call, obj.uuid, ["metadata"])["metadata"].items() if name != key}
    call.db.run(instances_save.save_parts, obj.uuid, instances_save.Changes(metadata=left))
    return {"metadata": left}, None


# -- lists


def _list(call: Call, where: list[Any], parts: Any, **more: Any) -> Any:
    found = call.db.read(store.load, where, tuple(parts or ()), call.context.read_deleted, **more)
    return wire.listed("InstanceList", [wire.instance(server) for server in found])


@class_action("InstanceList", "get_by_host")
def get_by_host(call: Call, host: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:
    return _list(call, [TABLE.c.host == host], expected_attrs)


@class_action("InstanceList", "get_by_host_and_node")
def get_by_host_and_node(call: Call, host: str, node: str, expected_attrs: Any = None) -> Any:
    return _list(call, [TABLE.c.host == host, TABLE.c.node == node], expected_attrs)


@class_action("InstanceList", "get_by_host_and_not_type")
def get_by_host_and_not_type(call: Call, host: str, type_id: Any = None, expected_attrs: Any = None) -> Any:
    return _list(call, [TABLE.c.host == host, TABLE.c.instance_type_id != type_id], expected_attrs)


@class_action("InstanceList", "get_all")
def get_all(call: Call, expected_attrs: Any = None) -> Any:
    return _list(call, [], expected_attrs)


@class_action("InstanceList", "get_uuids_by_host")
def get_uuids_by_host(call: Call, host: str) -> list[str]:
    return call.db.read(store.uuids, TABLE.c.host == host)


@class_action("InstanceList", "get_uuids_by_host_and_node")
def get_uuids_by_host_and_node(call: Call, host: str, node: str) -> list[str]:
    return call.db.read(store.uuids, TABLE.c.host == host, TABLE.c.node == node)


@class_action("InstanceList", "get_uuids_by_hosts")
def get_uuids_by_hosts(call: Call, hosts: list[str]) -> dict[str, list[str]]:
    return {host: call.db.read(store.uuids, TABLE.c.host == host) for host in hosts}


_SORTABLE = {"asc": lambda column: column.asc(), "desc": lambda column: column.desc()}


@class_action("InstanceList", "get_by_filters")
def get_by_filters(
    call: Call,
    filters: dict[str, Any],
    sort_key: str = "created_at",
    sort_dir: str = "desc",
    limit: int | None = None,
    marker: str | None = None,
    expected_attrs: Any = None,
    use_slave: bool = False,
    sort_keys: Any = None,
    sort_dirs: Any = None,
) -> Any:
    """Exact values of columns, `deleted` and `soft_deleted`; anything else is refused by name."""
    if marker is not None:
        raise Refused("ObjectActionError", "get_by_filters with a marker", action="get_by_filters", reason="not built")
    where, read_deleted = [], "no"
    for name, value in filters.items():
        if name == "deleted":
            read_deleted = "only" if value else "no"
        elif name == "soft_deleted":
            where.append(TABLE.c.vm_state == "soft-delete" if value else TABLE.c.vm_state != "soft-delete")
        elif name in TABLE.c:
            column = TABLE.c[name]
            where.append(column.in_(list(value)) if isinstance(value, list | tuple | set) else column == value)
        else:
            reason = f"filter {name} is not built"
            raise Refused("ObjectActionError", reason, action="get_by_filters", reason=reason)
    keys, ways = sort_keys or [sort_key], sort_dirs or [sort_dir]
    order = [_SORTABLE[way](TABLE.c[key]) for key, way in zip(keys, ways, strict=False)]
    found = call.db.read(store.load, where, tuple(expected_attrs or ()), read_deleted, order, limit)
    return wire.listed("InstanceList", [wire.instance(server) for server in found])
