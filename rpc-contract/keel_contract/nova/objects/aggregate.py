"""Aggregate and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class Aggregate(Persistent, NovaObject):
    """A named set of hosts with metadata."""

    VERSION = "1.3"
    fields = {
        "hosts": f.ListOfStringsField(nullable=True),
        "id": f.IntegerField(),
        "metadata": f.DictOfStringsField(nullable=True),
        "name": f.StringField(),
        "uuid": f.UUIDField(),
    }
    actions = signatures(
        "add_host(host)",
        "create()",
        "delete_host(host)",
        "destroy()",
        "save()",
        "update_metadata(updates)",
    )
    class_actions = signatures(
        "get_by_id(context, aggregate_id)",
        "get_by_uuid(context, aggregate_uuid)",
    )


@REGISTRY.register
class AggregateList(NovaList):
    """A list of Aggregate."""

    VERSION = "1.3"
    fields = {
        "objects": f.ListOfObjectsField("Aggregate"),
    }
    class_actions = signatures(
        "get_all(context)",
        "get_by_host(context, host, key=None)",
        "get_by_metadata(context, key=None, value=None)",
        "get_by_metadata_key(context, key, hosts=None)",
    )
