"""QualityOfServiceSpecs and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class QualityOfServiceSpecs(Persistent, CinderObject):
    """Limits of a volume type."""

    VERSION = "1.0"
    changed_when_read = ("specs",)
    fields = {
        "consumer": enums.QoSConsumerValuesField(default="back-end"),
        "id": f.UUIDField(),
        "name": f.StringField(),
        "specs": f.DictOfNullableStringsField(nullable=True),
        "volume_types": f.ObjectField("VolumeTypeList", nullable=True),
    }


@REGISTRY.register
class QualityOfServiceSpecsList(CinderList):
    """A list of QualityOfServiceSpecs."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("QualityOfServiceSpecs"),
    }
