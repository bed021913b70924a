"""InstanceGroup and its list (objects of nova)."""

from __future__ import annotations

from typing import Any

from oslo_versionedobjects import fields as f

from keel_contract import versions
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class InstanceGroup(Persistent, NovaObject):
    """Servers that shall be placed together or apart."""

    VERSION = "1.11"
    fields = {
        "_rules": f.DictOfStringsField(),
        "hosts": f.ListOfStringsField(nullable=True),
        "id": f.IntegerField(),
        "members": f.ListOfStringsField(nullable=True),
        "name": f.StringField(nullable=True),
        "policies": f.ListOfStringsField(nullable=True, read_only=True),
        "policy": since("1.11", f.StringField(nullable=True)),
        "project_id": f.StringField(nullable=True),
        "user_id": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
    }
    actions = signatures(
        "count_members_by_user(user_id)",
        "create()",
        "destroy()",
        "get_hosts(exclude=None)",
        "refresh()",
        "save()",
    )
    class_actions = signatures(
        "add_members(context, group_uuid, instance_uuids)",
        "get_by_instance_uuid(context, instance_uuid)",
        "get_by_name(context, name)",
        "get_by_uuid(context, uuid)",
    )

    def backport(self, primitive: dict[str, Any], target_version: str) -> None:
        # One policy replaced a list of them.
        if versions.older(target_version, "1.11"):
            primitive["policies"] = [primitive["policy"]] if primitive.get("policy") else []
        if versions.older(target_version, "1.7"):
            primitive["metadetails"] = {}


@REGISTRY.register
class InstanceGroupList(NovaList):
    """A list of InstanceGroup."""

    VERSION = "1.8"
    fields = {
        "objects": f.ListOfObjectsField("InstanceGroup"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_project_id(context, project_id)",
        "get_counts(context, project_id, user_id=None)",
    )
