"""Notifications: compute task (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification
from keel_contract.nova.notifications.enums import InstanceStateField


@REGISTRY.register
class ComputeTaskPayload(Payload):
    """What is told of: compute task."""

    VERSION = "1.0"
    fields = {
        "instance_uuid": f.UUIDField(),
        "reason": f.ObjectField("ExceptionPayload"),
        "request_spec": f.ObjectField("RequestSpecPayload", nullable=True),
        "state": InstanceStateField(nullable=True),
    }


ComputeTaskNotification = notification("ComputeTaskNotification", "ComputeTaskPayload", "1.0")
