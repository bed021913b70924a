"""Parts of a server: what instance_extra holds, and console tokens."""

import uuid
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import console_tokens, extras, instances, instances_save
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

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
    return wire.topology(found)


@action("InstanceNUMATopology", "create")
def create_numa_topology(call: Call, obj: Any) -> Done:
    """Into the instance_extra row of a server."""
    changes = instances_save.Changes(extra={"numa_topology": wire.text(obj)})
    call.db.run(instances_save.save_parts, obj.instance_uuid, changes)
    return Done({})


@class_action("InstancePCIRequests", "get_by_instance_uuid")
def get_pci_requests(call: Call, instance_uuid: str) -> Any:
    return wire.pci_requests(instance_uuid, call.db.read(extras.get, instance_uuid, "pci_requests")[1])


@action(TOKEN, "authorize")
def authorize(call: Call, obj: Any, ttl: int) -> Done:
    """A new token; only this answer ever holds it."""
    if obj.is_set("id"):
        raise Refused(
            "ObjectActionError", "The token is in use.", action="authorize", reason="the token is authorized already"
        )
    token = str(uuid.uuid4())
    server = obj.instance_uuid
    if call.db.read(instances.columns, server) is None:
        raise not_found("InstanceNotFound", f"Server {server}", instance_id=server)
    row = call.db.run(console_tokens.authorize, token, ttl, wire.changed(obj))
    return Done(wire.fields(TOKEN, row) | {"token": token}, token)


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
