"""Notifications: instance (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, taken
from keel_contract.nova.notifications.enums import DiskConfigField, InstanceStateField, InstanceTaskStateField
from keel_contract.nova.objects.enums import InstancePowerStateField


@REGISTRY.register
class AuditPeriodPayload(Payload):
    """What is told of: audit period."""

    VERSION = "1.0"
    fields = {
        "audit_period_beginning": f.DateTimeField(),
        "audit_period_ending": f.DateTimeField(),
    }


@REGISTRY.register
class BlockDevicePayload(Payload):
    """What is told of: block device."""

    VERSION = "1.0"
    fields = {
        "boot_index": f.IntegerField(nullable=True),
        "delete_on_termination": f.BooleanField(default=False),
        "device_name": f.StringField(nullable=True),
        "tag": f.StringField(nullable=True),
        "volume_id": f.UUIDField(),
    }
    SCHEMA = taken("bdm", "boot_index", "delete_on_termination", "device_name", "tag", "volume_id")


@REGISTRY.register
class InstancePayload(Payload):
    """What is told of: instance."""

    VERSION = "1.9"
    fields = {
        "action_initiator_project": f.StringField(nullable=True),
        "action_initiator_user": f.StringField(nullable=True),
        "architecture": f.StringField(nullable=True),
        "auto_disk_config": DiskConfigField(),
        "availability_zone": f.StringField(nullable=True),
        "block_devices": f.ListOfObjectsField("BlockDevicePayload", nullable=True),
        "created_at": f.DateTimeField(nullable=True),
        "deleted_at": f.DateTimeField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "flavor": f.ObjectField("FlavorPayload"),
        "host": f.StringField(nullable=True),
        "host_name": f.StringField(nullable=True),
        "image_uuid": f.StringField(nullable=True),
        "ip_addresses": f.ListOfObjectsField("IpPayload"),
        "kernel_id": f.StringField(nullable=True),
        "key_name": f.StringField(nullable=True),
        "launched_at": f.DateTimeField(nullable=True),
        "locked": f.BooleanField(),
        "locked_reason": f.StringField(nullable=True),
        "metadata": f.DictOfStringsField(),
        "node": f.StringField(nullable=True),
        "os_type": f.StringField(nullable=True),
        "power_state": InstancePowerStateField(nullable=True),
        "progress": f.IntegerField(nullable=True),
        "ramdisk_id": f.StringField(nullable=True),
        "request_id": f.StringField(nullable=True),
        "reservation_id": f.StringField(nullable=True),
        "shares": f.ListOfObjectsField("SharePayload", nullable=True),
        "state": InstanceStateField(nullable=True),
        "task_state": InstanceTaskStateField(nullable=True),
        "tenant_id": f.StringField(nullable=True),
        "terminated_at": f.DateTimeField(nullable=True),
        "updated_at": f.DateTimeField(nullable=True),
        "user_id": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
    }
    SCHEMA = taken(
        "instance",
        "architecture",
        "auto_disk_config",
        "availability_zone",
        "created_at",
        "deleted_at",
        "display_description",
        "display_name",
        "host",
        "kernel_id",
        "key_name",
        "launched_at",
        "locked",
        "metadata",
        "node",
        "os_type",
        "power_state",
        "progress",
        "ramdisk_id",
        "reservation_id",
        "task_state",
        "terminated_at",
        "updated_at",
        "user_id",
        "uuid",
        host_name="hostname",
        image_uuid="image_ref",
        state="vm_state",
        tenant_id="project_id",
    )


@REGISTRY.register
class InstanceStateUpdatePayload(Payload):
    """What is told of: instance state update."""

    VERSION = "1.0"
    fields = {
        "new_task_state": f.StringField(nullable=True),
        "old_state": f.StringField(nullable=True),
        "old_task_state": f.StringField(nullable=True),
        "state": f.StringField(nullable=True),
    }


@REGISTRY.register
class IpPayload(Payload):
    """What is told of: ip."""

    VERSION = "1.0"
    fields = {
        "address": f.IPV4AndV6AddressField(),
        "device_name": f.StringField(nullable=True),
        "label": f.StringField(),
        "mac": f.MACAddressField(),
        "meta": f.DictOfStringsField(),
        "port_uuid": f.UUIDField(nullable=True),
        "version": f.IntegerField(),
    }


@REGISTRY.register
class SharePayload(Payload):
    """What is told of: share."""

    VERSION = "1.0"
    fields = {
        "share_id": f.UUIDField(),
        "share_mapping_uuid": f.UUIDField(),
        "status": f.StringField(),
        "tag": f.StringField(),
    }
    SCHEMA = taken("share", "share_id", "status", "tag", share_mapping_uuid="uuid")


@REGISTRY.register
class InstanceActionPayload(InstancePayload):
    """What is told of: instance action."""

    VERSION = "1.9"
    fields = {
        "fault": f.ObjectField("ExceptionPayload", nullable=True),
    }


@REGISTRY.register
class InstanceExistsPayload(InstancePayload):
    """What is told of: instance exists."""

    VERSION = "2.1"
    fields = {
        "audit_period": f.ObjectField("AuditPeriodPayload"),
    }


@REGISTRY.register
class InstanceUpdatePayload(InstancePayload):
    """What is told of: instance update."""

    VERSION = "2.1"
    fields = {
        "audit_period": f.ObjectField("AuditPeriodPayload"),
        "old_display_name": f.StringField(nullable=True),
        "state_update": f.ObjectField("InstanceStateUpdatePayload"),
        "tags": f.ListOfStringsField(),
    }
