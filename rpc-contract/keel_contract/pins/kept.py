"""Pins that are found out once and kept until somebody has a reason to look again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from keel_contract import errors
from keel_contract.interface import Interface
from keel_contract.nova.interfaces import COMPUTE
from keel_contract.pins.levels import nova, setting, with_objects_of
from keel_contract.pins.pin import Lowest, Pin
from keel_contract.pins.written import binary, cinder, everybody

LOG = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds between two looks that refused messages cause. A crowd of refusals must not become a crowd of queries."""


class Kept:
    """The pin of one client: ``kept()`` finds it out when asked for the first time.

    :param find: finds the pin; an error it raises is not kept
    :param patience: seconds until `look_again` looks again
    """

    def __init__(self, name: str, find: Callable[[], Pin], patience: float = PATIENCE) -> None:
        self.name = name
        self._patience = patience
        self._find = find
        self._lock = threading.Lock()
        self._pin: Pin | None = None
        self._told: Pin | None = None
        self._looked = 0.0

    def __call__(self) -> Pin:
        """The pin. Raises what finding it raises."""
        pin = self._pin
        if pin is not None:
            return pin
        with self._lock:
            return self._pin or self._look()

    def forget(self) -> None:
        """Find the pin out anew when it is asked for the next time."""
        with self._lock:
            self._pin = None

    def look_again(self, doubted: Pin) -> bool:
        """Whether there is another pin than `doubted`, with which a message was refused. Looks at most every
        `patience` seconds."""
        with self._lock:
            if self._pin is not None and self._limits(self._pin) != self._limits(doubted):
                return True
            if time.monotonic() - self._looked < self._patience:
                return False
            try:
                return self._limits(self._look()) != self._limits(doubted)
            except errors.BusError as error:
                LOG.warning("%s: the pin cannot be found out anew: %s", self.name, error)
                return False

    def _look(self) -> Pin:
        self._looked = time.monotonic()
        pin = self._find()
        self._pin = pin if pin.settled else None
        if self._told is None or self._limits(self._told) != self._limits(pin):
            LOG.info("%s: %s is sent: %s", self.name, pin.rpc or "the newest", pin.why)
            self._told = pin
        return pin

    @staticmethod
    def _limits(pin: Pin) -> tuple[Any, ...]:
        return pin.rpc, pin.objects


class _Pins:
    """Pins by interface, each made once."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._kept: dict[str, Kept] = {}
        self._lock = threading.Lock()

    def of(self, interface: Interface) -> Kept:
        """The pin of an interface, to be given to ``bus.client(interface, pin)``."""
        return self._made(f"{interface.suite} {interface.name}", lambda: self._find(interface))

    def forget(self) -> None:
        """Find every pin out anew: the configuration or the fleet has changed."""
        with self._lock:
            kept = list(self._kept.values())
        for one in kept:
            one.forget()

    def _made(self, name: str, find: Callable[[], Pin]) -> Kept:
        with self._lock:
            if name not in self._kept:
                self._kept[name] = Kept(name, find, self._patience)
            return self._kept[name]

    def _find(self, interface: Interface) -> Pin:
        raise NotImplementedError


class NovaPins(_Pins):
    """The pins of a process of Nova.

    :param lowest: finds the oldest nova-compute; only asked when ``[upgrade_levels]compute`` is "auto"
    :param conductor: finds the oldest nova-conductor; asked in the same case. Whoever cannot read an object asks a
        conductor for an older one, so beside a conductor of an older release objects travel as that release knows them
    """

    def __init__(
        self,
        conf: Any,
        lowest: Callable[[], Lowest] | None = None,
        patience: float = PATIENCE,
        conductor: Callable[[], Lowest] | None = None,
    ) -> None:
        super().__init__(patience)
        self._conf, self._lowest, self._conductor = conf, lowest, conductor

    def _find(self, interface: Interface) -> Pin:
        pin = nova(self._conf, interface, self._lowest)
        if self._conductor is None or setting(self._conf, COMPUTE)[1] != "auto":
            return pin
        return with_objects_of(self._conductor(), pin)


class CinderPins(_Pins):
    """The pins of a process of Cinder.

    :param rows: (binary, or None for all) -> the not deleted rows of ``services``
    """

    def __init__(self, rows: Callable[[str | None], Iterable[Mapping[str, Any]]], patience: float = PATIENCE) -> None:
        super().__init__(patience)
        self._rows = rows

    def everybody(self) -> Kept:
        """The limits of what a server answers, to be given to ``bus.server(objects=...)``."""
        return self._made("cinder results", lambda: everybody(self._rows(None)))

    def _find(self, interface: Interface) -> Pin:
        return cinder(interface, self._rows(binary(interface)))
