"""Notifications: instance actions (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, notification
from keel_contract.nova.notifications.instance import InstanceActionPayload


@REGISTRY.register
class InstanceActionRebuildPayload(InstanceActionPayload):
    """What is told of: instance action rebuild."""

    VERSION = "1.10"
    fields = {
        "trusted_image_certificates": f.ListOfStringsField(nullable=True),
    }


@REGISTRY.register
class InstanceActionRescuePayload(InstanceActionPayload):
    """What is told of: instance action rescue."""

    VERSION = "1.4"
    fields = {
        "rescue_image_ref": f.UUIDField(nullable=True),
    }


@REGISTRY.register
class InstanceActionResizePrepPayload(InstanceActionPayload):
    """What is told of: instance action resize prep."""

    VERSION = "1.4"
    fields = {
        "new_flavor": f.ObjectField("FlavorPayload", nullable=True),
    }


@REGISTRY.register
class InstanceActionSharePayload(InstanceActionPayload):
    """What is told of: instance action share."""

    VERSION = "1.0"
    fields = {
        "share_id": f.UUIDField(),
    }


@REGISTRY.register
class InstanceActionSnapshotPayload(InstanceActionPayload):
    """What is told of: instance action snapshot."""

    VERSION = "1.10"
    fields = {
        "snapshot_image_id": f.UUIDField(),
    }


@REGISTRY.register
class InstanceActionVolumePayload(InstanceActionPayload):
    """What is told of: instance action volume."""

    VERSION = "1.7"
    fields = {
        "volume_id": f.UUIDField(),
    }


@REGISTRY.register
class InstanceActionVolumeSwapPayload(InstanceActionPayload):
    """What is told of: instance action volume swap."""

    VERSION = "1.9"
    fields = {
        "new_volume_id": f.UUIDField(),
        "old_volume_id": f.UUIDField(),
    }


@REGISTRY.register
class InstanceCreatePayload(InstanceActionPayload):
    """What is told of: instance create."""

    VERSION = "1.13"
    fields = {
        "instance_name": f.StringField(nullable=True),
        "keypairs": f.ListOfObjectsField("KeypairPayload"),
        "tags": f.ListOfStringsField(),
        "trusted_image_certificates": f.ListOfStringsField(nullable=True),
    }


InstanceActionNotification = notification("InstanceActionNotification", "InstanceActionPayload", "1.0")
InstanceActionRebuildNotification = notification(
    "InstanceActionRebuildNotification", "InstanceActionRebuildPayload", "1.0"
)
InstanceActionRescueNotification = notification(
    "InstanceActionRescueNotification", "InstanceActionRescuePayload", "1.0"
)
InstanceActionResizePrepNotification = notification(
    "InstanceActionResizePrepNotification", "InstanceActionResizePrepPayload", "1.0"
)
InstanceActionShareNotification = notification("InstanceActionShareNotification", "InstanceActionSharePayload", "1.0")
InstanceActionSnapshotNotification = notification(
    "InstanceActionSnapshotNotification", "InstanceActionSnapshotPayload", "1.0"
)
InstanceActionVolumeNotification = notification(
    "InstanceActionVolumeNotification", "InstanceActionVolumePayload", "1.0"
)
InstanceActionVolumeSwapNotification = notification(
    "InstanceActionVolumeSwapNotification", "InstanceActionVolumeSwapPayload", "1.0"
)
InstanceCreateNotification = notification("InstanceCreateNotification", "InstanceCreatePayload", "1.0")
InstanceExistsNotification = notification("InstanceExistsNotification", "InstanceExistsPayload", "1.0")
InstanceUpdateNotification = notification("InstanceUpdateNotification", "InstanceUpdatePayload", "1.0")
