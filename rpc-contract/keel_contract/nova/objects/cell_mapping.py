"""CellMapping and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Timestamped
from keel_contract.objects import signatures, since


@REGISTRY.register
class CellMapping(Timestamped, NovaObject):
    """A cell: how to reach its database and its bus."""

    VERSION = "1.1"
    fields = {
        "database_connection": f.StringField(),
        "disabled": since("1.1", f.BooleanField(default=False)),
        "id": f.IntegerField(read_only=True),
        "name": f.StringField(nullable=True),
        "transport_url": f.StringField(),
        "uuid": f.UUIDField(),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures("get_by_uuid(context, uuid)")


@REGISTRY.register
class CellMappingList(NovaList):
    """A list of CellMapping."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("CellMapping"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_disabled(context, disabled)",
    )
