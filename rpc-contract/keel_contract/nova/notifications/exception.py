"""Notifications: exception (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification


@REGISTRY.register
class ExceptionPayload(Payload):
    """What is told of: exception."""

    VERSION = "1.1"
    fields = {
        "exception": f.StringField(),
        "exception_message": f.StringField(),
        "function_name": f.StringField(),
        "module_name": f.StringField(),
        "traceback": f.StringField(),
    }


ExceptionNotification = notification("ExceptionNotification", "ExceptionPayload", "1.0")
