"""PciDevice and PciDeviceList."""

import json
from typing import Any

from keel_common.db.refusals import not_found
from keel_common.db.stores.nova import extras
from keel_common.db.stores.nova import pci_devices as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "PciDevice"


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    """Writes a device by node and address; a removed one is deleted, a deleted one is left alone."""
    if obj.status == "removed":
        call.db.run(store.remove, obj.compute_node_id, obj.address)
        return Done({"status": "deleted"}, None, ["status"])
    if obj.status == "deleted":
        return Done.untouched(obj)
    values = wire.changed(obj)
    if not values:
        return Done({})
    if "extra_info" in values:
        values["extra_info"] = json.dumps(obj.extra_info)
    row = call.db.run(store.save, obj.get("compute_node_id"), obj.get("address"), values)
    return Done(wire.fields(NAME, row) | {"extra_info": json.loads(row["extra_info"] or "{}")})


@class_action(NAME, "get_by_dev_addr")
def get_by_address(call: Call, compute_node_id: int, dev_addr: str) -> Any:
    rows = call.db.read(extras.pci_devices, compute_node_id=compute_node_id, address=dev_addr)
    if not rows:
        facts = {"node_id": compute_node_id, "address": dev_addr}
        raise not_found("PciDeviceNotFound", f"PCI device {dev_addr}", **facts)
    return wire.pci_device(rows[0])


@class_action(NAME, "get_by_dev_id")
def get_by_id(call: Call, id: int) -> Any:
    rows = call.db.read(extras.pci_devices, id=id)
    if not rows:
        raise not_found("PciDeviceNotFoundById", f"PCI device {id}", id=id)
    return wire.pci_device(rows[0])


@class_action("PciDeviceList", "get_by_compute_node")
def get_devices_of_node(call: Call, node_id: int) -> Any:
    return _devices(call, compute_node_id=node_id)


@class_action("PciDeviceList", "get_by_instance_uuid")
def get_devices_of_server(call: Call, uuid: str) -> Any:
    return _devices(call, instance_uuid=uuid, status="allocated")


@class_action("PciDeviceList", "get_by_parent_address")
def get_devices_of_parent(call: Call, node_id: int, parent_addr: str) -> Any:
    return _devices(call, compute_node_id=node_id, parent_addr=parent_addr)


def _devices(call: Call, **equal: Any) -> Any:
    return wire.listed("PciDeviceList", [wire.pci_device(row) for row in call.db.read(extras.pci_devices, **equal)])
