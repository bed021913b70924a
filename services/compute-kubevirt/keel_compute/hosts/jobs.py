"""Work of one host in the pool of the process, so that a host can wait for its own before it is handed over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from keel_common.runtime import Workers


class Jobs:
    """The jobs of one host; `submit` is that of the pool."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._jobs: set[Future[Any]] = set()

    def submit(self, fn: Callable[..., Any], *args: Any) -> Future[Any]:
        """Queue a job; raises Stopping when the process goes down."""
        future = self._workers.submit(fn, *args)
        with self._lock:
            self._jobs.add(future)
        future.add_done_callback(self._done)
        return future

    def _done(self, future: Future[Any]) -> None:
        with self._lock:
            self._jobs.discard(future)

    def waiting(self) -> int:
        """Jobs that are not finished."""
        with self._lock:
            return len(self._jobs)

    def idle(self, timeout: float) -> bool:
        """Wait until all that is queued now is finished; False when `timeout` seconds were not enough."""
        with self._lock:
            jobs = set(self._jobs)
        return not wait(jobs, timeout).not_done
