"""BlockDeviceMapping and BlockDeviceMappingList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import bdms as store
from keel_common.db.stores.nova import instances
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "BlockDeviceMapping"
LIST = "BlockDeviceMappingList"


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The device exists.", action="create", reason="already created")
    if not obj.get("instance_uuid"):
        raise Refused("ObjectActionError", "A device needs a server.", action="create", reason="no instance_uuid")
    _no_instance(obj, "create", "instance assigned")
    return Done(wire.fields(NAME, call.db.run(store.create, _values(obj))))


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    _no_instance(obj, "save", "instance changed")
    return Done(wire.fields(NAME, call.db.run(store.update, obj.id, _values(obj))))


def _no_instance(obj: Any, method: str, reason: str) -> None:
    if "instance" in obj.obj_what_changed():
        raise Refused("ObjectActionError", "A device names its server by uuid.", action=method, reason=reason)


@action(NAME, "update_or_create")
def update_or_create(call: Call, obj: Any) -> Done:
    """The living row of the same server and device name takes the values, else there is a new one."""
    name = obj.get("device_name")
    found = None
    if name is not None and not obj.is_set("id"):
        found = call.db.read(store.of_name, obj.instance_uuid, name)
    if found is None:
        return create(call, obj)
    _no_instance(obj, "create", "instance assigned")
    return Done(wire.fields(NAME, call.db.run(store.update, found["id"], _values(obj))))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    if not obj.is_set("id"):
        raise Refused("ObjectActionError", "The device has no row.", action="destroy", reason="already destroyed")
    call.db.run(store.destroy, obj.id)
    return Done({})


def _values(obj: Any) -> dict[str, Any]:
    return {name: value for name, value in wire.changed(obj).items() if name != "instance"}


@class_action(NAME, "get_by_volume_and_instance")
def get_by_volume_and_instance(call: Call, volume_id: str, instance_uuid: str, expected_attrs: Any = None) -> Any:
    rows = call.db.read(store.of_volume, volume_id, instance_uuid)
    if not rows:
        raise not_found("VolumeBDMNotFound", f"Block device of volume {volume_id}", volume_id=volume_id)
    return _with_instance(call, rows[0], expected_attrs)


@class_action(NAME, "get_by_volume_id")
def get_by_volume_id(call: Call, volume_id: str, instance_uuid: str | None = None, expected_attrs: Any = None) -> Any:
    """The oldest row of a volume; when a server is named that row has to be of it."""
    rows = call.db.read(store.of_volume, volume_id)
    if not rows:
        raise not_found("VolumeBDMNotFound", f"Block device of volume {volume_id}", volume_id=volume_id)
    if instance_uuid and rows[0]["instance_uuid"] != instance_uuid:
        reason = "The volume is of another server."
        raise Refused("InvalidVolume", reason, 400, reason=reason)
    return _with_instance(call, rows[0], expected_attrs)


@class_action(NAME, "get_by_volume")
def get_by_volume(call: Call, volume_id: str, expected_attrs: Any = None) -> Any:
    """The one row of a volume that is attached once."""
    rows = call.db.read(store.of_volume, volume_id)
    if len(rows) > 1:
        name = "VolumeBDMIsMultiAttach"
        raise Refused(name, f"Volume {volume_id} is attached several times.", 400, volume_id=volume_id)
    return get_by_volume_id(call, volume_id, None, expected_attrs)


def _with_instance(call: Call, row: dict[str, Any], parts: Any) -> Any:
    if not parts or "instance" not in parts:
        return wire.record(NAME, row)
    server = call.db.read(instances.by_uuid, row["instance_uuid"])
    return wire.record(NAME, row, instance=None if server is None else wire.instance(server))


@class_action(LIST, "get_by_instance_uuid")
def list_of_server(call: Call, instance_uuid: str, use_slave: bool = False) -> Any:
    return wire.listed(LIST, call.db.read(store.of_servers, [instance_uuid]), NAME)


@class_action(LIST, "get_by_instance_uuids")
def list_of_servers(call: Call, instance_uuids: list[str], use_slave: bool = False) -> Any:
    return wire.listed(LIST, call.db.read(store.of_servers, instance_uuids), NAME)


@class_action(LIST, "get_by_volume")
def list_of_volume(call: Call, volume_id: str, use_slave: bool = False) -> Any:
    rows = call.db.read(store.of_volume, volume_id)
    if not rows:
        raise not_found("VolumeBDMNotFound", f"Block device of volume {volume_id}", volume_id=volume_id)
    return wire.listed(LIST, rows, NAME)
