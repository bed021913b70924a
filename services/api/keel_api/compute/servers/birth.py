"""A new server as versioned objects: Instance, RequestSpec and BuildRequest, and the texts that are stored of them."""

from __future__ import annotations

import copy
import secrets
import string
import uuid as uuids
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import orjson

from keel_api.compute.servers.asked import Asked
from keel_api.compute.servers.placement import Place
from keel_api.http.request import Request
from keel_common.db.stores.nova.servers_create import NewServer
from keel_common.domain.server import block_devices
from keel_common.domain.server.hostnames import hostname_for, numbered
from keel_common.wire import server as wire
from keel_common.wire.image import image_meta, system_metadata
from keel_contract.nova import objects
from keel_contract.nova.stored import stored_form

_RESERVATION = string.ascii_lowercase + string.digits


@dataclass
class Order:
    """Everything that is the same for all servers of one create request."""

    asked: Asked
    flavor: dict[str, Any]
    image: dict[str, Any]
    devices: list[dict[str, Any]]
    networks: objects.NetworkRequestList
    security_groups: objects.SecurityGroupList
    key: dict[str, Any] | None
    place: Place
    count: int
    reservation: str

    @property
    def volume_backed(self) -> bool:
        """Whether the root disk is a volume."""
        root = block_devices.root_of(self.devices)
        return root is not None and root["destination_type"] == "volume"


@dataclass
class Birth:
    """One new server: its objects, and what is stored of them."""

    instance: Any
    spec: Any
    devices: objects.BlockDeviceMappingList
    tags: objects.TagList
    stored: NewServer
    build: Any = None


def reservation_id() -> str:
    """A fresh reservation id: r- and eight letters or digits."""
    return "r-" + "".join(secrets.choice(_RESERVATION) for _ in range(8))


def birth(req: Request, order: Order, index: int, devices: objects.BlockDeviceMappingList, uuid: str) -> Birth:
    """Server number `index` (from 0) of an order."""
    instance = _instance(req, order, index, uuid)
    spec = _spec(req, order, instance)
    tags = instance.tags
    stored = NewServer(
        uuid=uuid,
        project_id=req.context.project_id,
        user_id=req.context.user_id,
        spec=_kept_text(spec),
        instance=text_of(instance),
        devices=text_of(devices),
        tags=text_of(tags),
        group_id=order.place.group.id if order.place.group else None,
    )
    return Birth(instance, spec, devices, tags, stored)


def new_uuid() -> str:
    """The id of a new server."""
    return str(uuids.uuid4())


def text_of(obj: Any) -> str:
    """The stored form of an object."""
    return orjson.dumps(stored_form(obj)).decode()


def _kept_text(spec: Any) -> str:
    """The stored form of a request spec: a destination counts for one placement only (nova 34.0.0 db semantics)."""
    stored = stored_form(spec)
    stored["nova_object.data"]["requested_destination"] = None
    return orjson.dumps(stored).decode()


def _instance(req: Request, order: Order, index: int, uuid: str) -> Any:
    asked, flavor, context = order.asked, order.flavor, req.context
    properties = order.image.get("properties") or {}
    name = numbered(asked.name, index, order.count)
    tags = [objects.Tag(resource_id=uuid, tag=tag) for tag in asked.tags]
    return objects.Instance(
        uuid=uuid,
        project_id=context.project_id,
        user_id=context.user_id,
        reservation_id=order.reservation,
        display_name=name,
        display_description=asked.description,
        hostname=asked.hostname or hostname_for(name, f"server-{uuid}"),
        launch_index=index,
        vm_state="building",
        task_state="scheduling",
        power_state=0,
        progress=0,
        locked=False,
        hidden=False,
        shutdown_terminate=False,
        image_ref="" if order.volume_backed else (asked.image or ""),
        kernel_id=str(properties.get("kernel_id") or ""),
        ramdisk_id=str(properties.get("ramdisk_id") or ""),
        architecture=properties.get("architecture") or properties.get("hw_architecture"),
        os_type=properties.get("os_type"),
        vm_mode=properties.get("vm_mode") or properties.get("hw_vm_mode"),
        root_device_name=properties.get("root_device_name") or _root_name(order),
        auto_disk_config=disk_config(order),
        config_drive="True" if asked.config_drive else "",
        availability_zone=order.place.zone,
        access_ip_v4=asked.access_ip_v4,
        access_ip_v6=asked.access_ip_v6,
        key_name=asked.key_name,
        key_data=order.key["public_key"] if order.key else None,
        keypairs=keypairs(order.key),
        user_data=asked.user_data,
        metadata=asked.metadata,
        system_metadata=_system_metadata(req, order),
        flavor=wire.flavor({**flavor, "deleted": False, "deleted_at": None}),
        old_flavor=None,
        new_flavor=None,
        instance_type_id=flavor["id"],
        memory_mb=flavor["memory_mb"],
        vcpus=flavor["vcpus"],
        root_gb=flavor["root_gb"],
        ephemeral_gb=flavor["ephemeral_gb"],
        ephemeral_key_uuid=None,
        numa_topology=None,
        pci_requests=objects.InstancePCIRequests(instance_uuid=uuid, requests=[]),
        trusted_certs=objects.TrustedCerts(ids=asked.trusted_certs) if asked.trusted_certs else None,
        info_cache=objects.InstanceInfoCache(instance_uuid=uuid, network_info=[]),
        security_groups=order.security_groups,
        tags=objects.TagList(objects=tags),
    )


