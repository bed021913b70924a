"""The common fields and the registry of Cinder's objects."""

from __future__ import annotations

from typing import Any

from oslo_versionedobjects import fields as f

from keel_contract.objects import ListBase, Registry, VersionedObject

REGISTRY = Registry("cinder", serial="versioned_object")


class CinderObject(VersionedObject):
    """Base of Cinder's objects: ``versioned_object`` envelope, namespace ``cinder``. None has remote actions."""

    OBJ_PROJECT_NAMESPACE = "cinder"
    registry = REGISTRY
    suite = "cinder"


class Persistent:
    """The columns every softly deleted record has."""

    fields: Any = {
        "created_at": f.DateTimeField(nullable=True),
        "updated_at": f.DateTimeField(nullable=True),
        "deleted_at": f.DateTimeField(nullable=True),
        "deleted": f.BooleanField(default=False, nullable=True),
    }


class CinderList(ListBase, CinderObject):
    """Base of Cinder's lists of objects."""
