"""The peers of a compute API with something in each of them, by the name of the client that reaches it."""

from __future__ import annotations

import copy
import uuid
from typing import Any

from fakes.api import PROJECT
from fakes.peers import FakeAllocations, FakeCinder, FakeGlance, FakeNeutron

from keel_common.clients import errors

Row = dict[str, Any]


class Glance(FakeGlance):
    """Images with properties, in pages."""

    def page(self, context: Any, filters: Row, limit: int, marker: str | None = None) -> list[Row]:
        if marker is not None and marker not in self.images:
            raise errors.BadRequest(400, f"No image found with ID {marker}", "image")
        return list(self.images.values())[:limit]

    def change(self, context: Any, image_id: str, changes: list[Row]) -> Row:
        return self.show(context, image_id)


class Neutron(FakeNeutron):
    """Networks, ports, groups with rules and floating addresses."""

    def show_network(self, network_id: str, context: Any = None) -> Row:
        return _one(self.networks, network_id, "Network")

    def show_security_group(self, group_id: str, context: Any = None) -> Row:
        return _one(self.groups, group_id, "Security group")

    def create_security_group(self, values: Row, context: Any = None) -> Row:
        return self.groups[self.add_group(values["name"])]

    def update_security_group(self, group_id: str, values: Row, context: Any = None) -> Row:
        return self.show_security_group(group_id) | values

    def delete_security_group(self, group_id: str, context: Any = None) -> None:
        self.show_security_group(group_id)

    def create_security_group_rule(self, values: Row, context: Any = None) -> Row:
        return {"id": str(uuid.uuid4()), "protocol": None, "port_range_min": None, "port_range_max": None, **values}

    def delete_security_group_rule(self, rule_id: str, context: Any = None) -> None:
        """Every rule is there to be deleted."""

    def show_floating_ip(self, floating_ip_id: str, context: Any = None) -> Row:
        return _one(self.floating, floating_ip_id, "Floating IP")

    def create_floating_ip(self, network_id: str, context: Any = None) -> Row:
        return self.floating[self.add_floating_ip("192.0.2.7", floating_network_id=network_id)]

    def delete_floating_ip(self, floating_ip_id: str, context: Any = None) -> None:
        self.show_floating_ip(floating_ip_id)


def _one(things: dict[str, Row], key: str, noun: str) -> Row:
    if key not in things:
        raise errors.NotFound(404, f"{noun} {key} could not be found.", "network")
    return things[key]


class Cinder(FakeCinder):
    """Volumes and snapshots as lists too."""

    def list_volumes(self, context: Any) -> list[Row]:
        return list(self.volumes.values())

    def list_snapshots(self, context: Any) -> list[Row]:
        return list(self.snapshots.values())

    def create_volume(self, context: Any, volume: Row, **_: Any) -> Row:
        made = {"created_at": "2026-01-02T03:04:05.000000", "metadata": {}, "snapshot_id": None, "volume_type": "t"}
        made |= {"name": None, "description": None}
        return self.volumes[self.add(**{**made, **{key: value for key, value in volume.items() if value is not None}})]

    def create_snapshot(self, context: Any, snapshot: Row) -> Row:
        return _snapshot(super().create_snapshot(context, snapshot))

    def delete_snapshot(self, context: Any, snapshot_id: str) -> None:
        self.show_snapshot(context, snapshot_id)


def _snapshot(row: Row) -> Row:
    return {"size": 1, "created_at": "2026-01-02T03:04:05.000000", "name": None, "description": None, **row}


class Manila:
    """Every share exists and can be used."""

    def show_share(self, share_id: str) -> Row:
        return {"id": share_id, "status": "available", "share_proto": "NFS", "size": 1}

    def export_locations(self, share_id: str) -> list[Row]:
        return [{"path": "192.0.2.50:/share", "preferred": True}]


class Keystone:
    """Every project exists."""

    def project_exists(self, project_id: str, context: Any = None) -> bool:
        return True


class Placement(FakeAllocations):
    """Aggregates and providers come and go."""

    def change_aggregates(self, provider: str, add: Any = frozenset(), remove: Any = frozenset()) -> None:
        """Every provider is known."""

    def delete_provider(self, provider: str) -> bool:
        return True


def make() -> dict[str, Any]:
    """Peers that hold an image, a network, a port, a group, two floating addresses, volumes and a snapshot."""
    found = {"glance": Glance(), "neutron": Neutron(), "cinder": Cinder(), "manila": Manila(), "keystone": Keystone()}
    return {**found, "placement": Placement()}


def ids(found: dict[str, Any]) -> dict[str, str]:
    """Fill the peers; the ids of what they hold, by name."""
    neutron, cinder = found["neutron"], found["cinder"]
    dates = {"created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z"}
    image = found["glance"].add(os_type="linux", k="v", owner=PROJECT, tags=[], **dates)
    network = neutron.add_network(id=str(uuid.uuid4()))
    external = neutron.add_network(name="public", **{"router:external": True})
    port = neutron.add_port(network_id=network)
    group, other_group = neutron.add_group("web"), neutron.add_group("db")
    more = {"created_at": "2026-01-02T03:04:05.000000", "name": "v", "description": None, "metadata": {}}
    volume, free, boot = (
        cinder.add(volume_type="standard", snapshot_id=None, **more, **values)
        for values in ({"status": "in-use"}, {}, {"status": "in-use", "bootable": "true"})
    )
    snapshot = {"id": str(uuid.uuid4()), "status": "available", "volume_id": volume}
    cinder.snapshots[snapshot["id"]] = _snapshot(snapshot)
    return {
        "image": image,
        "network": network,
        "external": external,
        "port": port,
        "web": group,
        "db": other_group,
        "volume": volume,
        "free_volume": free,
        "boot_volume": boot,
        "snapshot": snapshot["id"],
        "share": str(uuid.uuid4()),
        "new_share": str(uuid.uuid4()),
        "rule": str(uuid.uuid4()),
    }


def belong(found: dict[str, Any], made: dict[str, str]) -> None:
    """Give the server of the world its port, group and address."""
    neutron = found["neutron"]
    addresses = [{"ip_address": "10.0.0.5", "subnet_id": str(uuid.uuid4())}]
    neutron.update_port(made["port"], {"device_id": made["server"], "fixed_ips": addresses})
    neutron.ports[made["port"]]["security_groups"] = [made["web"]]
    pool = {"floating_network_id": made["external"], "project_id": PROJECT, "tenant_id": PROJECT}
    used = neutron.add_floating_ip("192.0.2.5", port_id=made["port"], fixed_ip_address="10.0.0.5", **pool)
    made["floating"], made["free_floating"] = used, neutron.add_floating_ip("192.0.2.6", **pool)


def copied(found: dict[str, Any]) -> dict[str, Any]:
    """The peers as they are now, apart from these."""
    return copy.deepcopy(found)
