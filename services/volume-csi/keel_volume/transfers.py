"""Long streams, away from the threads that move everything else on: a few at once, each resource once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from oslo_log import log

from keel_common.kube import Stopped
from keel_common.runtime.workers import Stopping, Workers

LOG = log.getLogger(__name__)


class Transfers:
    """A Part. What is cut off by the end of the process is begun again by the audit after the next start."""

    name = "transfers"

    def __init__(self, threads: int, soon: Callable[[str, str], None]):
        self._workers = Workers(self.name, threads, limit=1 << 16)
        self._soon = soon
        self._known: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def start(self) -> None:
        """Threads start with the first work."""

    def stop(self, deadline: float) -> None:
        """End the streams at their next piece."""
        self._stopping.set()
        self._workers.stop(deadline)

    def checks(self) -> dict[str, Callable[[], None]]:
        """Nothing can be wrong with it."""
        return {}

    def run(self, kind: str, resource_id: str, work: Callable[[], None]) -> bool:
        """Have ``work`` done in the background unless something is under way for this resource (then False). Afterwards
        the resource is due, whatever came of it."""
        key = (kind, resource_id)
        with self._lock:
            if key in self._known or self._stopping.is_set():
                return False
            self._known.add(key)
        try:
            self._workers.submit(self._work, key, work)
        except Stopping:
            self._known.discard(key)
            return False
        return True

    def runs(self, kind: str, resource_id: str) -> bool:
        """Whether something is under way or waits for a thread."""
        return (kind, resource_id) in self._known

    def pause(self, seconds: float) -> None:
        """Wait. Raises Stopped when the process is to end."""
        self._stopping.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises Stopped when the process is to end."""
        if self._stopping.is_set():
            raise Stopped("a stream ends with the process")

    def _work(self, key: tuple[str, str], work: Callable[[], None]) -> None:
        began = time.monotonic()
        try:
            work()
        except Stopped:
            LOG.info("the transfer of %s %s is left to who comes next", *key)
        except Exception:
            LOG.exception("the transfer of %s %s failed after %.0f s; it begins again", *key, time.monotonic() - began)
        finally:
            with self._lock:
                self._known.discard(key)
            self._soon(*key)
