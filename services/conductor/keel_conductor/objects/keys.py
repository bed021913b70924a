"""KeyPair and KeyPairList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import keypairs as store
from keel_common.db.stores.nova import quotas
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "KeyPair"


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return wire.fields(NAME, row) | {"deleted": False, "deleted_at": None}


def _absent(user_id: str, name: str) -> Refused:
    return not_found("KeypairNotFound", f"Key pair {name} of user {user_id}", user_id=user_id, name=name)


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The key pair exists.", action="create", reason="already created")
    try:
        row = call.api.run(store.create, wire.changed(obj))
    except store.Exists as exists:
        raise Refused("KeyPairExists", f"Key pair {obj.name} exists.", 409, key_name=obj.name) from exists
    return Done(_fields(row))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    destroy_by_name(call, obj.user_id, obj.name)
    return Done.untouched(obj)


@class_action(NAME, "destroy_by_name")
def destroy_by_name(call: Call, user_id: str, name: str) -> None:
    if not call.api.run(store.remove, user_id, name):
        raise _absent(user_id, name)


@class_action(NAME, "get_by_name")
def get_by_name(call: Call, user_id: str, name: str, localonly: bool = False) -> Any:
    """`localonly` meant the table of the cell, in which no key pair is any more."""
    row = None if localonly else call.api.read(store.find, user_id, name)
    if row is None:
        raise _absent(user_id, name)
    return wire.read(wire.REGISTRY.classes[NAME], _fields(row))


@class_action("KeyPairList", "get_by_user")
def get_by_user(call: Call, user_id: str, limit: int | None = None, marker: str | None = None) -> Any:
    rows = call.api.read(store.page, user_id, limit, marker)
    if rows is None:
        raise not_found("MarkerNotFound", f"Key pair {marker}", marker=marker)
    return wire.listed("KeyPairList", [wire.read(wire.REGISTRY.classes[NAME], _fields(row)) for row in rows])


@class_action("KeyPairList", "get_count_by_user")
def get_count_by_user(call: Call, user_id: str) -> int:
    return call.api.read(quotas.count_keys, user_id)
