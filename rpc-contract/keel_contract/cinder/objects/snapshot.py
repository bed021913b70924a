"""Snapshot and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Snapshot(Persistent, CinderObject):
    """A snapshot of a volume."""

    VERSION = "1.6"
    changed_when_read = ("metadata",)
    fields = {
        "cgsnapshot": f.ObjectField("CGSnapshot", nullable=True),
        "cgsnapshot_id": f.UUIDField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "encryption_key_id": f.UUIDField(nullable=True),
        "group_snapshot": f.ObjectField("GroupSnapshot", nullable=True),
        "group_snapshot_id": f.UUIDField(nullable=True),
        "id": f.UUIDField(),
        "metadata": f.DictOfStringsField(),
        "progress": f.StringField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "provider_auth": f.StringField(nullable=True),
        "provider_id": f.StringField(nullable=True),
        "provider_location": f.StringField(nullable=True),
        "status": enums.SnapshotStatusField(nullable=True),
        "use_quota": f.BooleanField(default=True),
        "user_id": f.StringField(nullable=True),
        "volume": f.ObjectField("Volume", nullable=True),
        "volume_id": f.UUIDField(nullable=True),
        "volume_size": f.IntegerField(nullable=True),
        "volume_type_id": f.UUIDField(nullable=True),
    }


@REGISTRY.register
class SnapshotList(CinderList):
    """A list of Snapshot."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("Snapshot"),
    }
