"""Whom the conductor talks to: databases, other services over HTTP, schedulers and computes on the bus."""

import threading
from dataclasses import dataclass, field
from typing import Any

from keel_common.clients import Clients
from keel_common.db import Cell, Cells
from keel_common.db.fleet import NovaFleet
from keel_contract.bus import Bus, Client
from keel_contract.nova.interfaces import COMPUTE, SCHEDULER

NO_BUS = "none:///"


@dataclass
class Peers:
    """Everything a flow of the conductor needs beside its arguments.

    :ivar bus: the bus of this conductor; a cell with another transport URL gets one of its own
    :ivar fleet: the services beside this one and what they understand
    """

    conf: Any
    cells: Cells
    clients: Clients
    bus: Bus
    fleet: NovaFleet = field(init=False)
    _compute: dict[str, Client] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.fleet = NovaFleet(self.conf, self.cells)

    @property
    def host(self) -> str:
        return self.conf.host

    @property
    def scheduler(self) -> Client:
        """The client of nova-scheduler."""
        return self._client("", SCHEDULER, self.bus)

    def compute(self, cell: Cell) -> Client:
        """The client of the computes of a cell. Raises ValueError for cell0, which has none."""
        if cell.transport_url == NO_BUS:
            raise ValueError(f"cell {cell.uuid} has no bus")
        same = cell.transport_url == self.conf.transport_url
        return self._client(cell.transport_url, COMPUTE, self.bus if same else None)

    def _client(self, url: str, interface: Any, bus: Bus | None) -> Client:
        with self._lock:
            if url not in self._compute:
                self._compute[url] = (bus or Bus(self.conf, "nova", url)).client(
                    interface, self.fleet.pins.of(interface)
                )
            return self._compute[url]
