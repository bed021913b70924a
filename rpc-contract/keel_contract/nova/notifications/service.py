"""Notifications: service (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class ServiceStatusPayload(Payload):
    """What is told of: service status."""

    VERSION = "1.1"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "binary": f.StringField(nullable=True),
        "disabled": f.BooleanField(),
        "disabled_reason": f.StringField(nullable=True),
        "forced_down": f.BooleanField(),
        "host": f.StringField(nullable=True),
        "last_seen_up": f.DateTimeField(nullable=True),
        "report_count": f.IntegerField(),
        "topic": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
        "version": f.IntegerField(),
    }
    SCHEMA = taken(
        "service",
        "availability_zone",
        "binary",
        "disabled",
        "disabled_reason",
        "forced_down",
        "host",
        "last_seen_up",
        "report_count",
        "topic",
        "uuid",
        "version",
    )


ServiceStatusNotification = notification("ServiceStatusNotification", "ServiceStatusPayload", "1.0")
