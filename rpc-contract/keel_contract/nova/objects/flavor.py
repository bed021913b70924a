"""Flavor and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class Flavor(Persistent, NovaObject):
    """The size of a server."""

    VERSION = "1.2"
    changed_when_read = ("extra_specs", "projects")
    fields = {
        "description": since("1.2", f.StringField(nullable=True)),
        "disabled": f.BooleanField(),
        "ephemeral_gb": f.IntegerField(),
        "extra_specs": f.DictOfStringsField(),
        "flavorid": f.StringField(),
        "id": f.IntegerField(),
        "is_public": f.BooleanField(),
        "memory_mb": f.IntegerField(),
        "name": f.StringField(nullable=True),
        "projects": f.ListOfStringsField(),
        "root_gb": f.IntegerField(),
        "rxtx_factor": f.FloatField(default=1.0, nullable=True),
        "swap": f.IntegerField(),
        "vcpu_weight": f.IntegerField(nullable=True),
        "vcpus": f.IntegerField(),
    }
    actions = signatures(
        "_load_projects()",
        "add_access(project_id)",
        "create()",
        "destroy()",
        "remove_access(project_id)",
        "save_extra_specs(to_add=None, to_delete=None)",
        "save_projects(to_add=None, to_delete=None)",
    )
    class_actions = signatures(
        "get_by_flavor_id(context, flavor_id, read_deleted=None)",
        "get_by_id(context, id)",
        "get_by_name(context, name)",
    )


@REGISTRY.register
class FlavorList(NovaList):
    """A list of Flavor."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("Flavor"),
    }
    class_actions = signatures(
        "get_all(context, inactive=False, filters=None, sort_key='flavorid', sort_dir='asc', limit=None, marker=None)"
    )
