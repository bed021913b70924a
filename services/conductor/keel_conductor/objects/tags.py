"""Tag, TagList, ShareMapping and ShareMappingList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import extras
from keel_common.db.stores.nova import server_tags as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action


def _no_server(uuid: str) -> Refused:
    return not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)


@action("Tag", "create")
def create_tag(call: Call, obj: Any) -> Done:
    """A tag that is there already is no fault."""
    if not call.db.run(store.add_tag, obj.resource_id, obj.tag):
        raise _no_server(obj.resource_id)
    return Done({"resource_id": obj.resource_id, "tag": obj.tag})


@class_action("Tag", "destroy")
def destroy_tag(call: Call, resource_id: str, name: str) -> None:
    gone = call.db.run(store.remove_tag, resource_id, name)
    if gone is None:
        raise _no_server(resource_id)
    if not gone:
        facts = {"instance_id": resource_id, "tag": name}
        raise not_found("InstanceTagNotFound", f"Tag {name} of server {resource_id}", **facts)


@class_action("Tag", "exists")
def tag_exists(call: Call, resource_id: str, name: str) -> bool:
    found: list[str] | None = call.db.read(store.tags, resource_id)
    if found is None:
        raise _no_server(resource_id)
    return name in found


@class_action("TagList", "get_by_resource_id")
def get_tags(call: Call, resource_id: str) -> Any:
    found = call.db.read(store.tags, resource_id)
    if found is None:
        raise _no_server(resource_id)
    return _tags(resource_id, found)


@class_action("TagList", "create")
def create_tags(call: Call, resource_id: str, tags: list[str]) -> Any:
    """The tags of a server are these afterwards."""
    if not call.db.run(store.replace_tags, resource_id, tags):
        raise _no_server(resource_id)
    return _tags(resource_id, list(dict.fromkeys(tags)))


@class_action("TagList", "destroy")
def destroy_tags(call: Call, resource_id: str) -> None:
    if not call.db.run(store.replace_tags, resource_id, []):
        raise _no_server(resource_id)


def _tags(resource_id: str, names: list[str]) -> Any:
    return wire.listed("TagList", [{"resource_id": resource_id, "tag": name} for name in names], "Tag")


# -- shares

SHARE = "ShareMapping"
SHARES = "ShareMappingList"


@action(SHARE, "save")
def save_share(call: Call, obj: Any) -> Done:
    """A new mapping, or the one of this server and share with other values."""
    row = call.db.run(store.save_share, {name: wire.plain(obj.get(name)) for name in obj.fields if obj.is_set(name)})
    return Done(wire.fields(SHARE, row))


@action(SHARE, "delete")
def delete_share(call: Call, obj: Any) -> Done:
    """One that is gone already is no fault."""
    call.db.run(store.remove_share, obj.instance_uuid, obj.share_id)
    return Done.untouched(obj)


@class_action(SHARE, "get_by_instance_uuid_and_share_id")
def get_share(call: Call, instance_uuid: str, share_id: str) -> Any:
    rows = call.db.read(extras.shares, instance_uuid=instance_uuid, share_id=share_id)
    if not rows:
        raise not_found("ShareNotFound", f"Share {share_id}", share_id=share_id)
    return wire.record(SHARE, rows[0])


@class_action(SHARES, "get_by_instance_uuid")
def get_shares(call: Call, instance_uuid: str) -> Any:
    return wire.listed(SHARES, call.db.read(extras.shares, instance_uuid=instance_uuid), SHARE)


@class_action(SHARES, "get_by_share_id")
def get_mappings(call: Call, share_id: str) -> Any:
    return wire.listed(SHARES, call.db.read(extras.shares, share_id=share_id), SHARE)


@class_action(SHARES, "get_by_host_for_reconcile")
def get_shares_of_host(call: Call, host: str) -> Any:
    return wire.listed(SHARES, call.db.read(store.shares_of_host, host), SHARE)
