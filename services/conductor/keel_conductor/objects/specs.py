"""RequestSpec: what was asked for when a server was made (nova 34.0.0 db semantics, request_specs.spec)."""

import json
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import placed, records
from keel_conductor.objects import wire
from keel_conductor.objects.groups import group_object
from keel_conductor.objects.registry import Call, Done, action, class_action
from keel_contract.nova.objects.instance_numa import with_pinned_sets

NAME = "RequestSpec"
TABLE = records.api("request_specs")
ONE_REQUEST = ("retry", "requested_destination", "requested_resources", "ignore_hosts")
"""Stored without a value: they are of one request only."""
LEFT_OUT = ("network_metadata", "requested_networks", "request_level_params")
_NOT_READ = ("requested_destination", "requested_resources", *LEFT_OUT)


def _absent(uuid: str) -> Refused:
    return not_found("RequestSpecNotFound", f"Spec of server {uuid}", instance_uuid=uuid)


def stored(obj: Any, base: dict[str, Any] | None = None) -> str:
    """The text of the column; what `base` (the primitive stored before) has and the object has not stays."""
    primitive = obj.to_primitive()
    data = {**(base or {}).get("nova_object.data", {}), **primitive["nova_object.data"]}
    left_out = {name for name in LEFT_OUT if obj.is_set(name) and getattr(obj, name)}
    data = {name: value for name, value in data.items() if name not in left_out}
    data.update({name: None for name in ONE_REQUEST if obj.is_set(name) and getattr(obj, name)})
    group = data.get("instance_group")
    if group:
        held = {**group["nova_object.data"], **dict.fromkeys(("members", "hosts"))}
        data["instance_group"] = {**group, "nova_object.data": held}
        data["instance_group"]["nova_object.changes"] = sorted(
            {*group.get("nova_object.changes", ()), "members", "hosts"}
        )
    changes = [name for name in primitive.get("nova_object.changes", ()) if name not in left_out]
    return json.dumps({**primitive, "nova_object.data": data, "nova_object.changes": changes})


def _object(call: Call, row: dict[str, Any]) -> Any:
    primitive = dict(row["spec"])
    data = primitive["nova_object.data"]
    primitive["nova_object.data"] = {name: value for name, value in data.items() if name not in _NOT_READ}
    primitive["nova_object.changes"] = []
    spec = wire.stored(primitive)
    spec.id, spec.instance_uuid = row["id"], row["instance_uuid"]
    topology = spec.get("numa_topology")
    if topology is not None:
        with_pinned_sets(topology).VERSION = type(topology).VERSION
    group = spec.get("instance_group")
    if group is not None:
        found = call.api.read(placed.group, uuid=group.uuid)
        spec.instance_group = None if found is None else group_object(found)
        if found is None:
            spec.scheduler_hints = {key: value for key, value in (spec.scheduler_hints or {}).items() if key != "group"}
    spec.obj_reset_changes(recursive=False)
    return spec


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The spec exists.", action="create", reason="already created")
    values = {"instance_uuid": obj.instance_uuid, "spec": stored(obj)}
    row = call.api.run(records.create, TABLE, values)
    return Done({"id": row["id"]} | _group(call, obj), None, _nested(obj))


def _group(call: Call, obj: Any) -> dict[str, Any]:
    """The group of a spec as it is now."""
    held = obj.get("instance_group")
    row = None if held is None else call.api.read(placed.group, uuid=held.uuid)
    return {} if row is None else {"instance_group": group_object(row)}


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    values = {"spec": stored(obj)}
    if call.api.run(records.change, TABLE, values, instance_uuid=obj.instance_uuid) is None:
        raise _absent(obj.instance_uuid)
    return Done({}, None, _nested(obj))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    if not call.api.run(placed.delete_spec, obj.instance_uuid):
        raise _absent(obj.instance_uuid)
    return Done.untouched(obj)


def _nested(obj: Any) -> list[str]:
    """Fields whose object has changes of its own: those stay, the spec's own do not."""
    copy = obj.obj_clone()
    copy.obj_reset_changes(recursive=False)
    return sorted(set(copy.obj_what_changed()) - {"instance_group"})


@class_action(NAME, "get_by_instance_uuid")
def get_by_instance_uuid(call: Call, instance_uuid: str) -> Any:
    row = call.api.read(placed.spec, instance_uuid)
    if row is None:
        raise _absent(instance_uuid)
    return _object(call, row)


@class_action(NAME, "get_by_instance_uuids")
def get_by_instance_uuids(call: Call, instance_uuids: list[str]) -> list[Any]:
    return [_object(call, row) for row in call.api.read(placed.specs, instance_uuids)]
