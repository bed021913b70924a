"""Group and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Group(Persistent, CinderObject):
    """Volumes handled as one."""

    VERSION = "1.2"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "cluster_name": f.StringField(nullable=True),
        "description": f.StringField(nullable=True),
        "group_snapshot_id": f.UUIDField(nullable=True),
        "group_snapshots": f.ObjectField("GroupSnapshotList", nullable=True),
        "group_type_id": f.StringField(),
        "host": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "name": f.StringField(nullable=True),
        "project_id": f.StringField(),
        "replication_status": enums.ReplicationStatusField(nullable=True),
        "source_group_id": f.UUIDField(nullable=True),
        "status": enums.GroupStatusField(nullable=True),
        "user_id": f.StringField(),
        "volume_type_ids": f.ListOfStringsField(nullable=True),
        "volume_types": f.ObjectField("VolumeTypeList", nullable=True),
        "volumes": f.ObjectField("VolumeList", nullable=True),
    }


@REGISTRY.register
class GroupList(CinderList):
    """A list of Group."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("Group"),
    }
