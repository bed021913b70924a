"""Glance, Neutron, Cinder and Placement as the environment describes them, with the methods of `keel_common.clients`.

Each is emptied by making it anew.
"""

from __future__ import annotations

import copy
import itertools
import uuid
from collections.abc import Iterator
from typing import Any

from keel_common.clients import errors


def _new_id() -> str:
    return str(uuid.uuid4())


class Glance:
    """The images of the environment, as the image API 2 shows them; images made are kept."""

    def __init__(self, images: list[dict[str, Any]]):
        served = [_as_served(each) for each in images]
        self.images = {each["id"]: each for each in [*served, *_encrypted(served[0])]}

    def show(self, context: Any, image_id: str) -> dict:
        if image_id not in self.images:
            raise errors.NotFound(404, f"No image found with ID {image_id}", "image")
        return copy.deepcopy(self.images[image_id])

    def list(self, context: Any, **filters: Any) -> list[dict]:
        return [copy.deepcopy(each) for each in self.images.values()]

    def page(self, context: Any, filters: dict[str, Any], limit: int, marker: str | None = None) -> list[dict]:
        found = [each for each in self.list(context) if all(each.get(key) == filters[key] for key in filters)]
        ids = [each["id"] for each in found]
        if marker is not None and marker not in ids:
            raise errors.BadRequest(400, f"No image found with ID {marker}", "image")
        begin = ids.index(marker) + 1 if marker else 0
        return found[begin : begin + limit]

    def change(self, context: Any, image_id: str, changes: list[dict]) -> dict:
        image = self.show(context, image_id)
        for each in changes:
            name = each["path"].removeprefix("/")
            if each["op"] == "remove":
                del image[name]
            else:
                image[name] = each["value"]
        self.images[image_id] = image
        return copy.deepcopy(image)

    def address(self, image_id: str) -> str:
        return f"http://glance.openstack.example.com/images/{image_id}"

    def create(self, context: Any, image: dict) -> dict:
        made = {"id": _new_id(), "status": "queued", "size": None, "tags": [], "visibility": "private", **image}
        self.images[made["id"]] = made
        return copy.deepcopy(made)

    def upload(self, context: Any, image_id: str, data: Any) -> None:
        self.images[image_id] |= {"status": "active", "size": sum(len(piece) for piece in data)}

    def download(self, context: Any, image_id: str) -> Iterator[bytes]:
        yield b""

    def delete(self, context: Any, image_id: str) -> None:
        self.show(context, image_id)
        del self.images[image_id]


