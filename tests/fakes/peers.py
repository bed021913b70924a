"""The image, network and volume services a compute API talks to, as objects with the methods of `keel_common.clients`.

They keep what they are told in dicts a test can look into.
"""

from __future__ import annotations

import uuid
from typing import Any

from keel_common.clients import errors


class FakeGlance:
    """`images` by id, as the image API shows them."""

    def __init__(self) -> None:
        self.images: dict[str, dict[str, Any]] = {}

    def add(self, **values: Any) -> str:
        image = {"id": str(uuid.uuid4()), "name": "image", "status": "active", "visibility": "public", "size": 1 << 20}
        image |= {"min_disk": 0, "min_ram": 0, "container_format": "bare", "disk_format": "qcow2", **values}
        self.images[image["id"]] = image
        return image["id"]

    def show(self, context: Any, image_id: str) -> dict:
        if image_id not in self.images:
            raise errors.NotFound(404, f"No image found with ID {image_id}", "image")
        return self.images[image_id]

    def create(self, context: Any, image: dict) -> dict:
        made = {"id": str(uuid.uuid4()), "status": "queued", **image}
        self.images[made["id"]] = made
        return made

    def upload(self, context: Any, image_id: str, data: Any) -> None:
        self.show(context, image_id)["status"] = "active"

    def delete(self, context: Any, image_id: str) -> None:
        del self.images[self.show(context, image_id)["id"]]

    def address(self, image_id: str) -> str:
        return f"http://glance/images/{image_id}"


class FakeNeutron:
    """`networks`, `ports`, `groups` by id; `names` the loaded extensions."""

    def __init__(self) -> None:
        self.networks: dict[str, dict[str, Any]] = {}
        self.ports: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, dict[str, Any]] = {}
        self.floating: dict[str, dict[str, Any]] = {}
        self.names: set[str] = set()
        self.deleted: list[str] = []

    def add_network(self, **values: Any) -> str:
        network = {"id": str(uuid.uuid4()), "name": "private", "subnets": ["s"], "shared": False, **values}
        self.networks[network["id"]] = network
        return network["id"]

    def add_port(self, **values: Any) -> str:
        port = {"id": str(uuid.uuid4()), "device_id": "", "security_groups": [], "status": "ACTIVE", "tenant_id": "p"}
        port |= {"mac_address": "fa:16:3e:00:00:01", "network_id": str(uuid.uuid4())}
        port |= {"fixed_ips": [{"ip_address": "10.0.0.9", "subnet_id": str(uuid.uuid4())}], **values}
        self.ports[port["id"]] = port
        return port["id"]

    def add_group(self, name: str) -> str:
        group = {"id": str(uuid.uuid4()), "name": name, "description": "", "tenant_id": "p", "security_group_rules": []}
        self.groups[group["id"]] = group
        return group["id"]

    def add_floating_ip(self, address: str, **values: Any) -> str:
        row = {"id": str(uuid.uuid4()), "floating_ip_address": address, "port_id": None, "fixed_ip_address": None}
        self.floating[row["id"]] = {**row, **values}
        return row["id"]

    def list_floating_ips(self, context: Any = None, **filters: Any) -> list[dict]:
        return _matching(self.floating, filters)

    def update_floating_ip(self, floating_ip_id: str, values: dict, context: Any = None) -> dict:
        self.floating[floating_ip_id].update(values)
        return self.floating[floating_ip_id]

    def list_networks(self, context: Any = None, **filters: Any) -> list[dict]:
        filters.pop("tenant_id", None)
        return _matching(self.networks, filters)

    def list_ports(self, context: Any = None, **filters: Any) -> list[dict]:
        filters.pop("tenant_id", None)
        fixed = filters.pop("fixed_ips", None)
        found = _matching(self.ports, filters)
        if fixed is None:
            return found
        how, _, address = fixed.partition("=")
        return [
            port
            for port in found
            if any(
                address in ip["ip_address"] if how == "ip_address_substr" else ip["ip_address"] == address
                for ip in port["fixed_ips"]
            )
        ]

    def list_security_groups(self, context: Any = None, **filters: Any) -> list[dict]:
        filters.pop("tenant_id", None)
        return _matching(self.groups, filters)

    def show_port(self, port_id: str, context: Any = None) -> dict:
        if port_id not in self.ports:
            raise errors.NotFound(404, f"Port {port_id} could not be found.", "network")
        return self.ports[port_id]

    def update_port(self, port_id: str, port: dict, context: Any = None) -> dict:
        self.show_port(port_id).update(port)
        return self.ports[port_id]

    def delete_port(self, port_id: str, context: Any = None) -> bool:
        self.deleted.append(port_id)
        return self.ports.pop(port_id, None) is not None

    def extensions(self) -> set[str]:
        return self.names


