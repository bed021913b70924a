"""VolumeType and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class VolumeType(Persistent, CinderObject):
    """What kind of volume."""

    VERSION = "1.3"
    fields = {
        "description": f.StringField(nullable=True),
        "extra_specs": f.DictOfNullableStringsField(nullable=True),
        "id": f.UUIDField(),
        "is_public": f.BooleanField(default=True, nullable=True),
        "name": f.StringField(nullable=True),
        "projects": f.ListOfStringsField(nullable=True),
        "qos_specs": f.ObjectField("QualityOfServiceSpecs", nullable=True),
        "qos_specs_id": f.UUIDField(nullable=True),
    }


@REGISTRY.register
class VolumeTypeList(CinderList):
    """A list of VolumeType."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("VolumeType"),
    }
