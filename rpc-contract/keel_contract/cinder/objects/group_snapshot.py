"""GroupSnapshot and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class GroupSnapshot(Persistent, CinderObject):
    """A snapshot of a group."""

    VERSION = "1.0"
    fields = {
        "description": f.StringField(nullable=True),
        "group": f.ObjectField("Group", nullable=True),
        "group_id": f.UUIDField(),
        "group_type_id": f.UUIDField(nullable=True),
        "id": f.UUIDField(),
        "name": f.StringField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "snapshots": f.ObjectField("SnapshotList", nullable=True),
        "status": f.StringField(nullable=True),
        "user_id": f.StringField(nullable=True),
    }


@REGISTRY.register
class GroupSnapshotList(CinderList):
    """A list of GroupSnapshot."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("GroupSnapshot"),
    }
