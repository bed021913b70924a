"""Starts the parts of a process, watches for signals, and stops the parts in reverse."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from keel_common.config import warn_without_effect
from keel_common.runtime import memory
from keel_common.runtime.health import HealthServer
from keel_common.runtime.logs import setup_logging
from keel_common.runtime.part import CannotStart, Check, Part, left

LOG = logging.getLogger(__name__)


class Process:
    """The parts of one process, started in order and stopped in reverse."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = list(parts)
        self._started: list[Part] = []
        self._ready = False

    def start(self) -> None:
        """Starts every part; when one fails, stops those before it (10 s) and raises what it raised."""
        for part in self._parts:
            try:
                part.start()
            except BaseException:
                LOG.error("%s did not start", part.name)
                self.stop(time.monotonic() + 10)
                raise
            self._started.append(part)
            LOG.info("%s started", part.name)
        self._ready = True

    def stop(self, deadline: float) -> None:
        """Stops what was started, newest first. A part that fails to stop does not keep the others from it."""
        self._ready = False
        while self._started:
            part = self._started.pop()
            try:
                part.stop(deadline)
                LOG.info("%s stopped, %.1f s left", part.name, left(deadline))
            except Exception:
                LOG.exception("%s did not stop cleanly", part.name)

    def reload(self) -> None:
        for part in self._started:
            reload: Callable[[], None] | None = getattr(part, "reload", None)
            if reload is not None:
                reload()

    def checks(self) -> Mapping[str, Check]:
        """The checks of every started part, and `started`, which fails before start is through and while stopping."""
        found: dict[str, Check] = {"started": self._check_ready}
        for part in list(self._started):
            found.update(part.checks())
        return found

    def _check_ready(self) -> None:
        if not self._ready:
            raise RuntimeError("starting or stopping")


def run(conf: Any, parts: Sequence[Part], name: str) -> int:
    """Runs `parts` until SIGTERM or SIGINT; the exit code of the process (0 clean, 1 a part did not start).

    Serves /livez, /readyz and /metrics on [keel]health_listen:health_port. SIGHUP re-reads the configuration files and
    reloads the parts that can. Stopping takes at most [DEFAULT]graceful_shutdown_timeout seconds (0 means an hour); a
    second SIGTERM or SIGINT ends the waiting.
    """
    setup_logging(conf, name)
    warn_without_effect(conf)
    process = Process(parts)
    with _signals(conf, process) as (stopping, hurry):
        health = HealthServer(conf.keel.health_listen, conf.keel.health_port, process.checks)
        if conf.keel.health_port:
            health.start()
        if not _started(process, name):
            health.stop(0)
            return 1
        memory.settle()
        LOG.info("%s is ready", name)
        stopping.wait()
        LOG.info("%s is stopping", name)
        _stop(process, conf.graceful_shutdown_timeout or 3600, hurry)
        health.stop(0)
    return 0


def _started(process: Process, name: str) -> bool:
    """Starts the process; False, with the reason in the log, when it cannot."""
    try:
        process.start()
        return True
    except CannotStart as error:
        refusal = str(error)
    except Exception:
        LOG.exception("%s cannot start", name)
        return False
    # Here no error is being handled any more: a log record would quote it a second time.
    LOG.critical("%s cannot start: %s", name, refusal)
    return False


def _stop(process: Process, seconds: float, hurry: threading.Event) -> None:
    deadline = time.monotonic() + seconds
    stopper = threading.Thread(target=process.stop, args=(deadline,), name="stop", daemon=True)
    stopper.start()
    while stopper.is_alive() and left(deadline + 1) and not hurry.is_set():
        stopper.join(0.1)
    if stopper.is_alive():
        LOG.error("gave up waiting for the parts to stop")


@contextmanager
def _signals(conf: Any, process: Process) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Turns signals into two events (stop; hurry) while the block runs. Outside the main thread nothing is
    installed."""
    stopping, hurry = threading.Event(), threading.Event()

    def stop(_number: int, _frame: Any) -> None:
        (hurry if stopping.is_set() else stopping).set()

    def reload(_number: int, _frame: Any) -> None:
        def work() -> None:
            conf.reload_config_files()
            process.reload()

        threading.Thread(target=work, name="reload", daemon=True).start()

    if threading.current_thread() is not threading.main_thread():
        yield stopping, hurry
        return
    wanted = {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: reload}
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield stopping, hurry
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
