"""ConsistencyGroup and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class ConsistencyGroup(Persistent, CinderObject):
    """Volumes that are snapshotted together (legacy)."""

    VERSION = "1.4"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "cgsnapshot_id": f.UUIDField(nullable=True),
        "cgsnapshots": f.ObjectField("CGSnapshotList", nullable=True),
        "cluster": f.ObjectField("Cluster", nullable=True, read_only=True),
        "cluster_name": f.StringField(nullable=True),
        "description": f.StringField(nullable=True),
        "host": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "name": f.StringField(nullable=True),
        "project_id": f.StringField(),
        "source_cgid": f.UUIDField(nullable=True),
        "status": enums.ConsistencyGroupStatusField(nullable=True),
        "user_id": f.StringField(),
        "volume_type_id": f.StringField(nullable=True),
        "volumes": f.ObjectField("VolumeList", nullable=True),
    }


@REGISTRY.register
class ConsistencyGroupList(CinderList):
    """A list of ConsistencyGroup."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("ConsistencyGroup"),
    }
