"""InstancePCIRequest and InstancePCIRequests (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import signatures, since


@REGISTRY.register
class InstancePCIRequest(NovaObject):
    """PCI devices a server asks for."""

    VERSION = "1.4"
    fields = {
        "alias_name": f.StringField(nullable=True),
        "count": f.IntegerField(),
        "is_new": f.BooleanField(default=False),
        "numa_policy": since("1.2", enums.PCINUMAAffinityPolicyField(nullable=True)),
        "request_id": since("1.1", f.UUIDField(nullable=True)),
        "requester_id": since("1.3", f.StringField(nullable=True)),
        "spec": f.ListOfDictOfNullableStringsField(),
    }


@REGISTRY.register
class InstancePCIRequests(NovaObject):
    """Everything a server asks for in PCI devices."""

    VERSION = "1.1"
    fields = {
        "instance_uuid": f.UUIDField(),
        "requests": f.ListOfObjectsField("InstancePCIRequest"),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
