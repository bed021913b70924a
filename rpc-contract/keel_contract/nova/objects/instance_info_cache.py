"""InstanceInfoCache (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract import fields as own
from keel_contract.nova.objects.base import REGISTRY, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class InstanceInfoCache(Persistent, NovaObject):
    """The network interfaces of a server as last seen."""

    VERSION = "1.5"
    fields = {
        "instance_uuid": f.UUIDField(),
        "network_info": own.NetworkModelField(nullable=True),
    }
    actions = signatures(
        "delete()",
        "refresh()",
        "save(update_cells=True)",
    )
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
