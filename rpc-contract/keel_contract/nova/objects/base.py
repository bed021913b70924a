"""The common fields and the registry of Nova's objects."""

from __future__ import annotations

from typing import Any

from oslo_versionedobjects import fields as f

from keel_contract.objects import ListBase, Registry, VersionedObject

REGISTRY = Registry("nova", serial="nova_object")


class NovaObject(VersionedObject):
    """Base of Nova's objects: ``nova_object`` envelope, namespace ``nova``."""

    OBJ_SERIAL_NAMESPACE = "nova_object"
    OBJ_PROJECT_NAMESPACE = "nova"
    registry = REGISTRY
    suite = "nova"


class Timestamped:
    """When the record was made and last changed."""

    fields: Any = {
        "created_at": f.DateTimeField(nullable=True),
        "updated_at": f.DateTimeField(nullable=True),
    }


class Persistent:
    """The columns every softly deleted record has."""

    fields: Any = {
        "created_at": f.DateTimeField(nullable=True),
        "updated_at": f.DateTimeField(nullable=True),
        "deleted_at": f.DateTimeField(nullable=True),
        "deleted": f.BooleanField(default=False),
    }


class NovaList(ListBase, NovaObject):
    """Base of Nova's lists of objects."""
