"""Notifications: volume (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class VolumeUsagePayload(Payload):
    """What is told of: volume usage."""

    VERSION = "1.0"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "instance_uuid": f.UUIDField(nullable=True),
        "last_refreshed": f.DateTimeField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "read_bytes": f.IntegerField(),
        "reads": f.IntegerField(),
        "user_id": f.StringField(nullable=True),
        "volume_id": f.UUIDField(),
        "write_bytes": f.IntegerField(),
        "writes": f.IntegerField(),
    }
    SCHEMA = taken(
        "vol_usage",
        "availability_zone",
        "instance_uuid",
        "last_refreshed",
        "project_id",
        "read_bytes",
        "reads",
        "user_id",
        "volume_id",
        "write_bytes",
        "writes",
    )


VolumeUsageNotification = notification("VolumeUsageNotification", "VolumeUsagePayload", "1.0")
