"""Backup, BackupDeviceInfo and BackupImport (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Backup(Persistent, CinderObject):
    """A backup of a volume."""

    VERSION = "1.7"
    changed_when_read = ("metadata",)
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "container": f.StringField(nullable=True),
        "data_timestamp": f.DateTimeField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "encryption_key_id": f.StringField(nullable=True),
        "fail_reason": f.StringField(nullable=True),
        "host": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "metadata": f.DictOfStringsField(nullable=True),
        "num_dependent_backups": f.IntegerField(nullable=True),
        "object_count": f.IntegerField(nullable=True),
        "parent": f.ObjectField("Backup", nullable=True),
        "parent_id": f.StringField(nullable=True),
        "project_id": f.StringField(),
        "restore_volume_id": f.StringField(nullable=True),
        "service": f.StringField(nullable=True),
        "service_metadata": f.StringField(nullable=True),
        "size": f.IntegerField(nullable=True),
        "snapshot_id": f.StringField(nullable=True),
        "status": enums.BackupStatusField(nullable=True),
        "temp_snapshot_id": f.StringField(nullable=True),
        "temp_volume_id": f.StringField(nullable=True),
        "user_id": f.StringField(),
        "volume_id": f.UUIDField(),
    }


@REGISTRY.register
class BackupDeviceInfo(CinderObject):
    """The volume or snapshot a backup reads from."""

    VERSION = "1.0"
    fields = {
        "secure_enabled": f.BooleanField(default=False),
        "snapshot": f.ObjectField("Snapshot", nullable=True),
        "volume": f.ObjectField("Volume", nullable=True),
    }


@REGISTRY.register
class BackupImport(Persistent, CinderObject):
    """A backup record that is being imported."""

    VERSION = "1.7"
    changed_when_read = ("metadata",)
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "container": f.StringField(nullable=True),
        "data_timestamp": f.DateTimeField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "encryption_key_id": f.StringField(nullable=True),
        "fail_reason": f.StringField(nullable=True),
        "host": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "metadata": f.DictOfStringsField(nullable=True),
        "num_dependent_backups": f.IntegerField(nullable=True),
        "object_count": f.IntegerField(nullable=True),
        "parent": f.ObjectField("Backup", nullable=True),
        "parent_id": f.StringField(nullable=True),
        "project_id": f.StringField(),
        "restore_volume_id": f.StringField(nullable=True),
        "service": f.StringField(nullable=True),
        "service_metadata": f.StringField(nullable=True),
        "size": f.IntegerField(nullable=True),
        "snapshot_id": f.StringField(nullable=True),
        "status": enums.BackupStatusField(nullable=True),
        "temp_snapshot_id": f.StringField(nullable=True),
        "temp_volume_id": f.StringField(nullable=True),
        "user_id": f.StringField(),
        "volume_id": f.UUIDField(),
    }


@REGISTRY.register
class BackupList(CinderList):
    """A list of Backup."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("Backup"),
    }
