"""Objects whose rows are in the API database: mappings, groups, aggregates, keys, request specs, cells."""

from typing import Any

from keel_common.db.refusals import not_found
from keel_common.db.stores.nova import aggregates, cell_mappings, instances, placed
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, action, class_action

GROUP = "InstanceGroup"


def _cell(row: dict[str, Any] | None) -> Any:
    return None if row is None else wire.record("CellMapping", row)


@class_action("InstanceMapping", "get_by_instance_uuid")
def get_mapping(call: Call, instance_uuid: str) -> Any:
    row = call.api.read(placed.mapping, instance_uuid)
    if row is None:
        raise not_found("InstanceMappingNotFound", f"Mapping of server {instance_uuid}", uuid=instance_uuid)
    return wire.record("InstanceMapping", row, cell_mapping=_cell(row["cell"]))


@class_action("HostMapping", "get_by_host")
def get_host_mapping(call: Call, host: str) -> Any:
    row = call.api.read(cell_mappings.host, host)
    if row is None:
        raise not_found("HostMappingNotFound", f"Mapping of host {host}", name=host)
    return wire.record("HostMapping", row, cell_mapping=_cell(row["cell"]))


@class_action("CellMapping", "get_by_uuid")
def get_cell(call: Call, uuid: str) -> Any:
    for row in call.api.read(cell_mappings.cells):
        if row["uuid"] == uuid:
            return _cell(row)
    raise not_found("CellMappingNotFound", f"Cell {uuid}", uuid=uuid)


@class_action("RequestSpec", "get_by_instance_uuid")
def get_spec(call: Call, instance_uuid: str) -> Any:
    row = call.api.read(placed.spec, instance_uuid)
    if row is None:
        raise not_found("RequestSpecNotFound", f"Spec of server {instance_uuid}", instance_uuid=instance_uuid)
    spec = wire.stored(row["spec"])
    spec.id, spec.instance_uuid = row["id"], row["instance_uuid"]
    spec.obj_reset_changes()
    return spec


def group_object(row: dict[str, Any]) -> Any:
    """An InstanceGroup; `policies` repeats the one policy for peers that know a list."""
    more = {"_rules": {key: str(value) for key, value in row["rules"].items()}, "members": row["members"]}
    policies = [row["policy"]] if row["policy"] else []
    return wire.record(GROUP, row, **more, policies=policies, deleted=False, deleted_at=None)


def _group(row: dict[str, Any] | None, what: Any) -> Any:
    if row is None:
        raise not_found("InstanceGroupNotFound", f"Server group {what}", group_uuid=what)
    return group_object(row)


@class_action(GROUP, "get_by_instance_uuid")
def get_group_of_server(call: Call, instance_uuid: str) -> Any:
    return _group(call.api.read(placed.group_of_instance, instance_uuid), "")


@class_action(GROUP, "get_by_uuid")
def get_group(call: Call, uuid: str) -> Any:
    return _group(call.api.read(placed.group, uuid=uuid), uuid)


@class_action(GROUP, "get_by_name")
def get_group_by_name(call: Call, name: str) -> Any:
    return _group(call.api.read(placed.group, name=name), name)


@action(GROUP, "refresh")
def refresh_group(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    fresh = get_group(call, obj.uuid)
    return {name: getattr(fresh, name) for name in fresh.fields if fresh.is_set(name)}, None


@action(GROUP, "get_hosts")
def get_group_hosts(call: Call, obj: Any, exclude: Any = None) -> tuple[dict[str, Any], Any]:
    members = [uuid for uuid in obj.get("members") or () if uuid not in (exclude or ())]
    return {}, sorted(hosts_of(call, members))


def hosts_of(call: Call, uuids: list[str]) -> set[str]:
    """Hosts of servers, over all cells."""
    found: set[str] = set()
    for cell in call.cells.working() if uuids else ():
        found |= cell.db.read(instances.hosts_of, uuids)
    return found


def _aggregates(rows: list[dict[str, Any]]) -> Any:
    made = [wire.record("Aggregate", row, deleted=False, deleted_at=None) for row in rows]
    return wire.listed("AggregateList", made)


@class_action("AggregateList", "get_all")
def get_aggregates(call: Call) -> Any:
    return _aggregates(call.api.read(aggregates.listing))


@class_action("AggregateList", "get_by_host")
def get_aggregates_of_host(call: Call, host: str, key: str | None = None) -> Any:
    rows = [row for row in call.api.read(aggregates.listing) if host in row["hosts"]]
    return _aggregates([row for row in rows if key is None or key in row["metadata"]])


@class_action("AggregateList", "get_by_metadata_key")
def get_aggregates_with_key(call: Call, key: str, hosts: Any = None) -> Any:
    rows = [row for row in call.api.read(aggregates.listing) if key in row["metadata"]]
    return _aggregates([row for row in rows if hosts is None or set(hosts) & set(row["hosts"])])


@class_action("AggregateList", "get_by_metadata")
def get_aggregates_with_metadata(call: Call, key: str | None = None, value: str | None = None) -> Any:
    def wanted(row: dict[str, Any]) -> bool:
        pairs = row["metadata"].items()
        return any((key is None or name == key) and (value is None or text == value) for name, text in pairs)

    return _aggregates([row for row in call.api.read(aggregates.listing) if wanted(row)])


@class_action("KeyPairList", "get_by_user")
def get_keys(call: Call, user_id: str, limit: int | None = None, marker: str | None = None) -> Any:
    rows = call.api.read(placed.keys, user_id)
    names = [row["name"] for row in rows]
    first = names.index(marker) + 1 if marker in names else 0
    last = len(rows) if limit is None else first + limit
    made = [wire.record("KeyPair", row, deleted=False, deleted_at=None) for row in rows[first:last]]
    return wire.listed("KeyPairList", made)
