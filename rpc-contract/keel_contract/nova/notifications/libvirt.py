"""Notifications: libvirt (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification


@REGISTRY.register
class LibvirtErrorPayload(Payload):
    """What is told of: libvirt error."""

    VERSION = "1.0"
    fields = {
        "ip": f.StringField(),
        "reason": f.ObjectField("ExceptionPayload"),
    }


LibvirtErrorNotification = notification("LibvirtErrorNotification", "LibvirtErrorPayload", "1.0")
