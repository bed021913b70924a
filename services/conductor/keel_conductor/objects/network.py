"""InstanceInfoCache, VirtualInterface and VirtualInterfaceList."""

import json
from typing import Any

from keel_common.db.stores.nova import network_parts as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, action, class_action

CACHE = "InstanceInfoCache"
VIF = "VirtualInterface"


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return wire.fields(CACHE, row) | {"network_info": json.loads(row["network_info"] or "[]")}


@class_action(CACHE, "get_by_instance_uuid")
def get_cache(call: Call, instance_uuid: str) -> Any:
    return wire.info_cache(call.db.read(store.info_cache, instance_uuid))


@action(CACHE, "save")
def save_cache(call: Call, obj: Any, update_cells: bool = True) -> tuple[dict[str, Any], Any]:
    if "network_info" not in obj.obj_what_changed():
        return {}, None
    row = call.db.run(store.save_info_cache, obj.instance_uuid, json.dumps(obj.network_info or []))
    return _fields(row), None


@action(CACHE, "refresh")
def refresh_cache(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    return _fields(call.db.read(store.info_cache, obj.instance_uuid)), None


@action(CACHE, "delete")
def delete_cache(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    call.db.run(store.delete_info_cache, obj.instance_uuid)
    return {}, None


@action(VIF, "create")
def create_vif(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    return wire.fields(VIF, call.db.run(store.create_vif, wire.changed(obj))), None


@action(VIF, "save")
def save_vif(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    return wire.fields(VIF, call.db.run(store.update_vif, obj.id, wire.changed(obj))), None


@action(VIF, "destroy")
def destroy_vif(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    call.db.run(store.delete_vif, obj.id)
    return {}, None


def _vif(call: Call, **equal: Any) -> Any:
    row = call.db.read(store.vif, **equal)
    return None if row is None else wire.record(VIF, row)


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
    return wire.listed("VirtualInterfaceList", call.db.read(store.vifs), VIF)


@class_action("VirtualInterfaceList", "get_by_instance_uuid")
def get_vifs_of_server(call: Call, instance_uuid: str, use_slave: bool = False) -> Any:
    return wire.listed("VirtualInterfaceList", call.db.read(store.vifs, instance_uuid), VIF)
