"""Notifications: server group (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class ServerGroupPayload(Payload):
    """What is told of: server group."""

    VERSION = "1.1"
    fields = {
        "hosts": f.ListOfStringsField(nullable=True),
        "members": f.ListOfStringsField(nullable=True),
        "name": f.StringField(nullable=True),
        "policies": f.ListOfStringsField(nullable=True),
        "policy": f.StringField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "rules": f.DictOfStringsField(),
        "user_id": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
    }
    SCHEMA = taken("group", "hosts", "members", "name", "policies", "policy", "project_id", "rules", "user_id", "uuid")


ServerGroupNotification = notification("ServerGroupNotification", "ServerGroupPayload", "1.0")
