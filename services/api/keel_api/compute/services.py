"""What the handlers of the compute API work with; one for the process, handed to every request as `req.services`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from keel_common.db import Cells


@dataclass
class Services:
    """The configuration, the databases, the clients of other services, and the bus.

    `bus_at(transport_url)` gives the bus of a cell (None: the one of [DEFAULT]transport_url); `interfaces` is the
    module that declares COMPUTE and COMPUTE_TASK.
    """

    conf: Any
    cells: Cells
    clients: Any
    bus_at: Callable[[str | None], Any]
    interfaces: Any
    _senders: dict[tuple[str, str | None], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def conductor(self) -> Any:
        """The bus client of nova-conductor's long flows (namespace compute_task)."""
        return self._sender("COMPUTE_TASK", None)

    def compute(self, cell_uuid: str) -> Any:
        """The bus client of the computes of a cell."""
        return self._sender("COMPUTE", self.cells.get(cell_uuid).transport_url)

    def _sender(self, interface: str, transport_url: str | None) -> Any:
        key = (interface, transport_url)
        with self._lock:
            if key not in self._senders:
                self._senders[key] = self.bus_at(transport_url).client(getattr(self.interfaces, interface))
            return self._senders[key]
