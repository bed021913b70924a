"""RequestSpec and VolumeProperties (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderObject


@REGISTRY.register
class RequestSpec(CinderObject):
    """What the scheduler must find a pool for."""

    VERSION = "1.5"
    fields = {
        "CG_backend": f.StringField(nullable=True),
        "availability_zones": f.ListOfStringsField(nullable=True),
        "backup_id": f.UUIDField(nullable=True),
        "cgsnapshot_id": f.UUIDField(nullable=True),
        "consistencygroup_id": f.UUIDField(nullable=True),
        "group_backend": f.StringField(nullable=True),
        "group_id": f.UUIDField(nullable=True),
        "image_id": f.UUIDField(nullable=True),
        "operation": f.StringField(nullable=True),
        "resource_backend": f.StringField(nullable=True),
        "snapshot_id": f.UUIDField(nullable=True),
        "source_replicaid": f.UUIDField(nullable=True),
        "source_volid": f.UUIDField(nullable=True),
        "volume": f.ObjectField("Volume", nullable=True),
        "volume_id": f.UUIDField(nullable=True),
        "volume_properties": f.ObjectField("VolumeProperties", nullable=True),
        "volume_type": f.ObjectField("VolumeType", nullable=True),
    }


@REGISTRY.register
class VolumeProperties(CinderObject):
    """The volume a RequestSpec asks for."""

    VERSION = "1.1"
    fields = {
        "attach_status": f.StringField(nullable=True),
        "availability_zone": f.StringField(nullable=True),
        "cgsnapshot_id": f.UUIDField(nullable=True),
        "consistencygroup_id": f.UUIDField(nullable=True),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "encryption_key_id": f.UUIDField(nullable=True),
        "group_id": f.UUIDField(nullable=True),
        "group_type_id": f.UUIDField(nullable=True),
        "metadata": f.DictOfStringsField(nullable=True),
        "multiattach": f.BooleanField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "qos_specs": f.DictOfStringsField(nullable=True),
        "replication_status": f.StringField(nullable=True),
        "reservations": f.ListOfStringsField(nullable=True),
        "size": f.IntegerField(nullable=True),
        "snapshot_id": f.UUIDField(nullable=True),
        "source_replicaid": f.UUIDField(nullable=True),
        "source_volid": f.UUIDField(nullable=True),
        "status": f.StringField(nullable=True),
        "user_id": f.StringField(nullable=True),
        "volume_type_id": f.UUIDField(nullable=True),
    }
