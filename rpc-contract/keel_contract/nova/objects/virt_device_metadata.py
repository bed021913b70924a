"""Devices as the guest is told about them: buses, disks, interfaces, shares."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract import fields as own
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import signatures, since


@REGISTRY.register
class DeviceBus(NovaObject):
    """Base of the buses a device sits on."""

    VERSION = "1.0"


@REGISTRY.register
class DeviceMetadata(NovaObject):
    """Base of what the guest is told about a device."""

    VERSION = "1.0"
    fields = {
        "bus": f.ObjectField("DeviceBus", subclasses=True),
        "tags": f.ListOfStringsField(),
    }


@REGISTRY.register
class InstanceDeviceMetadata(NovaObject):
    """The devices the guest is told about."""

    VERSION = "1.0"
    fields = {
        "devices": f.ListOfObjectsField("DeviceMetadata", subclasses=True),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")


@REGISTRY.register
class DiskMetadata(DeviceMetadata):
    """A disk the guest can recognise."""

    VERSION = "1.0"
    fields = {
        "path": f.StringField(nullable=True),
        "serial": f.StringField(nullable=True),
    }


@REGISTRY.register
class IDEDeviceBus(DeviceBus):
    """A place on an IDE bus."""

    VERSION = "1.0"
    fields = {
        "address": own.IDEAddressField(),
    }


@REGISTRY.register
class NetworkInterfaceMetadata(DeviceMetadata):
    """An interface the guest can recognise."""

    VERSION = "1.2"
    backports_within = False
    fields = {
        "mac": f.MACAddressField(),
        "vf_trusted": since("1.2", f.BooleanField(default=False)),
        "vlan": since("1.1", f.IntegerField()),
    }


@REGISTRY.register
class PCIDeviceBus(DeviceBus):
    """A place on a PCI bus."""

    VERSION = "1.0"
    fields = {
        "address": f.PCIAddressField(),
    }


@REGISTRY.register
class SCSIDeviceBus(DeviceBus):
    """A place on a SCSI bus."""

    VERSION = "1.0"
    fields = {
        "address": own.SCSIAddressField(),
    }


@REGISTRY.register
class ShareMetadata(DeviceMetadata):
    """A share the guest can mount."""

    VERSION = "1.0"
    fields = {
        "share_id": f.StringField(nullable=True),
        "tag": f.StringField(nullable=True),
    }


@REGISTRY.register
class USBDeviceBus(DeviceBus):
    """A place on a USB bus."""

    VERSION = "1.0"
    fields = {
        "address": own.USBAddressField(),
    }


@REGISTRY.register
class XenDeviceBus(DeviceBus):
    """A place on a Xen bus."""

    VERSION = "1.0"
    fields = {
        "address": own.XenAddressField(),
    }