def _root_name(order: Order) -> str | None:
    root = block_devices.root_of(order.devices)
    return root["device_name"] if root is not None else None


def disk_config(order: Order) -> bool:
    """Whether the disk is resized to the flavor: as asked, else as the image says, else not."""
    if order.asked.disk_config is not None:
        return order.asked.disk_config
    return block_devices.truth((order.image.get("properties") or {}).get("auto_disk_config") or False)


def keypairs(key: dict[str, Any] | None) -> objects.KeyPairList:
    """The key of a server as its record keeps it; an empty list without one."""
    if key is None:
        return objects.KeyPairList(objects=[])
    values = {name: wire.aware(key[name]) for name in objects.KeyPair.fields if name in key}
    pair = wire.read(objects.KeyPair, {**values, "deleted": False, "deleted_at": None})
    return objects.KeyPairList(objects=[pair])


def _system_metadata(req: Request, order: Order) -> dict[str, str]:
    kept = system_metadata(order.image, order.flavor["root_gb"], req.services.conf.non_inheritable_image_properties)
    if order.asked.image is None:
        kept["image_base_image_ref"] = ""
    for key, value in (("owner_user_name", req.context.user_name), ("owner_project_name", req.context.project_name)):
        if value:
            kept[key] = value
    return kept


def _spec(req: Request, order: Order, instance: Any) -> Any:
    place = order.place
    return objects.RequestSpec(
        instance_uuid=instance.uuid,
        project_id=instance.project_id,
        user_id=instance.user_id,
        num_instances=order.count,
        is_bfv=order.volume_backed,
        image=image_meta(order.image),
        flavor=instance.flavor,
        availability_zone=place.zone,
        force_hosts=place.force_hosts,
        force_nodes=place.force_nodes,
        ignore_hosts=None,
        instance_group=place.group,
        limits=objects.SchedulerLimits(disk_gb=None, memory_mb=None, numa_topology=None, vcpu=None),
        numa_topology=None,
        pci_requests=instance.pci_requests,
        requested_destination=place.destination,
        requested_resources=[],
        retry=None,
        scheduler_hints=order.asked.hints,
        security_groups=instance.security_groups,
    )


def recorded(made: Birth, networks: objects.NetworkRequestList) -> None:
    """Complete the objects of a server whose records exist: ids, times, and what travels without being stored."""
    moment = made.stored.created_at
    when = moment.replace(tzinfo=UTC) if moment else None
    instance = made.instance
    for name in ("host", "node", "compute_id", "cell_name", "launched_at", "launched_on", "terminated_at", "locked_by"):
        setattr(instance, name, None)
    instance.created_at, instance.updated_at = when, None
    instance.deleted = instance.disable_terminate = False
    instance.obj_reset_changes(recursive=True)
    made.spec.id = made.stored.spec_id
    made.spec.obj_reset_changes()
    made.spec.requested_networks = networks
    made.spec.network_metadata = objects.NetworkMetadata(physnets=set(), tunneled=False)
    made.spec.request_level_params = objects.RequestLevelParams()
    made.build = wire.read(
        objects.BuildRequest,
        {
            "id": made.stored.build_id,
            "instance_uuid": instance.uuid,
            "project_id": instance.project_id,
            "instance": instance,
            # A copy: the devices themselves travel beside it with their changes, of which a conductor makes rows.
            "block_device_mappings": copy.deepcopy(made.devices),
            "tags": made.tags,
            "created_at": when,
            "updated_at": None,
        },
    )
