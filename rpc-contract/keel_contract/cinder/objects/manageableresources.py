"""ManageableSnapshot and ManageableVolume (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject


@REGISTRY.register
class ManageableSnapshot(CinderObject):
    """A snapshot of a backend that Cinder could take over."""

    VERSION = "1.0"
    fields = {
        "cinder_id": f.UUIDField(nullable=True),
        "extra_info": f.DictOfNullableStringsField(nullable=True),
        "reason_not_safe": f.StringField(nullable=True),
        "reference": f.DictOfNullableStringsField(),
        "safe_to_manage": f.BooleanField(default=False, nullable=True),
        "size": f.IntegerField(nullable=True),
        "source_reference": f.DictOfNullableStringsField(),
    }


@REGISTRY.register
class ManageableVolume(CinderObject):
    """A volume of a backend that Cinder could take over."""

    VERSION = "1.0"
    fields = {
        "cinder_id": f.UUIDField(nullable=True),
        "extra_info": f.DictOfNullableStringsField(nullable=True),
        "reason_not_safe": f.StringField(nullable=True),
        "reference": f.DictOfNullableStringsField(),
        "safe_to_manage": f.BooleanField(default=False, nullable=True),
        "size": f.IntegerField(nullable=True),
    }


@REGISTRY.register
class ManageableSnapshotList(CinderList):
    """A list of ManageableSnapshot."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("ManageableSnapshot"),
    }


@REGISTRY.register
class ManageableVolumeList(CinderList):
    """A list of ManageableVolume."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("ManageableVolume"),
    }
