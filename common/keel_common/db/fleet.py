"""The services of a deployment as the databases know them: how old they are, and what may be sent to them.

A fleet is a Part: it refuses the start beside services that are too old or unknown, exactly where the real services do,
and after SIGHUP it finds out anew what the others speak.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from keel_common.db.cells import Cells
from keel_common.db.database import Database
from keel_common.db.errors import Unreachable
from keel_common.db.stores.cinder import services as cinder_services
from keel_common.db.stores.nova import services as nova_services
from keel_common.runtime.part import CannotStart
from keel_contract import errors
from keel_contract.cinder import interfaces as cinder
from keel_contract.pins import CinderPins, Kept, Lowest, NovaPins, refusal_of_old_computes

LOG = logging.getLogger(__name__)

COMPUTE = "nova-compute"
CONDUCTOR = "nova-conductor"


class _Fleet:
    """What both suites have in common."""

    name = "fleet"

    def stop(self, deadline: float) -> None:
        """Nothing is held."""

    def checks(self) -> Mapping[str, Callable[[], None]]:
        return {}


class NovaFleet(_Fleet):
    """The computes of every cell, and the pins of a process beside them.

    :ivar pins: ``pins.of(interface)`` for the clients of the process
    """

    def __init__(self, conf: Any, cells: Cells) -> None:
        self._conf, self._cells = conf, cells
        self.pins = NovaPins(conf, self.oldest, conductor=lambda: self.oldest(CONDUCTOR))

    def start(self) -> None:
        """Raises CannotStart beside a compute that this release does not work with (nova 34.0.0 rpc_client
        startup_check); with [workarounds]disable_compute_service_check_for_ffu it only warns."""
        refusal = refusal_of_old_computes(self.oldest())
        if refusal is None:
            return
        if not self._conf.workarounds.disable_compute_service_check_for_ffu:
            raise CannotStart(refusal)
        LOG.warning("%s", refusal)

    def reload(self) -> None:
        """Read the cells anew, and the pins when they are needed next."""
        if self._conf.api_database.connection:
            self._cells.refresh()
        self.pins.forget()

    def oldest(self, binary: str = COMPUTE) -> Lowest:
        """The oldest service of a binary in all cells, or in the own one without an API database. A cell that does not
        answer is left out, as one without such services is (nova 34.0.0 rpc_client pin)."""
        if not self._conf.api_database.connection:
            return self._cells.local.read(nova_services.oldest, binary) or Lowest(0)
        found = []
        for cell in self._cells.working():
            try:
                found.append(cell.db.read_once(nova_services.oldest, binary))
            except Unreachable as away:
                LOG.warning("The services of cell %s are not looked at: %s", cell.uuid, away)
        known = [one for one in found if one is not None and one.version]
        return min(known, key=lambda one: one.version, default=Lowest(0))


class CinderFleet(_Fleet):
    """The services that wrote their versions into the table, and the pins of a process beside them.

    :param serves: whether the process answers on the bus: then every service must be able to read the results
    :ivar pins: ``pins.of(interface)`` for the clients of the process
    """

    def __init__(self, db: Database, serves: bool = True) -> None:
        self.pins = CinderPins(partial(db.read, cinder_services.written))
        self.results: Kept | None = self.pins.everybody() if serves else None

    def start(self) -> None:
        """Raises CannotStart beside a service without versions, or with objects that nobody here knows (cinder 29.0.0
        pinning, minimum)."""
        talks_to = [self.pins.of(interface) for interface in (cinder.VOLUME, cinder.SCHEDULER, cinder.BACKUP)]
        for kept in (*talks_to, *([self.results] if self.results else [])):
            try:
                kept()
            except (errors.PeerTooOld, errors.PeerTooNew) as refusal:
                raise CannotStart(str(refusal)) from None

    def reload(self) -> None:
        """Read the pins anew when they are needed next."""
        self.pins.forget()
