"""What the handlers of an API work with, handed to them as ``req.services``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from keel_api.volume.settings import Zones
from keel_common.clients import Clients
from keel_common.db import Cell, Cells, Database
from keel_common.db.fleet import CinderFleet, NovaFleet
from keel_contract.pins import CinderPins, NovaPins


class _Rpc:
    """RPC clients by interface and bus, each made once."""

    def __init__(self, make_bus: Callable[[str | None], Any], pins: NovaPins | CinderPins):
        self._make_bus, self._pins = make_bus, pins
        self._lock = threading.Lock()
        self._buses: dict[str | None, Any] = {}
        self._clients: dict[tuple[str | None, int], Any] = {}

    def client(self, interface: Any, url: str | None) -> Any:
        with self._lock:
            if url not in self._buses:
                self._buses[url] = self._make_bus(url)
            key = (url, id(interface))
            if key not in self._clients:
                self._clients[key] = self._buses[url].client(interface, self._pins.of(interface))
            return self._clients[key]


class ComputeServices:
    """Of the compute API: ``conf``, ``cells`` (databases), ``clients`` (HTTP peers), ``rpc`` (bus peers), ``fleet``."""

    def __init__(self, conf: Any, cells: Cells, clients: Clients, make_bus: Callable[[str | None], Any]):
        self.conf, self.cells, self.clients = conf, cells, clients
        self.fleet = NovaFleet(conf, cells)
        self._rpc = _Rpc(make_bus, self.fleet.pins)

    @property
    def api_db(self) -> Database:
        """The API database."""
        return self.cells.api

    def rpc(self, interface: Any, cell: Cell | None = None) -> Any:
        """The client of an interface on the bus of a cell (None: the bus of this process: conductor, scheduler)."""
        url = cell.transport_url if cell is not None else None
        return self._rpc.client(interface, None if url in (None, "", "none:///") else url)


class VolumeServices:
    """Of the block storage API: ``conf``, ``db``, ``clients`` (peers over HTTP), ``rpc`` (peers on the bus),
    ``zones``, ``fleet``."""

    def __init__(self, conf: Any, db: Database, clients: Clients, make_bus: Callable[[str | None], Any]):
        self.conf, self.db, self.clients = conf, db, clients
        self.zones = Zones(conf, db)
        self.fleet = CinderFleet(db, serves=False)
        self._rpc = _Rpc(make_bus, self.fleet.pins)

    def rpc(self, interface: Any) -> Any:
        """The client of an interface (volume, scheduler, backup)."""
        return self._rpc.client(interface, None)
