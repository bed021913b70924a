"""SecurityGroup and SecurityGroupList: rows of old times (nova 34.0.0 has them still)."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova import security_groups as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "SecurityGroup"
LIST = "SecurityGroupList"
TABLE = records.cell("security_groups")


def _absent(group_id: Any) -> Refused:
    return not_found("SecurityGroupNotFound", f"Security group {group_id}", security_group_id=group_id)


def _get(call: Call, group_id: int) -> dict[str, Any]:
    row: dict[str, Any] | None = call.db.read(records.one, TABLE, call.context.read_deleted, **_mine(call), id=group_id)
    if row is None:
        raise _absent(group_id)
    return row


def _mine(call: Call) -> dict[str, Any]:
    return {} if call.context.is_admin else {"project_id": call.context.project_id}


@class_action(NAME, "get")
def get(call: Call, secgroup_id: int) -> Any:
    return wire.record(NAME, _get(call, secgroup_id))


@class_action(NAME, "get_by_name")
def get_by_name(call: Call, project_id: str, group_name: str) -> Any:
    row = call.db.read(records.one, TABLE, project_id=project_id, name=group_name)
    if row is None:
        facts = {"project_id": project_id, "security_group_id": group_name}
        raise not_found("SecurityGroupNotFoundForProject", f"Security group {group_name}", **facts)
    return wire.record(NAME, row)


@action(NAME, "in_use")
def in_use(call: Call, obj: Any) -> Done:
    return Done({}, call.db.read(store.in_use, obj.id), obj.obj_what_changed())


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    values = wire.changed(obj)
    if not values:
        return Done({})
    row = call.db.run(records.change, TABLE, values, id=obj.id)
    if row is None:
        raise _absent(obj.id)
    return Done(wire.fields(NAME, row))


@action(NAME, "refresh")
def refresh(call: Call, obj: Any) -> Done:
    return Done(wire.fields(NAME, _get(call, obj.id)))


def _listed(rows: list[dict[str, Any]]) -> Any:
    return wire.listed(LIST, rows, NAME)


@class_action(LIST, "get_all")
def get_all(call: Call) -> Any:
    return _listed(call.db.read(records.many, TABLE, call.context.read_deleted))


@class_action(LIST, "get_by_project")
def get_by_project(call: Call, project_id: str) -> Any:
    return _listed(call.db.read(records.many, TABLE, call.context.read_deleted, project_id=project_id))


@class_action(LIST, "get_by_instance")
def get_by_instance(call: Call, instance: Any) -> Any:
    return _listed(call.db.read(store.of_server, instance.uuid))


@class_action(LIST, "get_counts")
def get_counts(call: Call, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    found = {"project": {"security_groups": call.db.read(records.count, TABLE, project_id=project_id)}}
    if user_id is not None:
        mine = call.db.read(records.count, TABLE, project_id=project_id, user_id=user_id)
        found["user"] = {"security_groups": mine}
    return found
