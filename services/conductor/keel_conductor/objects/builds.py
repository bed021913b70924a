"""BuildRequest and BuildRequestList: servers that are in no cell yet (nova 34.0.0 db semantics, build_requests)."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import build_requests as store
from keel_common.db.stores.nova import placed
from keel_common.domain.server.planned import matching, page
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "BuildRequest"
_FORCED = {
    "host": None,
    "node": None,
    "compute_id": None,
    "launched_at": None,
    "launched_on": None,
    "terminated_at": None,
    "disable_terminate": False,
    "cell_name": None,
}
"""What a cell will say of a server: not said before, whatever is stored."""
_DEFAULTS = {"deleted": False, "hidden": False, "locked_by": None}
_PARTS = {"block_device_mappings": "BlockDeviceMappingList", "tags": "TagList"}
"""Columns with a list object; an empty column is an empty list."""


def _absent(uuid: str) -> Refused:
    return not_found("BuildRequestNotFound", f"Build request of server {uuid}", uuid=uuid)


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    values = wire.fields(NAME, {name: row[name] for name in row if name not in ("instance", *_PARTS)})
    for name, of in _PARTS.items():
        found = wire.stored(row[name])
        values[name] = wire.listed(of, []) if found is None else found
        values[name].obj_reset_changes(recursive=True)
    values["instance"] = _instance(row, values["tags"])
    return values


def _instance(row: dict[str, Any], tags: Any) -> Any:
    """The server as it was asked for; what a cell will say of it has no value yet."""
    server = wire.stored(row["instance"])
    for name, value in (_DEFAULTS | _FORCED).items():
        if name in _FORCED or not server.is_set(name):
            setattr(server, name, value)
    server.created_at, server.updated_at = wire.aware(row["created_at"]), wire.aware(row["updated_at"])
    server.tags = tags
    server.obj_reset_changes(recursive=True)
    return server


def _object(row: dict[str, Any]) -> Any:
    return wire.read(wire.REGISTRY.classes[NAME], _fields(row))


def _values(obj: Any) -> dict[str, Any]:
    changes = obj.obj_what_changed()
    texts = {name: wire.text(getattr(obj, name)) for name in ("instance", *_PARTS) if name in changes}
    own = {name: value for name, value in wire.changed(obj).items() if name in ("project_id", "instance_uuid")}
    return own | texts


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The build request exists.", action="create", reason="already created")
    if not obj.is_set("instance_uuid"):
        text, reason = "A build request is of a server.", "instance_uuid must be set"
        raise Refused("ObjectActionError", text, action="create", reason=reason)
    return Done(_fields(call.api.run(store.create, _values(obj))))


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    row = call.api.run(store.change, obj.id, _values(obj))
    if row is None:
        raise _absent(obj.instance_uuid)
    return Done(_fields(row))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    if not call.api.run(placed.delete_build_request, obj.instance_uuid):
        raise _absent(obj.instance_uuid)
    return Done.untouched(obj)


@class_action(NAME, "get_by_instance_uuid")
def get_by_instance_uuid(call: Call, instance_uuid: str) -> Any:
    row = call.api.read(store.of_server, instance_uuid)
    if row is None:
        raise _absent(instance_uuid)
    return _object(row)


@class_action("BuildRequestList", "get_all")
def get_all(call: Call) -> Any:
    return wire.listed("BuildRequestList", [_object(row) for row in call.api.read(store.listing)])


@class_action("BuildRequestList", "get_by_filters")
def get_by_filters(
    call: Call,
    filters: dict[str, Any],
    limit: int | None = None,
    marker: str | None = None,
    sort_keys: Any = None,
    sort_dirs: Any = None,
) -> Any:
    """Servers that are not in a cell, filtered by what their objects say (not by the database)."""
    found: Any = wire.REGISTRY.classes["BuildRequestList"](objects=[])
    if limit == 0:
        return found
    requests = [_object(row) for row in call.api.read(store.listing)]
    requests = [request for request in requests if matching(request.instance, filters)]
    chosen = page(requests, marker, limit, sort_keys, sort_dirs)
    if chosen is None:
        raise not_found("MarkerNotFound", f"Build request of server {marker}", marker=marker)
    found.objects = chosen
    return found
