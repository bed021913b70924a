"""CGSnapshot and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class CGSnapshot(Persistent, CinderObject):
    """A snapshot of a consistency group."""

    VERSION = "1.1"
    fields = {
        "consistencygroup": f.ObjectField("ConsistencyGroup", nullable=True),
        "consistencygroup_id": f.UUIDField(nullable=True),
        "description": f.StringField(nullable=True),
        "id": f.UUIDField(),
        "name": f.StringField(nullable=True),
        "project_id": f.StringField(),
        "snapshots": f.ObjectField("SnapshotList", nullable=True),
        "status": f.StringField(nullable=True),
        "user_id": f.StringField(),
    }


@REGISTRY.register
class CGSnapshotList(CinderList):
    """A list of CGSnapshot."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("CGSnapshot"),
    }
