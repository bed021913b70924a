"""VolumeAttachment and its list (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract import fields as own
from keel_contract.cinder.objects import enums
from keel_contract.cinder.objects.base import REGISTRY, CinderList, CinderObject, Persistent


@REGISTRY.register
class VolumeAttachment(Persistent, CinderObject):
    """A volume on a host or a server."""

    VERSION = "1.3"
    fields = {
        "attach_mode": f.StringField(nullable=True),
        "attach_status": enums.VolumeAttachStatusField(nullable=True),
        "attach_time": f.DateTimeField(nullable=True),
        "attached_host": f.StringField(nullable=True),
        "connection_info": own.DictOfNullableField(nullable=True),
        "connector": own.DictOfNullableField(nullable=True),
        "detach_time": f.DateTimeField(nullable=True),
        "id": f.UUIDField(),
        "instance_uuid": f.UUIDField(nullable=True),
        "mountpoint": f.StringField(nullable=True),
        "volume": f.ObjectField("Volume"),
        "volume_id": f.UUIDField(),
    }


@REGISTRY.register
class VolumeAttachmentList(CinderList):
    """A list of VolumeAttachment."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("VolumeAttachment"),
    }
