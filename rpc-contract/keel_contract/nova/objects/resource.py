"""Resource, ResourceMetadata and LibvirtVPMEMDevice (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract import fields as own
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import signatures


@REGISTRY.register
class Resource(NovaObject):
    """A resource that is more than a number."""

    VERSION = "1.0"
    fields = {
        "identifier": f.StringField(),
        "metadata": f.ObjectField("ResourceMetadata", subclasses=True),
        "provider_uuid": f.UUIDField(),
        "resource_class": own.ResourceClassField(),
    }


@REGISTRY.register
class ResourceMetadata(NovaObject):
    """Base of what describes a Resource."""

    VERSION = "1.0"


@REGISTRY.register
class LibvirtVPMEMDevice(ResourceMetadata):
    """A persistent memory namespace."""

    VERSION = "1.0"
    fields = {
        "align": f.IntegerField(),
        "devpath": f.StringField(),
        "label": f.StringField(),
        "name": f.StringField(),
        "size": f.IntegerField(),
    }


@REGISTRY.register
class ResourceList(NovaList):
    """A list of Resource."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("Resource"),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
