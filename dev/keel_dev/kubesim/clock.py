"""The cluster's clock: virtual seconds that a test can speed up, stop and move forward."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class Clock:
    """Virtual time in seconds since the cluster started; ``speed`` virtual seconds pass in a real one.

    Time stamps in objects follow the virtual clock, so a cluster moved forward by ten minutes writes
    time stamps ten minutes ahead.
    """

    def __init__(self, speed: float = 1.0):
        self._lock = threading.Lock()
        self._speed = speed
        self._paused = False
        self._virtual = 0.0
        self._since = time.monotonic()
        self._epoch = datetime.now(UTC)
        self.on_change: Callable[[], None] = lambda: None

    def now(self) -> float:
        with self._lock:
            return self._read()

    def _read(self) -> float:
        if self._paused:
            return self._virtual
        return self._virtual + (time.monotonic() - self._since) * self._speed

    def wall(self, virtual_seconds: float) -> float | None:
        """Real seconds that so many virtual ones take; None when the clock stands still."""
        with self._lock:
            return None if self._paused else max(0.0, virtual_seconds / self._speed)

    def set(self, speed: float | None = None, paused: bool | None = None, advance: float = 0.0) -> None:
        """Change the pace, stop or go on, and move forward; waiting timers are told."""
        with self._lock:
            self._virtual = self._read() + advance
            self._since = time.monotonic()
            self._speed = self._speed if speed is None else speed
            self._paused = self._paused if paused is None else paused
        self.on_change()

    def state(self) -> dict[str, float | bool]:
        with self._lock:
            return {"now": self._read(), "speed": self._speed, "paused": self._paused}

    def stamp(self, micro: bool = False) -> str:
        """The present as Kubernetes writes it: seconds, or microseconds for leases and events."""
        moment = self._epoch + timedelta(seconds=self.now())
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")