def _encrypted(like: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Four images with random ids, for servers whose disks are encrypted."""
    plain = {key: value for key, value in like.items() if key not in ("kernel_id", "ramdisk_id", "architecture")}
    for wanted, form in (("True", None), ("False", None), ("True", "luks"), ("True", "plain")):
        marks = {"hw_ephemeral_encryption": wanted, **({"hw_ephemeral_encryption_format": form} if form else {})}
        yield {**plain, "id": _new_id(), **marks}


def _as_served(image: dict[str, Any]) -> dict[str, Any]:
    """Nova keeps properties apart and dates with an offset; the image API does neither."""
    found = {key: value for key, value in image.items() if key not in ("properties", "deleted", "deleted_at")}
    for key in ("created_at", "updated_at"):
        found[key] = found[key].replace("+00:00", "Z")
    found.pop("is_public", None)
    return {**image["properties"], **found}


class Neutron:
    """One network. The first port made has a known id and address; later ones share the address."""

    def __init__(self, facts: dict[str, Any]):
        facts = copy.deepcopy(facts)
        self.networks = {each["id"]: each for each in facts["networks"]}
        self.subnets = {each["id"]: each for each in facts["subnets"]}
        self.groups = {each["id"]: each for each in facts["security_groups"]}
        self.ports = {each["id"]: each for each in facts["ports"]}
        self._model, self._numbers = facts["first_created_port"], itertools.count()

    def list_networks(self, context: Any = None, **filters: Any) -> list[dict]:
        filters.pop("tenant_id", None)  # as in the recording, where every project had the network
        return _matching(self.networks, filters)

    def list_subnets(self, context: Any = None, **filters: Any) -> list[dict]:
        return _matching(self.subnets, filters)

    def list_ports(self, context: Any = None, **filters: Any) -> list[dict]:
        filters.pop("fixed_ips", None)
        return _matching(self.ports, filters)

    def list_security_groups(self, context: Any = None, **filters: Any) -> list[dict]:
        return _matching(self.groups, filters)

    def list_floating_ips(self, context: Any = None, **filters: Any) -> list[dict]:
        return []

    def show_network(self, network_id: str, context: Any = None) -> dict:
        return self._one(self.networks, network_id, "Network")

    def show_port(self, port_id: str, context: Any = None) -> dict:
        return self._one(self.ports, port_id, "Port")

    def create_port(self, port: dict, context: Any = None) -> dict:
        made = copy.deepcopy(self._model)
        if number := next(self._numbers):
            made |= {"id": _new_id(), "mac_address": f"00:0c:29:00:00:{number:02x}"}
        self.ports[made["id"]] = {**made, **{key: value for key, value in port.items() if key != "fixed_ips"}}
        return copy.deepcopy(self.ports[made["id"]])

    def update_port(self, port_id: str, port: dict, context: Any = None) -> dict:
        self.show_port(port_id)
        self.ports[port_id].update(port)
        return copy.deepcopy(self.ports[port_id])

    def delete_port(self, port_id: str, context: Any = None) -> bool:
        return self.ports.pop(port_id, None) is not None

    def create_binding(self, port_id: str, binding: dict) -> dict:
        self.show_port(port_id)
        return {"vif_type": "ovs", "vif_details": {}, **binding}

    def delete_binding(self, port_id: str, host: str) -> bool:
        return port_id in self.ports

    def extensions(self) -> set[str]:
        return {"binding-extended"}

    def quota(self, project: str) -> dict[str, int]:
        return {"port": -1}

    def _one(self, things: dict[str, dict], key: str, noun: str) -> dict:
        if key not in things:
            raise errors.NotFound(404, f"{noun} {key} could not be found.", "network")
        return copy.deepcopy(things[key])


def _matching(things: dict[str, dict], filters: dict[str, Any]) -> list[dict]:
    filters = {key: value for key, value in filters.items() if key != "fields" and value is not None}
    wanted = {key: value if isinstance(value, list) else [value] for key, value in filters.items()}
    return [copy.deepcopy(each) for each in things.values() if all(each.get(key) in wanted[key] for key in wanted)]


class Cinder:
    """Any volume exists: 1 GiB, available until it is attached. `known`: what the environment says of some."""

    def __init__(self, known: dict[str, str]):
        self._known = {volume: name for name, volume in known.items()}
        self.attachments: dict[str, dict[str, Any]] = {}
        self.volumes: dict[str, dict[str, Any]] = {}
        self.snapshots: dict[str, dict[str, Any]] = {}

    def show_volume(self, context: Any, volume_id: str) -> dict:
        name = self._known.get(volume_id, "")
        found = {"id": volume_id, "name": volume_id, "size": 1, "status": "available", "bootable": "false"}
        found |= {"availability_zone": "nova", "multiattach": "MULTIATTACH" in name, "attachments": []}
        found |= self.volumes.get(volume_id, {})
        if name.startswith("SWAP_OLD"):
            found["migration_status"] = "migrating"
        if "IMAGE" in name:
            image = {"image_id": "155d900f-4e14-4e4c-a73d-069cbf4541e6"}
            found |= {"bootable": "true", "volume_image_metadata": image}
        using = {each["instance"]: each for each in self.attachments.values() if each["volume_id"] == volume_id}
        if using:
            found["status"] = "in-use"
            found["attachments"] = [
                {"server_id": server, "attachment_id": each["id"], "device": "/"} for server, each in using.items()
            ]
        return found

    def show_snapshot(self, context: Any, snapshot_id: str) -> dict:
        return self.snapshots.get(snapshot_id) or {
            "id": snapshot_id,
            "size": 1,
            "status": "available",
            "volume_id": _new_id(),
        }

    def create_snapshot(self, context: Any, snapshot: dict) -> dict:
        made = {"id": _new_id(), "size": 1, "status": "available", **snapshot}
        self.snapshots[made["id"]] = made
        return dict(made)

    def limits(self, context: Any) -> dict[str, int]:
        return {"maxTotalSnapshots": -1, "totalSnapshotsUsed": len(self.snapshots)}

    def create_volume(self, context: Any, volume: dict, microversion: str = "") -> dict:
        made = {**volume, "id": _new_id()}
        self.volumes[made["id"]] = made
        return self.show_volume(context, made["id"])

    def delete_volume(self, context: Any, volume_id: str) -> None:
        self.volumes.pop(volume_id, None)

    def create_attachment(self, context: Any, volume_id: str, server_id: str, *_: Any, **__: Any) -> dict:
        made = {"id": _new_id(), "volume_id": volume_id, "instance": server_id, "connection_info": {}}
        self.attachments[made["id"]] = made
        return dict(made)

    def show_attachment(self, context: Any, attachment_id: str) -> dict:
        if attachment_id not in self.attachments:
            raise errors.NotFound(404, f"Volume attachment {attachment_id} could not be found.", "volume")
        return dict(self.attachments[attachment_id])

    def update_attachment(self, context: Any, attachment_id: str, connector: dict, mountpoint: str | None) -> dict:
        self.show_attachment(context, attachment_id)
        self.attachments[attachment_id]["connection_info"] = {"driver_volume_type": "fake", "data": {}}
        return dict(self.attachments[attachment_id])

    def complete_attachment(self, context: Any, attachment_id: str) -> None:
        self.show_attachment(context, attachment_id)

    def delete_attachment(self, context: Any, attachment_id: str) -> bool:
        return self.attachments.pop(attachment_id, None) is not None

    def begin_detaching(self, context: Any, volume_id: str) -> None:
        """Always works."""

    def roll_detaching(self, context: Any, volume_id: str) -> None:
        """Always works."""


class Manila:
    """Any share exists and is available."""

    def show_share(self, share_id: str) -> dict[str, Any]:
        return {"id": share_id, "status": "available", "share_proto": "NFS", "size": 1}

    def export_locations(self, share_id: str) -> list[dict[str, Any]]:
        return [{"path": "10.0.0.50:/mnt/foo", "preferred": True}]


class Placement:
    """Providers with inventories of VCPU, MEMORY_MB and DISK_GB; allocations by consumer."""

    def __init__(self) -> None:
        self.inventory: dict[str, dict[str, float]] = {}
        self.allocations: dict[str, dict[str, dict[str, Any]]] = {}
        self.aggregates: dict[str, set[str]] = {}

    def offer(self, provider: str, room: dict[str, float]) -> None:
        """A host reports what it has, allocation ratios applied."""
        self.inventory[provider] = room

    def _free(self, provider: str) -> dict[str, float]:
        left = dict(self.inventory[provider])
        for allocation in self.allocations.values():
            for resource, amount in allocation.get(provider, {}).get("resources", {}).items():
                left[resource] -= amount
        return left

    def candidates(self, query: list[tuple[str, str]]) -> tuple[list[dict], dict[str, dict]]:
        asked = dict(query)
        wanted = {
            name: int(amount) for name, _, amount in (each.partition(":") for each in asked["resources"].split(","))
        }
        fits = [
            provider
            for provider in self.inventory
            if asked.get("in_tree", provider) == provider
            and all(self._free(provider).get(name, 0) >= amount for name, amount in wanted.items())
            and self._member(provider, [value for key, value in query if key == "member_of"])
        ]
        requests = [{"allocations": {each: {"resources": wanted}}, "mappings": {"": [each]}} for each in fits]
        return requests, {each: {"root_provider_uuid": each} for each in self.inventory}

    def _member(self, provider: str, groups: list[str]) -> bool:
        mine = self.aggregates.get(provider, set())
        for group in groups:
            inside = not group.startswith("!")
            if bool(mine & set(group.removeprefix("!").removeprefix("in:").split(","))) != inside:
                return False
        return True

    def claim(self, consumer: str, request: dict, project: str, user: str) -> bool:
        self.allocations[consumer] = request["allocations"]
        return True

    def get_allocations(self, consumer: str) -> dict:
        return {"allocations": self.allocations.get(consumer, {})}

    def put_allocations(self, consumer: str, body: dict) -> None:
        self.allocations[consumer] = body["allocations"]

    def delete_allocations(self, consumer: str) -> bool:
        return self.allocations.pop(consumer, None) is not None

    def move_allocations(self, source: str, target: str) -> bool:
        if source not in self.allocations:
            return False
        self.allocations[target] = self.allocations.pop(source)
        return True

    def provider_allocations(self, provider: str) -> dict[str, dict]:
        return {consumer: found[provider] for consumer, found in self.allocations.items() if provider in found}

    def inventories(self, provider: str) -> dict[str, dict]:
        return {name: {"total": total} for name, total in self.inventory.get(provider, {}).items()}

    def delete_provider(self, provider: str) -> bool:
        return self.inventory.pop(provider, None) is not None

    def traits(self, provider: str) -> set[str]:
        return set()

    def set_traits(self, provider: str, add: Any, remove: Any = frozenset()) -> bool:
        return True

    def set_aggregates(self, provider: str, aggregates: set[str]) -> None:
        self.aggregates[provider] = set(aggregates)

    def change_aggregates(self, provider: str, add: Any = frozenset(), remove: Any = frozenset()) -> None:
        self.aggregates[provider] = (self.aggregates.get(provider, set()) | set(add)) - set(remove)


class Keystone:
    """Every project exists."""

    def project_exists(self, project_id: str, context: Any = None) -> bool:
        return True
