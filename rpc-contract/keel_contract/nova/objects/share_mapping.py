"""ShareMapping and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Timestamped
from keel_contract.objects import signatures, values


@REGISTRY.register
class ShareMapping(Timestamped, NovaObject):
    """A shared file system attached to a server."""

    VERSION = "1.2"
    fields = {
        "access_key": f.StringField(nullable=True),
        "access_to": f.StringField(nullable=True),
        "access_type": f.StringField(nullable=True),
        "export_location": f.StringField(),
        "id": f.IntegerField(read_only=True),
        "instance_uuid": f.UUIDField(),
        "share_id": f.UUIDField(),
        "share_proto": enums.ShareMappingProtoField(),
        "status": values(enums.ShareMappingStatusField(), refuse={"attaching": "1.1", "detaching": "1.1"}),
        "tag": f.StringField(),
        "uuid": f.UUIDField(),
    }
    actions = signatures(
        "delete()",
        "save()",
    )
    class_actions = signatures("get_by_instance_uuid_and_share_id(context, instance_uuid, share_id)")


@REGISTRY.register
class ShareMappingList(NovaList):
    """A list of ShareMapping."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("ShareMapping"),
    }
    class_actions = signatures(
        "get_by_host_for_reconcile(context, host)",
        "get_by_instance_uuid(context, instance_uuid)",
        "get_by_share_id(context, share_id)",
    )
