"""GroupType and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class GroupType(Persistent, CinderObject):
    """What a group can do."""

    VERSION = "1.0"
    fields = {
        "description": f.StringField(nullable=True),
        "group_specs": f.DictOfNullableStringsField(nullable=True),
        "id": f.UUIDField(),
        "is_public": f.BooleanField(default=True, nullable=True),
        "name": f.StringField(nullable=True),
        "projects": f.ListOfStringsField(nullable=True),
    }


@REGISTRY.register
class GroupTypeList(CinderList):
    """A list of GroupType."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("GroupType"),
    }
