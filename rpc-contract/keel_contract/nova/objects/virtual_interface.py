"""VirtualInterface and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class VirtualInterface(Persistent, NovaObject):
    """A network interface record of a server."""

    VERSION = "1.3"
    fields = {
        "address": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "instance_uuid": f.UUIDField(),
        "network_id": f.IntegerField(),
        "tag": since("1.1", f.StringField(nullable=True)),
        "uuid": f.UUIDField(),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures(
        "delete_by_instance_uuid(context, instance_uuid)",
        "get_by_address(context, address)",
        "get_by_id(context, vif_id)",
        "get_by_instance_and_network(context, instance_uuid, network_id)",
        "get_by_uuid(context, vif_uuid)",
    )


@REGISTRY.register
class VirtualInterfaceList(NovaList):
    """A list of VirtualInterface."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("VirtualInterface"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_instance_uuid(context, instance_uuid, use_slave=False)",
    )
