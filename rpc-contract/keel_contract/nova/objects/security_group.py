"""SecurityGroup and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class SecurityGroup(Persistent, NovaObject):
    """A security group of a server."""

    VERSION = "1.2"
    fields = {
        "description": f.StringField(),
        "id": f.IntegerField(),
        "name": f.StringField(),
        "project_id": f.StringField(),
        "user_id": f.StringField(),
        "uuid": since("1.2", f.UUIDField()),
    }
    actions = signatures(
        "in_use()",
        "refresh()",
        "save()",
    )
    class_actions = signatures(
        "get(context, secgroup_id)",
        "get_by_name(context, project_id, group_name)",
    )


@REGISTRY.register
class SecurityGroupList(NovaList):
    """A list of SecurityGroup."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("SecurityGroup"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_instance(context, instance)",
        "get_by_project(context, project_id)",
        "get_counts(context, project_id, user_id=None)",
    )
