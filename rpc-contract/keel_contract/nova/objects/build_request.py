"""BuildRequest and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import signatures, since


@REGISTRY.register
class BuildRequest(NovaObject):
    """A server that was asked for and is not in a cell yet."""

    VERSION = "1.3"
    fields = {
        "block_device_mappings": since("1.1", f.ObjectField("BlockDeviceMappingList")),
        "created_at": f.DateTimeField(nullable=True),
        "id": f.IntegerField(),
        "instance": f.ObjectField("Instance"),
        "instance_uuid": f.UUIDField(),
        "project_id": f.StringField(),
        "tags": since("1.3", f.ObjectField("TagList"), kept_at=frozenset({"1.0"})),
        "updated_at": f.DateTimeField(nullable=True),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")


@REGISTRY.register
class BuildRequestList(NovaList):
    """A list of BuildRequest."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("BuildRequest"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_filters(context, filters, limit=None, marker=None, sort_keys=None, sort_dirs=None)",
    )
