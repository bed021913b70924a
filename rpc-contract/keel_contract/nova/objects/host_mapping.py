"""HostMapping and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Timestamped
from keel_contract.objects import signatures


@REGISTRY.register
class HostMapping(Timestamped, NovaObject):
    """The cell a host lives in."""

    VERSION = "1.0"
    fields = {
        "cell_mapping": f.ObjectField("CellMapping"),
        "host": f.StringField(),
        "id": f.IntegerField(read_only=True),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures("get_by_host(context, host)")


@REGISTRY.register
class HostMappingList(NovaList):
    """A list of HostMapping."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("HostMapping"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_cell_id(context, cell_id)",
    )
