"""The rows a new server starts with, and the object a compute gets of it."""

from typing import Any

from keel_common.db.stores.nova.instances_create import Created
from keel_conductor.objects import wire
from keel_contract.context import Context
from keel_contract.nova import objects

_NOTHING = ("device_metadata", "migration_context", "numa_topology", "resources", "trusted_certs", "vcpu_model")


def action_row(context: Context, name: str) -> dict[str, Any]:
    """The row of an action this request starts."""
    who = {"user_id": context.user_id, "project_id": context.project_id, "request_id": context.request_id}
    return {"action": name, "start_time": context.timestamp.replace(microsecond=0), **who}


def device_rows(devices: Any, uuid: str, flavor: Any) -> list[dict[str, Any]]:
    """Rows of block_device_mapping of a list of BlockDeviceMapping; blank local disks get their size from the
    flavor."""
    rows = []
    for device in devices.objects:
        row = {name: wire.plain(getattr(device, name)) for name in device.fields if device.is_set(name)}
        for name in ("id", "instance", "created_at", "updated_at", "deleted", "deleted_at"):
            row.pop(name, None)
        if row.get("source_type") == "blank" and row.get("destination_type") == "local" and not row.get("volume_size"):
            row["volume_size"] = flavor.swap if row.get("guest_format") == "swap" else flavor.ephemeral_gb
        rows.append(row | {"instance_uuid": uuid})
    return rows


def complete(instance: Any, created: Created) -> Any:
    """Fills the Instance of a build request with what its rows say now; without changes, as one that was just read."""
    for name, value in wire.fields("Instance", created.row).items():
        setattr(instance, name, value)
    instance.ec2_ids = wire.read(objects.EC2Ids, created.ec2_ids)
    for name in (*_NOTHING, "old_flavor", "new_flavor"):
        if not instance.is_set(name):
            setattr(instance, name, None)
    if not instance.is_set("pci_requests"):
        instance.pci_requests = wire.pci_requests(instance.uuid, None)
    if not instance.is_set("info_cache") or instance.info_cache is None:
        instance.info_cache = wire.read(objects.InstanceInfoCache, {"instance_uuid": instance.uuid, "network_info": []})
    for name in ("metadata", "system_metadata"):
        if not instance.is_set(name):
            setattr(instance, name, {})
    instance.obj_reset_changes(recursive=True)
    return instance
