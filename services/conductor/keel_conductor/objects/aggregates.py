"""Aggregate and AggregateList."""

from collections.abc import Callable
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import aggregate_records as store
from keel_common.db.stores.nova import aggregates
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "Aggregate"
Row = dict[str, Any]


def _absent(aggregate_id: Any) -> Refused:
    return not_found("AggregateNotFound", f"Aggregate {aggregate_id}", aggregate_id=aggregate_id)


def _fields(row: Row) -> dict[str, Any]:
    return wire.fields(NAME, row) | {"deleted": False, "deleted_at": None}


def _found(row: Row | None, key: Any) -> Any:
    if row is None:
        raise _absent(key)
    return wire.read(wire.REGISTRY.classes[NAME], _fields(row))


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The aggregate exists.", action="create", reason="already created")
    _keep_hosts(obj, "create")
    values = wire.changed(obj)
    metadata = values.pop("metadata", {})
    try:
        row = call.api.run(store.create, values, metadata)
    except aggregates.NameTaken as taken:
        raise _taken(obj.name) from taken
    return Done(_fields(row))


def _taken(name: str) -> Refused:
    return Refused("AggregateNameExists", f"Aggregate {name} exists.", 409, aggregate_name=name)


def _keep_hosts(obj: Any, method: str) -> None:
    if "hosts" in obj.obj_what_changed():
        text = "Hosts join and leave by methods of their own."
        raise Refused("ObjectActionError", text, action=method, reason="hosts updated inline")


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    _keep_hosts(obj, "save")
    values = wire.changed(obj)
    metadata = values.pop("metadata", None)
    values.pop("id", None)
    try:
        row = call.api.run(store.change, obj.id, values, metadata)
    except aggregates.NameTaken as taken:
        raise _taken(obj.name) from taken
    if row is None:
        raise _absent(obj.id)
    return Done(_fields(row))


@action(NAME, "update_metadata")
def update_metadata(call: Call, obj: Any, updates: dict[str, str | None]) -> Done:
    """Adds or replaces keys; None deletes one."""
    call.api.run(store.merge_metadata, obj.id, updates)
    left = {**(obj.get("metadata") or {}), **updates}
    return Done({"metadata": {key: value for key, value in left.items() if value is not None}})


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    if not call.api.run(store.remove, obj.id):
        raise _absent(obj.id)
    return Done.untouched(obj)


@action(NAME, "add_host")
def add_host(call: Call, obj: Any, host: str) -> Done:
    try:
        known = call.api.run(store.join, obj.id, host)
    except aggregates.HostThere as there:
        facts = {"host": host, "aggregate_id": obj.id}
        raise Refused("AggregateHostExists", f"Host {host} is in aggregate {obj.id}.", 409, **facts) from there
    if not known:
        raise _absent(obj.id)
    return Done({"hosts": [*(obj.get("hosts") or []), host]}, None, set(obj.obj_what_changed()) - {"hosts"})


@action(NAME, "delete_host")
def delete_host(call: Call, obj: Any, host: str) -> Done:
    left = call.api.run(store.leave, obj.id, host)
    if left is None:
        raise _absent(obj.id)
    if not left:
        facts = {"host": host, "aggregate_id": obj.id}
        raise not_found("AggregateHostNotFound", f"Host {host} in aggregate {obj.id}", **facts)
    hosts = [name for name in obj.get("hosts") or [] if name != host]
    return Done({"hosts": hosts}, None, set(obj.obj_what_changed()) - {"hosts"})


@class_action(NAME, "get_by_id")
def get_by_id(call: Call, aggregate_id: int) -> Any:
    return _found(call.api.read(aggregates.find, aggregate_id), aggregate_id)


@class_action(NAME, "get_by_uuid")
def get_by_uuid(call: Call, aggregate_uuid: str) -> Any:
    return _found(call.api.read(store.by_uuid, aggregate_uuid), aggregate_uuid)


def _listed(call: Call, wanted: Callable[[Row], bool]) -> Any:
    rows = [row for row in call.api.read(aggregates.listing) if wanted(row)]
    return wire.listed("AggregateList", [_found(row, row["id"]) for row in rows])


@class_action("AggregateList", "get_all")
def get_all(call: Call) -> Any:
    return _listed(call, lambda row: True)


@class_action("AggregateList", "get_by_host")
def get_by_host(call: Call, host: str, key: str | None = None) -> Any:
    return _listed(call, lambda row: host in row["hosts"] and (key is None or key in row["metadata"]))


@class_action("AggregateList", "get_by_metadata_key")
def get_by_key(call: Call, key: str, hosts: Any = None) -> Any:
    return _listed(
        call, lambda row: key in row["metadata"] and (hosts is None or not set(hosts).isdisjoint(row["hosts"]))
    )


@class_action("AggregateList", "get_by_metadata")
def get_by_metadata(call: Call, key: str | None = None, value: str | None = None) -> Any:
    def wanted(row: Row) -> bool:
        pairs = row["metadata"].items()
        return any((key is None or name == key) and (value is None or text == value) for name, text in pairs)

    return _listed(call, wanted)
