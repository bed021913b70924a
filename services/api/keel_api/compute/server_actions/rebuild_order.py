"""What a rebuild is to do, looked up and checked in the recorded order; nothing is changed here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keel_api.compute.server_actions import disks
from keel_api.compute.servers import birth, quota
from keel_api.compute.servers import image as images
from keel_api.compute.servers.asked import new_password
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import servers_boot
from keel_common.domain.server import block_devices
from keel_common.domain.server.block_devices import truth
from keel_common.wire.image import InvalidProperty, image_meta, system_metadata
from keel_contract.nova import objects

CERTS = "trusted_image_certificates"
_TEXTS = {
    "name": "display_name",
    "description": "display_description",
    "hostname": "hostname",
    "accessIPv4": "access_ip_v4",
    "accessIPv6": "access_ip_v6",
    "user_data": "user_data",
}
_NUMA = "hw_numa_"


@dataclass
class Order:
    """A checked rebuild. `values` are the columns of the server that change."""

    image: dict[str, Any]
    image_ref: str
    old_image_ref: str | None
    devices: list[dict[str, Any]]
    files: list[tuple[str, str]]
    metadata: dict[str, str]
    metadata_given: bool
    values: dict[str, Any]
    system_metadata: dict[str, Any]
    password: str
    preserve_ephemeral: bool
    reimage: bool
    key_name: str | None
    user_data: str | None
    certs_given: bool = False
    certs: list[str] | None = None
    key_given: bool = False
    key: dict[str, Any] | None = None

    @property
    def new_image(self) -> bool:
        """Whether the server gets another image than it has."""
        return self.old_image_ref != self.image_ref

    def metadata_of(self, server: dict[str, Any]) -> dict[str, str]:
        """The metadata of the server afterwards."""
        return self.metadata if self.metadata_given else server["metadata"]

    def certs_object(self) -> objects.TrustedCerts:
        """The trusted certificates as they are stored."""
        return objects.TrustedCerts(ids=self.certs)

    def keypairs(self) -> objects.KeyPairList:
        """The key as it is stored."""
        return birth.keypairs(self.key)


def order_of(req: Request, server: dict[str, Any], cell: Cell) -> Order:
    """Look up and check everything a rebuild request names; Fault 400 or 403."""
    asked = req.args
    key = _key(req, asked.get("key_name"))
    image_ref = asked["imageRef"]
    image = images.show(req, image_ref)
    automatic = asked.get("OS-DCF:diskConfig")
    _check_disk_config(image, automatic)
    devices = disks.of(cell, server)
    volume_backed = disks.is_volume_backed(server, devices)
    certs = _certs(req, asked)
    old = _old_image(req, server, devices, volume_backed, image_ref, certs)
    order = Order(
        image=image,
        image_ref=image_ref,
        old_image_ref=old,
        devices=devices,
        files=[(file["path"], file.get("contents", "")) for file in asked.get("personality", ())],
        metadata=dict(asked.get("metadata") or {}),
        metadata_given="metadata" in asked,
        values=_values(req, asked, image, automatic),
        system_metadata=_system_metadata(req, server, image, image_ref),
        password=asked.get("adminPass") or new_password(req.services.conf.password_length),
        preserve_ephemeral=truth(asked.get("preserve_ephemeral") or False),
        reimage=volume_backed and req.at_least(2, 93),
        key_name=server["key_name"],
        user_data=server["user_data"],
        certs_given=CERTS in asked,
        certs=certs,
        key_given="key_name" in asked,
        key=key,
    )
    if order.key_given:
        order.values |= {"key_name": key["name"] if key else None, "key_data": key["public_key"] if key else None}
    if not volume_backed:
        order.values["image_ref"] = image_ref
    _check(req, server, order)
    return order


def _key(req: Request, name: str | None) -> dict[str, Any] | None:
    """The key of the caller, not of the server's owner (nova 34.0.0 microversion 2.54)."""
    if name is None:
        return None
    found = req.services.cells.api.read(servers_boot.keypair, req.context.user_id, name)
    if found is None:
        raise Fault(400, "Invalid key_name provided.")
    return found


