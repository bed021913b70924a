"""Parts of a server: what instance_extra holds, tags, shares, PCI devices, old names, console tokens."""

import uuid
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import console_tokens, extras, instances
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, action, class_action
from keel_contract.nova import objects

TOKEN = "ConsoleAuthToken"


def _extra(call: Call, instance_uuid: str, column: str) -> Any:
    """The object in a column of instance_extra; None when there is none."""
    return wire.stored(call.db.read(extras.get, instance_uuid, column)[1])


@class_action("ResourceList", "get_by_instance_uuid")
def get_resources(call: Call, instance_uuid: str) -> Any:
    return _extra(call, instance_uuid, "resources")


@class_action("InstanceDeviceMetadata", "get_by_instance_uuid")
def get_device_metadata(call: Call, instance_uuid: str) -> Any:
    return _extra(call, instance_uuid, "device_metadata")


@class_action("TrustedCerts", "get_by_instance_uuid")
def get_trusted_certs(call: Call, instance_uuid: str) -> Any:
    return _extra(call, instance_uuid, "trusted_certs")


@class_action("VirtCPUModel", "get_by_instance_uuid")
def get_vcpu_model(call: Call, instance_uuid: str) -> Any:
    return _extra(call, instance_uuid, "vcpu_model")


@class_action("InstanceNUMATopology", "get_by_instance_uuid")
def get_numa_topology(call: Call, instance_uuid: str) -> Any:
    there, found = call.db.read(extras.get, instance_uuid, "numa_topology")
    if not there:
        text = f"NUMA topology of server {instance_uuid}"
        raise not_found("NumaTopologyNotFound", text, instance_uuid=instance_uuid)
    return wire.stored(found)


@class_action("InstancePCIRequests", "get_by_instance_uuid")
def get_pci_requests(call: Call, instance_uuid: str) -> Any:
    return wire.pci_requests(instance_uuid, call.db.read(extras.get, instance_uuid, "pci_requests")[1])


@class_action("PciDeviceList", "get_by_compute_node")
def get_devices_of_node(call: Call, node_id: int) -> Any:
    return _devices(call, compute_node_id=node_id)


@class_action("PciDeviceList", "get_by_instance_uuid")
def get_devices_of_server(call: Call, uuid: str) -> Any:
    return _devices(call, instance_uuid=uuid, status="allocated")


@class_action("PciDeviceList", "get_by_parent_address")
def get_devices_of_parent(call: Call, node_id: int, parent_addr: str) -> Any:
    return _devices(call, compute_node_id=node_id, parent_addr=parent_addr)


def _devices(call: Call, **equal: Any) -> Any:
    return wire.listed("PciDeviceList", [wire.pci_device(row) for row in call.db.read(extras.pci_devices, **equal)])


@class_action("ShareMappingList", "get_by_instance_uuid")
def get_shares(call: Call, instance_uuid: str) -> Any:
    return wire.listed("ShareMappingList", call.db.read(extras.shares, instance_uuid=instance_uuid), "ShareMapping")


@class_action("ShareMappingList", "get_by_share_id")
def get_share(call: Call, share_id: str) -> Any:
    return wire.listed("ShareMappingList", call.db.read(extras.shares, share_id=share_id), "ShareMapping")


@class_action("TagList", "get_by_resource_id")
def get_tags(call: Call, resource_id: str) -> Any:
    return _tags(resource_id, call.db.read(extras.tags, resource_id))


@class_action("TagList", "create")
def create_tags(call: Call, resource_id: str, tags: list[str]) -> Any:
    return _tags(resource_id, call.db.run(extras.replace_tags, resource_id, tags))


@class_action("TagList", "destroy")
def destroy_tags(call: Call, resource_id: str) -> None:
    call.db.run(extras.replace_tags, resource_id, [])


def _tags(resource_id: str, names: list[str]) -> Any:
    return wire.listed("TagList", [{"resource_id": resource_id, "tag": name} for name in names], "Tag")


@class_action("EC2Ids", "get_by_instance")
def get_ec2_ids(call: Call, instance: Any) -> Any:
    server = call.db.read(instances.by_uuid, instance.uuid, ["ec2_ids"], "yes")
    if server is None:
        raise not_found("InstanceNotFound", f"Server {instance.uuid}", instance_id=instance.uuid)
    return wire.read(objects.EC2Ids, server["ec2_ids"])


@action(TOKEN, "authorize")
def authorize(call: Call, obj: Any, ttl: int) -> tuple[dict[str, Any], Any]:
    """A new token; only this answer ever holds it."""
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The token is in use.", action="authorize", reason="already authorized")
    token = str(uuid.uuid4())
    row = call.db.run(console_tokens.authorize, token, ttl, wire.changed(obj))
    return wire.fields(TOKEN, row) | {"token": token}, token


@class_action(TOKEN, "validate")
def validate(call: Call, token: str) -> Any:
    row = call.db.read(console_tokens.valid, token)
    if row is None:
        raise not_found("InvalidToken", "The console token", token="***")
    return wire.record(TOKEN, row, token=token)


@class_action(TOKEN, "clean_console_auths_for_instance")
def clean_tokens_of_server(call: Call, instance_uuid: str) -> None:
    call.db.run(console_tokens.delete_of_instance, instance_uuid)


@class_action(TOKEN, "clean_expired_console_auths")
def clean_expired_tokens(call: Call) -> None:
    call.db.run(console_tokens.delete_expired)


@class_action(TOKEN, "clean_expired_console_auths_for_host")
def clean_expired_tokens_of_host(call: Call, host: str) -> None:
    call.db.run(console_tokens.delete_expired, host)
