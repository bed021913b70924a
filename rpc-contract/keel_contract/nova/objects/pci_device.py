"""PciDevice and its list (objects of nova)."""

from __future__ import annotations

from typing import Any

from oslo_versionedobjects import fields as f

from keel_contract import versions
from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since, values


@REGISTRY.register
class PciDevice(Persistent, NovaObject):
    """A PCI device of a host."""

    VERSION = "1.7"
    fields = {
        "address": f.StringField(),
        "compute_node_id": f.IntegerField(nullable=True),
        "dev_id": f.StringField(nullable=True),
        "dev_type": values(enums.PciDeviceTypeField(), refuse={"vdpa": "1.7"}),
        "extra_info": f.DictOfStringsField(default={}),
        "id": f.IntegerField(),
        "instance_uuid": f.StringField(nullable=True),
        "label": f.StringField(nullable=True),
        "numa_node": f.IntegerField(nullable=True),
        "parent_addr": since("1.4", f.StringField(nullable=True)),
        "product_id": f.StringField(),
        "request_id": since("1.2", f.StringField(nullable=True)),
        "status": values(
            enums.PciDeviceStatusField(),
            refuse={"unavailable": "1.5", "unclaimable": "1.5"},
            refuse_beside="parent_addr",
        ),
        "uuid": since("1.6", f.UUIDField()),
        "vendor_id": f.StringField(),
    }
    actions = signatures("save()")
    class_actions = signatures(
        "get_by_dev_addr(context, compute_node_id, dev_addr)",
        "get_by_dev_id(context, id)",
    )

    def backport(self, primitive: dict[str, Any], target_version: str) -> None:
        # The parent's address was kept in the extra information, where that was sent.
        parent, extra = primitive.get("parent_addr"), primitive.get("extra_info")
        if versions.older(target_version, "1.4") and parent is not None and extra is not None:
            primitive["extra_info"] = {**extra, "phys_function": parent}


@REGISTRY.register
class PciDeviceList(NovaList):
    """A list of PciDevice."""

    VERSION = "1.3"
    fields = {
        "objects": f.ListOfObjectsField("PciDevice"),
    }
    class_actions = signatures(
        "get_by_compute_node(context, node_id)",
        "get_by_instance_uuid(context, uuid)",
        "get_by_parent_address(context, node_id, parent_addr)",
    )
