"""Numbers of servers and images from the times of the EC2 API: EC2Ids, EC2InstanceMapping, S3ImageMapping."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import old_ids as store
from keel_common.db.stores.nova import records
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action
from keel_contract.nova import objects

SERVER, IMAGE = "EC2InstanceMapping", "S3ImageMapping"
_TABLES = {SERVER: records.cell("instance_id_mappings"), IMAGE: records.cell("s3_images")}


def _created(call: Call, obj: Any) -> Done:
    name = obj.obj_name()
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "It has a number.", action="create", reason="already created")
    return Done(wire.fields(name, call.db.run(records.create, _TABLES[name], wire.changed(obj))))


action(SERVER, "create")(_created)
action(IMAGE, "create")(_created)


def _server(call: Call, what: Any, **equal: Any) -> Any:
    row = call.db.read(records.one, _TABLES[SERVER], call.context.read_deleted, **equal)
    if row is None:
        raise not_found("InstanceNotFound", f"Server {what}", instance_id=what)
    return wire.record(SERVER, row)


@class_action(SERVER, "get_by_uuid")
def get_server_by_uuid(call: Call, instance_uuid: str) -> Any:
    return _server(call, instance_uuid, uuid=instance_uuid)


@class_action(SERVER, "get_by_id")
def get_server_by_id(call: Call, ec2_id: int) -> Any:
    return _server(call, ec2_id, id=ec2_id)


def _image(call: Call, what: Any, **equal: Any) -> Any:
    row = call.db.read(records.one, _TABLES[IMAGE], call.context.read_deleted, **equal)
    if row is None:
        raise not_found("ImageNotFound", f"Image {what}", image_id=what)
    return wire.record(IMAGE, row)


@class_action(IMAGE, "get_by_uuid")
def get_image_by_uuid(call: Call, s3_image_uuid: str) -> Any:
    return _image(call, s3_image_uuid, uuid=s3_image_uuid)


@class_action(IMAGE, "get_by_id")
def get_image_by_id(call: Call, s3_id: int) -> Any:
    return _image(call, s3_id, id=s3_id)


@class_action("EC2Ids", "get_by_instance")
def get_ec2_ids(call: Call, instance: Any) -> Any:
    """A server or an image that has no number gets one."""
    refs = {name: instance.get(name) for name in ("image_ref", "kernel_id", "ramdisk_id")}
    return objects.EC2Ids(**call.db.run(store.of_server, instance.uuid, refs))
