"""Something done every so many seconds in a thread of its own."""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from prometheus_client import Counter

from keel_common.runtime.part import Check, left

LOG = logging.getLogger(__name__)
_FAILED = Counter("keel_periodic_failures_total", "Periodic runs that raised.", ["name"])


class Periodic:
    """Calls `fn()` every `seconds`, first after `first` seconds (default: one period).

    Runs never overlap; a run that takes longer than the period is followed by the next at once. An exception is logged
    and counted, and the next run comes in time. `stop` waits for a run that is going on.
    """

    def __init__(self, name: str, seconds: float, fn: Callable[[], object], first: float | None = None) -> None:
        self.name = name
        self._seconds = seconds
        self._first = seconds if first is None else first
        self._fn = fn
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name=self.name, daemon=True)
        self._thread.start()

    def stop(self, deadline: float) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(left(deadline))

    def checks(self) -> Mapping[str, Check]:
        return {}

    def _loop(self) -> None:
        due = time.monotonic() + self._first
        while not self._stopping.wait(left(due)):
            due = time.monotonic() + self._seconds
            try:
                self._fn()
            except Exception:
                _FAILED.labels(self.name).inc()
                LOG.exception("Periodic %s failed; next run in %.0f s", self.name, left(due))