def _matching(things: dict[str, dict], filters: dict[str, Any]) -> list[dict]:
    filters.pop("fields", None)
    wanted = {k: v if isinstance(v, list) else [v] for k, v in filters.items() if v is not None}
    return [thing for thing in things.values() if all(thing.get(k) in values for k, values in wanted.items())]


class FakeCinder:
    """`volumes`, `snapshots`, `attachments` by id."""

    def __init__(self) -> None:
        self.volumes: dict[str, dict[str, Any]] = {}
        self.snapshots: dict[str, dict[str, Any]] = {}
        self.attachments: dict[str, dict[str, Any]] = {}
        self.deleted: list[str] = []
        self.most_snapshots = 10

    def add(self, **values: Any) -> str:
        volume = {"id": str(uuid.uuid4()), "size": 1, "status": "available", "multiattach": False, "bootable": "false"}
        volume |= {"availability_zone": "nova", "attachments": [], **values}
        self.volumes[volume["id"]] = volume
        return volume["id"]

    def show_volume(self, context: Any, volume_id: str) -> dict:
        if volume_id not in self.volumes:
            raise errors.NotFound(404, f"Volume {volume_id} could not be found.", "volume")
        return self.volumes[volume_id]

    def show_snapshot(self, context: Any, snapshot_id: str) -> dict:
        if snapshot_id not in self.snapshots:
            raise errors.NotFound(404, f"Snapshot {snapshot_id} could not be found.", "volume")
        return self.snapshots[snapshot_id]

    def create_attachment(self, context: Any, volume_id: str, server_id: str, **how: Any) -> dict:
        volume = self.show_volume(context, volume_id)
        if volume["status"] != "available" and not volume["multiattach"]:
            raise errors.BadRequest(400, f"volume {volume_id} is {volume['status']}", "volume")
        volume["status"] = "reserved"
        attachment = {"id": str(uuid.uuid4()), "volume_id": volume_id, "instance": server_id, "status": "reserved"}
        self.attachments[attachment["id"]] = attachment
        return attachment

    def delete_attachment(self, context: Any, attachment_id: str) -> bool:
        attachment = self.attachments.pop(attachment_id, None)
        if attachment is not None:
            self.volumes[attachment["volume_id"]]["status"] = "available"
        return attachment is not None

    def begin_detaching(self, context: Any, volume_id: str) -> None:
        volume = self.show_volume(context, volume_id)
        if volume["status"] != "in-use":
            raise errors.BadRequest(400, f"volume {volume_id} is {volume['status']}", "volume")
        volume["status"] = "detaching"

    def roll_detaching(self, context: Any, volume_id: str) -> None:
        self.show_volume(context, volume_id)["status"] = "in-use"

    def create_snapshot(self, context: Any, snapshot: dict) -> dict:
        made = {"id": str(uuid.uuid4()), "status": "creating", **snapshot}
        self.snapshots[made["id"]] = made
        return made

    def limits(self, context: Any) -> dict[str, int]:
        return {"maxTotalSnapshots": self.most_snapshots, "totalSnapshotsUsed": len(self.snapshots)}

    def delete_volume(self, context: Any, volume_id: str) -> None:
        self.deleted.append(volume_id)
        self.volumes.pop(volume_id, None)


class FakeAllocations:
    """The part of placement a compute API uses: `deleted` lists the consumers whose allocation was given back.
    `traits_of` are the traits by provider."""

    def __init__(self) -> None:
        self.deleted: list[str] = []
        self.traits_of: dict[str, set[str]] = {}

    def traits(self, provider: str) -> set[str]:
        return self.traits_of.get(provider, set())

    def delete_allocations(self, consumer: str) -> bool:
        self.deleted.append(consumer)
        return True
