"""The loop that drives the cluster's own controllers: one thread, a queue of objects to look at, timers.

A controller looks at one object (`reconcile`) whenever that object, or one related to it, has changed or a
timer is due. It never sleeps: a step that takes time asks `Engine.due`, which answers no and comes back
when the time has passed. After a restart every object is looked at once, and half-done steps take their
time again.
"""

from __future__ import annotations

import heapq
import logging
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

from .clock import Clock
from .knobs import Knobs
from .store import Change, Object, Store

LOG = logging.getLogger(__name__)

Ref = tuple[str, str]  # namespace, name


class Controller(Protocol):
    """``name`` for messages and pausing; ``watches`` maps a type key to the objects of the controller to look at."""

    name: str
    watches: dict[str, Callable[[Object], list[Ref]]]

    def reconcile(self, namespace: str, name: str) -> None: ...


class Engine:
    """Runs the controllers; everything they do happens on its one thread."""

    def __init__(self, store: Store, clock: Clock, knobs: Knobs):
        self._store, self._clock, self._knobs = store, clock, knobs
        self._controllers: dict[str, Controller] = {}
        self._routes: dict[str, list[Controller]] = defaultdict(list)
        self._wake = threading.Condition()
        self._queue: dict[tuple[str, Ref], None] = {}
        self._timers: list[tuple[float, int, tuple[str, Ref]]] = []
        self._started: dict[tuple[str, str], float] = {}
        self._sequence = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="kubesim-controllers", daemon=True)
        clock.on_change = self.poke
        store.listener = self._changed

    def add(self, controller: Controller) -> None:
        self._controllers[controller.name] = controller
        for key in controller.watches:
            self._routes[key].append(controller)

    def names(self) -> list[str]:
        return sorted(self._controllers)

    def start(self) -> None:
        self.look_at_all()
        self._thread.start()

    def look_at_all(self) -> None:
        """Have every object looked at, as after a restart or a change of the knobs."""
        for key in list(self._routes):
            for obj in self._store.list(key):
                self._enqueue(key, obj)

    def stop(self) -> None:
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread.is_alive():
            self._thread.join(10)

    def poke(self) -> None:
        with self._wake:
            self._wake.notify_all()

    def look(self, controller: str, namespace: str, name: str, after: float = 0.0) -> None:
        """Have a controller look at an object, now or after so many virtual seconds."""
        work = (controller, (namespace, name))
        with self._wake:
            if after <= 0:
                self._queue[work] = None
            else:
                self._sequence += 1
                heapq.heappush(self._timers, (self._clock.now() + after, self._sequence, work))
            self._wake.notify_all()

    def due(self, controller: str, obj: Object, step: str, seconds: float | None = None) -> bool:
        """Whether a step of an object has had its time; if not, the controller looks again when it has.

        ``step`` names a delay of the knobs, or anything when ``seconds`` is given.
        """
        metadata = obj["metadata"]
        wait = self._knobs.delay(step) if seconds is None else seconds
        new = (metadata["uid"], step) not in self._started
        if self.elapsed((metadata["uid"], step), wait):
            return True
        if new:
            self.look(controller, metadata.get("namespace", ""), metadata["name"], wait + 0.001)
        return False

    def elapsed(self, step: tuple[str, str], seconds: float) -> bool:
        """Whether so many virtual seconds have passed since a step (uid, name) was first asked for."""
        now = self._clock.now()
        began = self._started.setdefault(step, now)
        if now < began + seconds or began == now and seconds > 0:
            return False
        del self._started[step]
        return True

    def forget(self, obj: Object, step: str) -> None:
        """Let a step begin anew."""
        self._started.pop((obj["metadata"]["uid"], step), None)

    def _changed(self, key: str, change: Change) -> None:
        self._enqueue(key, change.object)
        if change.type == "DELETED":
            uid = change.object["metadata"]["uid"]
            for item in [item for item in list(self._started) if item[0] == uid]:
                self._started.pop(item, None)

    def _enqueue(self, key: str, obj: Object) -> None:
        work = [(c.name, ref) for c in self._routes.get(key, ()) for ref in c.watches[key](obj)]
        if work:
            with self._wake:
                self._queue.update(dict.fromkeys(work))
                self._wake.notify_all()

    def _run(self) -> None:
        while True:
            work = self._next()
            if work is None:
                return
            controller, (namespace, name) = work
            try:
                self._controllers[controller].reconcile(namespace, name)
            except Exception:
                LOG.exception("controller %s failed at %s/%s", controller, namespace, name)
                self.look(controller, namespace, name, after=1.0)

    def _next(self) -> tuple[str, Ref] | None:
        with self._wake:
            while not self._stopping:
                now = self._clock.now()
                while self._timers and self._timers[0][0] <= now:
                    self._queue[heapq.heappop(self._timers)[2]] = None
                for work in self._queue:
                    if work[0] not in self._knobs.paused and "*" not in self._knobs.paused:
                        del self._queue[work]
                        return work
                wait = self._clock.wall(self._timers[0][0] - now) if self._timers else None
                self._wake.wait(wait)
            return None
