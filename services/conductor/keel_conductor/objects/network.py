"""InstanceInfoCache, VirtualInterface and VirtualInterfaceList."""

import json
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import network_parts as store
from keel_common.db.violations import IntegrityError
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

CACHE = "InstanceInfoCache"
VIF = "VirtualInterface"


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return wire.fields(CACHE, row) | {"network_info": json.loads(row["network_info"] or "[]")}


@class_action(CACHE, "get_by_instance_uuid")
def get_cache(call: Call, instance_uuid: str) -> Any:
    return wire.info_cache(call.db.read(store.info_cache, instance_uuid))


@action(CACHE, "save")
def save_cache(call: Call, obj: Any, update_cells: bool = True) -> Done:
    if "network_info" not in obj.obj_what_changed():
        return Done({})
    row = call.db.run(store.save_info_cache, obj.instance_uuid, json.dumps(obj.network_info or []))
    return Done(_fields(row))


@action(CACHE, "refresh")
def refresh_cache(call: Call, obj: Any) -> Done:
    """Fields that the caller has get the stored values."""
    fresh = _fields(call.db.read(store.info_cache, obj.instance_uuid))
    return Done({name: value for name, value in fresh.items() if obj.is_set(name)})


@action(CACHE, "delete")
def delete_cache(call: Call, obj: Any) -> Done:
    call.db.run(store.delete_info_cache, obj.instance_uuid)
    return Done.untouched(obj)


@action(VIF, "create")
def create_vif(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The interface exists.", action="create", reason="already created")
    try:
        return Done(_vif_fields(call.db.run(store.create_vif, wire.changed(obj))))
    except IntegrityError as error:
        raise Refused("VirtualInterfaceCreateException", "The interface cannot be stored.") from error


def _vif_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Without network_id where the row has none, which is the rule by now."""
    return wire.fields(VIF, {name: value for name, value in row.items() if name != "network_id" or value is not None})


@action(VIF, "save")
def save_vif(call: Call, obj: Any) -> Done:
    """The result is the interface itself."""
    values = wire.changed(obj)
    if "address" in values:
        text = "The address of an interface stays."
        raise Refused("ObjectActionError", text, action="save", reason="address is not mutable")
    row = call.db.run(store.update_vif, obj.id, values)
    if not row:
        raise not_found("VirtualInterfaceNotFound", f"Interface {obj.id}", id=obj.id)
    return Done(_vif_fields(row), wire.read(wire.REGISTRY.classes[VIF], _vif_fields(row)))


@action(VIF, "destroy")
def destroy_vif(call: Call, obj: Any) -> Done:
    call.db.run(store.delete_vif, obj.id)
    return Done({})


def _vif(call: Call, **equal: Any) -> Any:
    row = call.db.read(store.vif, **equal)
    return None if row is None else wire.read(wire.REGISTRY.classes[VIF], _vif_fields(row))


def _vifs(rows: list[dict[str, Any]]) -> Any:
    return wire.listed(
        "VirtualInterfaceList", [wire.read(wire.REGISTRY.classes[VIF], _vif_fields(row)) for row in rows]
    )


@class_action(VIF, "get_by_id")
def get_vif_by_id(call: Call, vif_id: int) -> Any:
    return _vif(call, id=vif_id)


@class_action(VIF, "get_by_uuid")
def get_vif_by_uuid(call: Call, vif_uuid: str) -> Any:
    return _vif(call, uuid=vif_uuid)


@class_action(VIF, "get_by_address")
def get_vif_by_address(call: Call, address: str) -> Any:
    return _vif(call, address=address)


@class_action(VIF, "get_by_instance_and_network")
def get_vif_by_network(call: Call, instance_uuid: str, network_id: int) -> Any:
    return _vif(call, instance_uuid=instance_uuid, network_id=network_id)


@class_action(VIF, "delete_by_instance_uuid")
def delete_vifs(call: Call, instance_uuid: str) -> None:
    call.db.run(store.delete_vifs, instance_uuid)


@class_action("VirtualInterfaceList", "get_all")
def get_vifs(call: Call) -> Any:
    return _vifs(call.db.read(store.vifs))


@class_action("VirtualInterfaceList", "get_by_instance_uuid")
def get_vifs_of_server(call: Call, instance_uuid: str, use_slave: bool = False) -> Any:
    return _vifs(call.db.read(store.vifs, instance_uuid))
