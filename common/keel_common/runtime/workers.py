"""A bounded pool of threads for work that must not hold up the thread that received it."""

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from prometheus_client import Gauge

from keel_common.runtime.part import Check, left

LOG = logging.getLogger(__name__)
_WAITING = Gauge("keel_workers_jobs", "Jobs taken by a pool and not finished.", ["pool"])


class Stopping(RuntimeError):
    """The pool takes no more work: the process is going down."""


class Workers:
    """Runs jobs in at most `size` threads; `stop` waits for those it has taken.

    `submit` waits while `limit` jobs (default 16 for each thread) are taken and not finished, which is the
    back-pressure on the sender. A job's exception is logged with the name of the job, and kept in the future for who
    asks.
    """

    def __init__(self, name: str, size: int, limit: int | None = None) -> None:
        self.name = name
        self._executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix=name)
        self._room = threading.BoundedSemaphore(limit or 16 * size)
        self._jobs: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._stopping = False

    def start(self) -> None:
        """Nothing to do: threads start with the first jobs."""

    def submit(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        """Queues `fn(*args, **kwargs)`; raises Stopping once the pool is being stopped."""
        self._room.acquire()
        with self._lock:
            if self._stopping:
                self._room.release()
                raise Stopping(f"{self.name} is stopping")
            future = self._executor.submit(fn, *args, **kwargs)
            self._jobs.add(future)
            _WAITING.labels(self.name).set(len(self._jobs))
        future.add_done_callback(lambda done: self._finished(done, getattr(fn, "__qualname__", str(fn))))
        return future

    def idle(self, timeout: float | None = None) -> bool:
        """Waits until every job taken so far is finished; False when `timeout` seconds were not enough."""
        with self._lock:
            jobs = set(self._jobs)
        return not wait(jobs, timeout).not_done

    def stop(self, deadline: float) -> None:
        with self._lock:
            self._stopping = True
        self._executor.shutdown(wait=False)
        if not self.idle(left(deadline)):
            LOG.error("%s: %d jobs did not finish in time and are left behind", self.name, len(self._jobs))
            self._executor.shutdown(wait=False, cancel_futures=True)

    def checks(self) -> Mapping[str, Check]:
        return {}

    def _finished(self, future: Future[Any], job: str) -> None:
        with self._lock:
            self._jobs.discard(future)
            _WAITING.labels(self.name).set(len(self._jobs))
        self._room.release()
        if not future.cancelled() and future.exception() is not None:
            LOG.error("%s: %s failed", self.name, job, exc_info=future.exception())
