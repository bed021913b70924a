"""PciDevicePool and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import since


@REGISTRY.register
class PciDevicePool(NovaObject):
    """Equal PCI devices of a host, counted."""

    VERSION = "1.1"
    fields = {
        "count": f.IntegerField(),
        "numa_node": since("1.1", f.IntegerField(nullable=True)),
        "product_id": f.StringField(),
        "tags": f.DictOfNullableStringsField(),
        "vendor_id": f.StringField(),
    }


@REGISTRY.register
class PciDevicePoolList(NovaList):
    """A list of PciDevicePool."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("PciDevicePool"),
    }
