"""MigrationContext (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class MigrationContext(Persistent, NovaObject):
    """Claims of a server on both sides of a move."""

    VERSION = "1.2"
    backports_within = False
    fields = {
        "instance_uuid": f.UUIDField(),
        "migration_id": f.IntegerField(),
        "new_numa_topology": f.ObjectField("InstanceNUMATopology", nullable=True),
        "new_pci_devices": since("1.1", f.ObjectField("PciDeviceList", nullable=True)),
        "new_pci_requests": since("1.1", f.ObjectField("InstancePCIRequests", nullable=True)),
        "new_resources": since("1.2", f.ObjectField("ResourceList", nullable=True)),
        "old_numa_topology": f.ObjectField("InstanceNUMATopology", nullable=True),
        "old_pci_devices": since("1.1", f.ObjectField("PciDeviceList", nullable=True)),
        "old_pci_requests": since("1.1", f.ObjectField("InstancePCIRequests", nullable=True)),
        "old_resources": since("1.2", f.ObjectField("ResourceList", nullable=True)),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
