"""LogLevel and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject


@REGISTRY.register
class LogLevel(CinderObject):
    """The level of one logger."""

    VERSION = "1.0"
    fields = {
        "level": f.StringField(nullable=True),
        "prefix": f.StringField(nullable=True),
    }


@REGISTRY.register
class LogLevelList(CinderList):
    """A list of LogLevel."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("LogLevel"),
    }
