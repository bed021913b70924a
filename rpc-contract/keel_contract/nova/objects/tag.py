"""Tag and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import signatures


@REGISTRY.register
class Tag(NovaObject):
    """A word attached to a server."""

    VERSION = "1.1"
    fields = {
        "resource_id": f.StringField(),
        "tag": f.StringField(),
    }
    actions = signatures("create()")
    class_actions = signatures(
        "destroy(context, resource_id, name)",
        "exists(context, resource_id, name)",
    )


@REGISTRY.register
class TagList(NovaList):
    """A list of Tag."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("Tag"),
    }
    class_actions = signatures(
        "create(context, resource_id, tags)",
        "destroy(context, resource_id)",
        "get_by_resource_id(context, resource_id)",
    )
