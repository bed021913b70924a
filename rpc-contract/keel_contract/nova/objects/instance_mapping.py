"""InstanceMapping and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Timestamped
from keel_contract.objects import signatures, since


@REGISTRY.register
class InstanceMapping(Timestamped, NovaObject):
    """The cell a server lives in."""

    VERSION = "1.2"
    fields = {
        "cell_mapping": f.ObjectField("CellMapping", nullable=True),
        "id": f.IntegerField(read_only=True),
        "instance_uuid": f.UUIDField(),
        "project_id": f.StringField(),
        "queued_for_delete": since("1.1", f.BooleanField(default=False)),
        "user_id": since("1.2", f.StringField()),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")


@REGISTRY.register
class InstanceMappingList(NovaList):
    """A list of InstanceMapping."""

    VERSION = "1.3"
    fields = {
        "objects": f.ListOfObjectsField("InstanceMapping"),
    }
    class_actions = signatures(
        "get_by_cell_id(context, cell_id)",
        "get_by_instance_uuids(context, uuids)",
        "get_by_project_id(context, project_id)",
        "get_counts(context, project_id, user_id=None)",
    )
