"""What goes on with which server in this process: one operation at a time, and a way to tell it that the server is
being deleted.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from keel_compute.errors import Gone


@dataclass
class Flight:
    """The turn of one server."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    cancelled: threading.Event = field(default_factory=threading.Event)
    users: int = 0
    doing: str | None = None

    def check(self) -> None:
        """Raise Gone when the server is being deleted: long waits ask this."""
        if self.cancelled.is_set():
            raise Gone("the server is being deleted")


class Flights:
    """A lock per server uuid, made when needed and dropped when nobody holds or awaits it."""

    def __init__(self) -> None:
        self._flights: dict[str, Flight] = {}
        self._queued: set[str] = set()
        self._lock = threading.Lock()

    def queue(self, server: str) -> None:
        """Note that work on the server waits for a thread; its turn ends the note."""
        with self._lock:
            self._queued.add(server)

    @contextlib.contextmanager
    def enter(self, server: str, doing: str, cancels: bool = False) -> Iterator[Flight]:
        """Wait for the server's turn. With `cancels` a build or wait that goes on is told to give up first."""
        with self._lock:
            flight = self._flights.setdefault(server, Flight())
            flight.users += 1
            self._queued.discard(server)
            if cancels:
                flight.cancelled.set()
        try:
            with flight.lock:
                flight.doing = doing
                if cancels:
                    flight.cancelled.clear()
                try:
                    yield flight
                finally:
                    flight.doing = None
        finally:
            with self._lock:
                flight.users -= 1
                if not flight.users:
                    self._flights.pop(server, None)

    def busy(self, server: str) -> str | None:
        """What is being done or about to be done to the server, None when nothing is."""
        with self._lock:
            flight = self._flights.get(server)
            waiting = "queued" if server in self._queued else None
        return (flight.doing or "queued") if flight else waiting


class Arrivals:
    """External events that somebody waits for, by (server, "<name>-<tag>") as Nova keys them (nova 34.0.0)."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], threading.Event] = {}
        self._failed: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def expect(self, server: str, keys: list[str]) -> Iterator[list[threading.Event]]:
        """Events that are set when the named ones arrive while the block runs."""
        made = [((server, key), threading.Event()) for key in keys]
        with self._lock:
            self._waiting.update(made)
        try:
            yield [event for _, event in made]
        finally:
            with self._lock:
                for key, _ in made:
                    self._waiting.pop(key, None)
                    self._failed.discard(key)

    def arrive(self, server: str, key: str, failed: bool = False) -> bool:
        """An event came; False when nobody waits for it."""
        with self._lock:
            event = self._waiting.get((server, key))
            if event is None:
                return False
            if failed:
                self._failed.add((server, key))
        event.set()
        return True

    def failed(self, server: str, keys: list[str]) -> list[str]:
        """Which of the awaited events arrived with status failed."""
        with self._lock:
            return [key for key in keys if (server, key) in self._failed]
