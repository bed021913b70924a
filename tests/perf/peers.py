"""The peers of a whole compute suite in memory; every operation asked of them is told to a ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes import compute_peers, peers, placement


class Counted:
    """Passes calls on to a fake and tells of each. One operation of a client is one HTTP request unless
    `keel_common.clients` says otherwise."""

    def __init__(self, name: str, fake: Any):
        self._name, self.fake = name, fake
        self.told: Callable[[str], None] = lambda line: None

    def __getattr__(self, operation: str) -> Any:
        found = getattr(self.fake, operation)

        def call(*args: Any, **kwargs: Any) -> Any:
            if operation not in ("file_url", "token"):  # no requests of their own
                self.told(f"http {self._name} {operation}")
            return found(*args, **kwargs)

        return call


class Neutron(compute_peers.FakeNeutron):
    """What an API asks besides."""

    def __init__(self) -> None:
        super().__init__()
        self.network["subnets"] = [self.subnet["id"]]

    def extensions(self) -> set[str]:
        return set()

    def quota(self, project: str) -> dict[str, int]:
        return {"port": -1}

    def list_ports(self, context: Any = None, **filters: Any) -> list[dict]:
        wanted = filters["device_id"] if isinstance(filters["device_id"], list) else [filters["device_id"]]
        return [dict(port) for port in self.ports.values() if port["device_id"] in wanted]


class Glance(compute_peers.FakeGlance):
    """One image, shown to the API as well."""

    def show(self, context: Any, image_id: str) -> dict:
        shown = {"name": "image", "status": "active", "visibility": "public", "min_ram": 0, "container_format": "bare"}
        return {**shown, **self.image, "os_type": "linux"}


class Cinder(compute_peers.FakeCinder):
    """With the state changes that the API asks for."""

    def add(self, **values: Any) -> str:
        shown = {"multiattach": False, "bootable": "false", "availability_zone": "nova", "attachments": []}
        return super().add(**{**shown, **values})

    begin_detaching = peers.FakeCinder.begin_detaching
    roll_detaching = peers.FakeCinder.roll_detaching


class Placement(compute_peers.FakePlacement, placement.FakePlacement):
    """Inventories as the hosts report them; each host takes a hundred servers."""

    def __init__(self) -> None:
        placement.FakePlacement.__init__(self, {})
        compute_peers.FakePlacement.__init__(self)

    def ensure_provider(self, uuid: str, name: str) -> dict:
        self.rooms.setdefault(uuid, 100)
        return super().ensure_provider(uuid, name)

    def delete_allocations(self, consumer: str) -> bool:
        return placement.FakePlacement.delete_allocations(self, consumer)

    def provider_allocations(self, provider: str) -> dict:
        return {consumer: {} for consumer, where in self.held.items() if where == provider}


class Clients:
    """`keel_common.clients.Clients` with the fakes above, each counted."""

    def __init__(self) -> None:
        self.neutron = Counted("neutron", Neutron())
        self.glance = Counted("glance", Glance())
        self.cinder = Counted("cinder", Cinder())
        self.placement = Counted("placement", Placement())

    def all(self) -> list[Counted]:
        return [self.neutron, self.glance, self.cinder, self.placement]

    def close(self) -> None:
        self.glance.fake.close()
