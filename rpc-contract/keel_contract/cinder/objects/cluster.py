"""Cluster and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class Cluster(Persistent, CinderObject):
    """Volume services that share their backend."""

    VERSION = "1.1"
    fields = {
        "active_backend_id": f.StringField(nullable=True),
        "binary": f.StringField(),
        "disabled": f.BooleanField(default=False, nullable=True),
        "disabled_reason": f.StringField(nullable=True),
        "frozen": f.BooleanField(default=False),
        "id": f.IntegerField(),
        "last_heartbeat": f.DateTimeField(nullable=True, read_only=True),
        "name": f.StringField(),
        "num_down_hosts": f.IntegerField(default=0, read_only=True),
        "num_hosts": f.IntegerField(default=0, read_only=True),
        "replication_status": enums.ReplicationStatusField(nullable=True),
        "services": f.ObjectField("ServiceList", nullable=True, read_only=True),
    }


@REGISTRY.register
class ClusterList(CinderList):
    """A list of Cluster."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("Cluster"),
    }
