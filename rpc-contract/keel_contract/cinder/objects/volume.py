"""Volume and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Volume(Persistent, CinderObject):
    """A volume."""

    VERSION = "1.9"
    fields = {
        "_name_id": f.UUIDField(nullable=True),
        "admin_metadata": f.DictOfStringsField(nullable=True),
        "attach_status": enums.VolumeAttachStatusField(nullable=True),
        "availability_zone": f.StringField(nullable=True),
        "bootable": f.BooleanField(default=False, nullable=True),
        "cluster": f.ObjectField("Cluster", nullable=True, read_only=True),
        "cluster_name": f.StringField(nullable=True),
        "consistencygroup": f.ObjectField("ConsistencyGroup", nullable=True),
        "consistencygroup_id": f.UUIDField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "ec2_id": f.UUIDField(nullable=True),
        "encryption_key_id": f.UUIDField(nullable=True),
        "glance_metadata": f.DictOfStringsField(nullable=True),
        "group": f.ObjectField("Group", nullable=True),
        "group_id": f.UUIDField(nullable=True),
        "host": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "launched_at": f.DateTimeField(nullable=True),
        "metadata": f.DictOfStringsField(nullable=True),
        "migration_status": f.StringField(nullable=True),
        "multiattach": f.BooleanField(default=False, nullable=True),
        "previous_status": f.StringField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "provider_auth": f.StringField(nullable=True),
        "provider_geometry": f.StringField(nullable=True),
        "provider_id": f.StringField(nullable=True),
        "provider_location": f.StringField(nullable=True),
        "replication_driver_data": f.StringField(nullable=True),
        "replication_extended_status": f.StringField(nullable=True),
        "replication_status": f.StringField(nullable=True),
        "scheduled_at": f.DateTimeField(nullable=True),
        "service_uuid": f.StringField(nullable=True),
        "shared_targets": f.BooleanField(default=True, nullable=True),
        "size": f.IntegerField(nullable=True),
        "snapshot_id": f.UUIDField(nullable=True),
        "snapshots": f.ObjectField("SnapshotList", nullable=True),
        "source_volid": f.UUIDField(nullable=True),
        "status": f.StringField(nullable=True),
        "terminated_at": f.DateTimeField(nullable=True),
        "use_quota": f.BooleanField(default=True),
        "user_id": f.StringField(nullable=True),
        "volume_attachment": f.ObjectField("VolumeAttachmentList", nullable=True),
        "volume_type": f.ObjectField("VolumeType", nullable=True),
        "volume_type_id": f.UUIDField(nullable=True),
    }


@REGISTRY.register
class VolumeList(CinderList):
    """A list of Volume."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("Volume"),
    }