def _check_disk_config(image: dict[str, Any], config: str | None) -> None:
    if config == "AUTO" and str(image["properties"].get("auto_disk_config", "")).lower() == "disabled":
        raise Fault(400, f"Requested image {image.get('id')} has automatic disk resize disabled.")


def _certs(req: Request, asked: dict[str, Any]) -> list[str] | None:
    """The trusted certificates asked for; null means those the operator configured, if any."""
    given = asked.get(CERTS)
    glance = req.services.conf.glance
    if given or CERTS not in asked:
        return given
    verifies = glance.verify_glance_signatures and glance.enable_certificate_validation
    return list(glance.default_trusted_certificate_ids) or None if verifies else None


def _old_image(
    req: Request,
    server: dict[str, Any],
    devices: list[dict[str, Any]],
    volume_backed: bool,
    image_ref: str,
    certs: list[str] | None,
) -> str | None:
    """The image a server has; of one that boots from a volume the image of that. 400 where it may not change."""
    if not volume_backed:
        return server["image_ref"]
    if certs:
        raise Fault(400, "Image certificate validation is not supported for volume-backed servers.")
    root = block_devices.root_of(devices)
    if root is None or not root["volume_id"]:
        raise Fault(400, f"Instance {server['uuid']} has no root volume to rebuild.")
    try:
        volume = req.services.clients.cinder.show_volume(req.context, root["volume_id"])
    except errors.NotFound:
        raise Fault(400, f"Volume {root['volume_id']} could not be found.") from None
    old = (volume.get("volume_image_metadata") or {}).get("image_id")
    if old != image_ref and not req.at_least(2, 93):
        raise Fault(
            400,
            f"Image {image_ref} is unacceptable: Unable to rebuild with a different image for a volume-backed server.",
        )
    return old


def _values(req: Request, asked: dict[str, Any], image: dict[str, Any], config: str | None) -> dict[str, Any]:
    values = {column: asked[key] for key, column in _TEXTS.items() if key in asked}
    if "display_name" in values:
        name = values["display_name"]
        values["display_name"] = name.strip() if req.legacy else name.rstrip("\n")
    for column in ("access_ip_v4", "access_ip_v6"):
        if column in values:
            values[column] = values[column] or None
    properties = image["properties"]
    automatic = truth(properties.get("auto_disk_config") or False) if config is None else config == "AUTO"
    return {
        **values,
        "progress": 0,
        "kernel_id": str(properties.get("kernel_id") or ""),
        "ramdisk_id": str(properties.get("ramdisk_id") or ""),
        "os_type": properties.get("os_type"),
        "architecture": properties.get("architecture") or properties.get("hw_architecture"),
        "vm_mode": properties.get("vm_mode") or properties.get("hw_vm_mode"),
        "auto_disk_config": automatic,
    }


def _system_metadata(
    req: Request, server: dict[str, Any], image: dict[str, Any], image_ref: str
) -> dict[str, str | None]:
    """What a server remembers: of its image anew, all else as it was."""
    kept = {key: value for key, value in server["system_metadata"].items() if not key.startswith("image_")}
    left_out = req.services.conf.non_inheritable_image_properties
    made = system_metadata(image, server["flavor"]["root_gb"], left_out)
    return {**kept, **made, "image_base_image_ref": image_ref}


def _check(req: Request, server: dict[str, Any], order: Order) -> None:
    """Sizes, the image against the flavor, the state of the volumes, the NUMA topology."""
    quota.check_sizes(order, quota.limits(req, server["project_id"], server["user_id"]))
    images.check(req, order.image, server["flavor"], order.devices)
    disks.check_in_use(req, order.devices, 400)
    if order.new_image and _numa(order.image["properties"]) != _numa(_remembered(server)):
        raise Fault(400, "An instance's NUMA topology cannot be changed as part of a rebuild.")
    try:
        image_meta(order.image)
    except InvalidProperty as error:
        raise Fault(400, str(error)) from None


def _remembered(server: dict[str, Any]) -> dict[str, Any]:
    own = server["system_metadata"].items()
    return {key.removeprefix("image_"): value for key, value in own if key.startswith("image_")}


def _numa(properties: dict[str, Any]) -> dict[str, str]:
    """What of an image decides the NUMA topology of a server."""
    return {key: str(value) for key, value in properties.items() if key.startswith(_NUMA)}
