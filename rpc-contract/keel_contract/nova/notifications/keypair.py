"""Notifications: keypair (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class KeypairPayload(Payload):
    """What is told of: keypair."""

    VERSION = "1.0"
    fields = {
        "fingerprint": f.StringField(nullable=True),
        "name": f.StringField(),
        "public_key": f.StringField(nullable=True),
        "type": f.StringField(),
        "user_id": f.StringField(nullable=True),
    }
    SCHEMA = taken("keypair", "fingerprint", "name", "public_key", "type", "user_id")


KeypairNotification = notification("KeypairNotification", "KeypairPayload", "1.0")
