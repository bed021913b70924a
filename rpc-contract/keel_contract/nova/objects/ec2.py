"""EC2Ids, EC2InstanceMapping and S3ImageMapping (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class EC2Ids(NovaObject):
    """The identifiers the EC2 metadata shows for a server."""

    VERSION = "1.0"
    fields = {
        "ami_id": f.StringField(nullable=True, read_only=True),
        "instance_id": f.StringField(read_only=True),
        "kernel_id": f.StringField(nullable=True, read_only=True),
        "ramdisk_id": f.StringField(nullable=True, read_only=True),
    }
    class_actions = signatures("get_by_instance(context, instance)")


@REGISTRY.register
class EC2InstanceMapping(Persistent, NovaObject):
    """EC2 number of a server."""

    VERSION = "1.0"
    fields = {
        "id": f.IntegerField(),
        "uuid": f.UUIDField(),
    }
    actions = signatures("create()")
    class_actions = signatures(
        "get_by_id(context, ec2_id)",
        "get_by_uuid(context, instance_uuid)",
    )


@REGISTRY.register
class S3ImageMapping(Persistent, NovaObject):
    """EC2 number of an image."""

    VERSION = "1.0"
    fields = {
        "id": f.IntegerField(read_only=True),
        "uuid": f.UUIDField(),
    }
    actions = signatures("create()")
    class_actions = signatures(
        "get_by_id(context, s3_id)",
        "get_by_uuid(context, s3_image_uuid)",
    )
