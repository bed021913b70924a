"""Service and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Service(Persistent, CinderObject):
    """A service process as it reports itself."""

    VERSION = "1.6"
    fields = {
        "active_backend_id": f.StringField(nullable=True),
        "availability_zone": f.StringField(default="cinder", nullable=True),
        "binary": f.StringField(nullable=True),
        "cluster": f.ObjectField("Cluster", nullable=True, read_only=True),
        "cluster_name": f.StringField(nullable=True),
        "disabled": f.BooleanField(default=False, nullable=True),
        "disabled_reason": f.StringField(nullable=True),
        "frozen": f.BooleanField(default=False),
        "host": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "modified_at": f.DateTimeField(nullable=True),
        "object_current_version": f.StringField(nullable=True),
        "replication_status": enums.ReplicationStatusField(nullable=True),
        "report_count": f.IntegerField(default=0),
        "rpc_current_version": f.StringField(nullable=True),
        "topic": f.StringField(nullable=True),
        "uuid": f.StringField(),
    }


@REGISTRY.register
class ServiceList(CinderList):
    """A list of Service."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("Service"),
    }
