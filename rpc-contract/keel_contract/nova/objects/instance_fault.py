"""InstanceFault and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class InstanceFault(Persistent, NovaObject):
    """Why a server is in trouble."""

    VERSION = "1.2"
    fields = {
        "code": f.IntegerField(),
        "details": f.StringField(nullable=True),
        "host": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "instance_uuid": f.UUIDField(),
        "message": f.StringField(nullable=True),
    }
    actions = signatures("create()")
    class_actions = signatures("get_latest_for_instance(context, instance_uuid)")


@REGISTRY.register
class InstanceFaultList(NovaList):
    """A list of InstanceFault."""

    VERSION = "1.2"
    fields = {
        "objects": f.ListOfObjectsField("InstanceFault"),
    }
    class_actions = signatures(
        "get_by_instance_uuids(context, instance_uuids)",
        "get_latest_by_instance_uuids(context, instance_uuids)",
    )
