"""InstanceExternalEvent (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject


@REGISTRY.register
class InstanceExternalEvent(NovaObject):
    """Something another service tells about a server."""

    VERSION = "1.5"
    fields = {
        "data": f.DictOfStringsField(),
        "instance_uuid": f.UUIDField(),
        "name": f.EnumField(
            valid_values=[
                "network-changed",
                "network-vif-plugged",
                "network-vif-unplugged",
                "network-vif-deleted",
                "volume-extended",
                "power-update",
                "accelerator-request-bound",
                "volume-reimaged",
            ]
        ),
        "status": f.EnumField(valid_values=["failed", "completed", "in-progress"]),
        "tag": f.StringField(nullable=True),
    }
