"""InstanceGroup and InstanceGroupList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import group_records as store
from keel_common.db.stores.nova import instances, placed, server_groups
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action
from keel_contract.errors import ExpectedFault

NAME = "InstanceGroup"
_OWN = ("name", "project_id", "user_id", "uuid")


def group_fields(row: dict[str, Any]) -> dict[str, Any]:
    """`policies` repeats the one policy for peers that know a list."""
    more = {"_rules": {key: str(value) for key, value in row["rules"].items()}, "members": row["members"]}
    policies = [row["policy"]] if row["policy"] else []
    return wire.fields(NAME, row) | more | {"policies": policies, "deleted": False, "deleted_at": None}


def group_object(row: dict[str, Any]) -> Any:
    """An InstanceGroup of a row with policy, rules and members."""
    return wire.read(wire.REGISTRY.classes[NAME], group_fields(row))


def absent(what: Any) -> Refused:
    """No such group."""
    return not_found("InstanceGroupNotFound", f"Server group {what}", group_uuid=what)


def _group(row: dict[str, Any] | None, what: Any) -> Any:
    if row is None:
        raise absent(what)
    return group_object(row)


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The group exists.", action="create", reason="already created")
    values = {name: value for name, value in wire.changed(obj).items() if name in _OWN}
    policy, rules, members = obj.get("policy"), obj.get("_rules"), obj.get("members")
    try:
        row = call.api.run(store.create, values, policy, rules, members or [])
    except store.IdTaken as taken:
        raise Refused("InstanceGroupIdExists", f"Server group {obj.uuid} exists.", 409, group_uuid=obj.uuid) from taken
    return Done(group_fields(row))


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    """Members are only ever added here; the policy of a group stays."""
    changes = wire.changed(obj)
    if "hosts" in changes:
        raise Refused("InstanceGroupSaveException", "Hosts of a group are not stored.", 500, field="hosts")
    if not changes:
        return Done({})
    if "policy" in changes:
        raise ExpectedFault("AttributeError", "The policy of a group stays.", module="builtins")
    values = {name: value for name, value in changes.items() if name in _OWN}
    row = call.api.run(store.change, obj.uuid, values, changes.get("members"))
    if row is None:
        raise absent(obj.uuid)
    return Done(group_fields(row))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    row = call.api.read(placed.group, uuid=obj.uuid)
    if row is None or not call.api.run(server_groups.remove, row["id"]):
        raise absent(obj.uuid)
    return Done({})


@action(NAME, "refresh")
def refresh(call: Call, obj: Any) -> Done:
    row = call.api.read(placed.group, uuid=obj.uuid)
    if row is None:
        raise absent(obj.uuid)
    return Done(group_fields(row))


@action(NAME, "get_hosts")
def get_hosts(call: Call, obj: Any, exclude: Any = None) -> Done:
    members = [uuid for uuid in obj.get("members") or () if uuid not in (exclude or ())]
    return Done({}, sorted(hosts_of(call, members)))


def hosts_of(call: Call, uuids: list[str]) -> set[str]:
    """Hosts of servers, over all cells."""
    found: set[str] = set()
    for cell in call.cells.working() if uuids else ():
        found |= cell.db.read(instances.hosts_of, uuids)
    return found


@action(NAME, "count_members_by_user")
def count_members_by_user(call: Call, obj: Any, user_id: str) -> Done:
    """Members in cells and members that are being built."""
    members = list(obj.get("members") or ())
    return Done({}, members_of_user(call, members, user_id))


def members_of_user(call: Call, members: list[str], user_id: str) -> int:
    """How many of these servers, in any cell or still to be built, are of the user."""
    found = set(call.api.read(store.planned_of_user, members, user_id)) if members else set()
    for cell in call.cells.all() if members else ():
        found |= set(cell.db.read(store.servers_of_user, members, user_id))
    return len(found)


@class_action(NAME, "get_by_instance_uuid")
def get_group_of_server(call: Call, instance_uuid: str) -> Any:
    return _group(call.api.read(placed.group_of_instance, instance_uuid), "")


@class_action(NAME, "get_by_uuid")
def get_group(call: Call, uuid: str) -> Any:
    return _group(call.api.read(placed.group, uuid=uuid), uuid)


@class_action(NAME, "get_by_name")
def get_group_by_name(call: Call, name: str) -> Any:
    return _group(call.api.read(placed.group, name=name), name)


@class_action(NAME, "add_members")
def add_members(call: Call, group_uuid: str, instance_uuids: list[str]) -> list[str]:
    """The servers that are members now and were named."""
    added = call.api.run(store.add_members, group_uuid, instance_uuids)
    if added is None:
        raise absent(group_uuid)
    return list(instance_uuids)


def _listed(rows: list[dict[str, Any]]) -> Any:
    return wire.listed("InstanceGroupList", [group_object(row) for row in rows])


@class_action("InstanceGroupList", "get_all")
def get_all(call: Call) -> Any:
    return _listed(call.api.read(store.listing))


@class_action("InstanceGroupList", "get_by_project_id")
def get_by_project(call: Call, project_id: str) -> Any:
    return _listed(call.api.read(store.listing, project_id))


@class_action("InstanceGroupList", "get_counts")
def get_counts(call: Call, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    return call.api.read(store.counts, project_id, user_id)
