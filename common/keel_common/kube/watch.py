"""Informer: a cache of one kind, fed by list and watch.

The API server promises no watch that never misses: streams end at any time, and a resourceVersion that is too old is
answered 410 (kubernetes API concepts, "efficient detection of changes"). So every gap ends in a new list whose
difference to the cache is delivered as events; who listens sees states, never a promise of every step in between.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson
import urllib3

from keel_common.kube.client import Kube, selector
from keel_common.kube.errors import Expired, Gone, KubeError, Stopped, Unreachable, from_status
from keel_common.kube.kinds import Kind

LOG = logging.getLogger(__name__)

Handler = Callable[[str, dict, dict | None], None]
"""on_event(event, object, object before): event is ADDED, MODIFIED or DELETED."""

WATCH_SECONDS = (240, 360)
"""A stream is asked to end after a random time between these two, so that many watchers do not come back together."""
BACKOFF = (0.2, 30.0)
"""Seconds: first and longest pause before the next try after a failure."""


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    rest = b""
    for chunk in response.stream(65536):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line for line in whole if line.strip())
    if rest.strip():
        yield rest


class Informer:
    """A Part that mirrors the objects of one kind (optionally of a namespace, with labels or fields) in memory.

    Events of one object reach `on_event` in order and one at a time; with `workers` > 1 different objects are served
    side by side. A handler that raises is logged and does not stop the stream: handlers must be level-triggered, an
    audit repairs. `stale_after` is the seconds without a sign of life (event, bookmark, list) after which the check
    fails.
    """

    def __init__(
        self,
        kube: Kube,
        kind: Kind,
        namespace: str | None = None,
        labels: Mapping[str, str | None] | str | None = None,
        on_event: Handler | None = None,
        *,
        fields: str | None = None,
        workers: int = 1,
        stale_after: float = 420.0,
    ) -> None:
        self.name = f"informer-{kind.plural}"
        self._kube = kube
        self._kind = kind
        self._namespace = namespace
        self._labels = labels
        self._fields = fields
        self._on_event = on_event
        self._stale_after = stale_after
        self._objects: dict[str, dict] = {}
        self._waiters: dict[str, list[threading.Event]] = {}
        self._lock = threading.Lock()
        self._synced = threading.Event()
        self._stopping = threading.Event()
        self._seen = time.monotonic()
        self._response: urllib3.BaseHTTPResponse | None = None
        self._queues: list[queue.SimpleQueue] = [queue.SimpleQueue() for _ in range(workers if on_event else 0)]
        self._threads: list[threading.Thread] = []

    def listen(self, on_event: Handler, workers: int = 1) -> None:
        """Set the handler, for a listener that is made after its informer; before `start` only, one at most."""
        if self._on_event is not None or self._threads:
            raise RuntimeError(f"{self.name} has its listener")
        self._on_event = on_event
        self._queues = [queue.SimpleQueue() for _ in range(workers)]

    # -- the Part

    def start(self) -> None:
        """Begin to mirror in the background; `wait_synced` tells when the first list is in."""
        targets = [(self._follow, ())] + [(self._serve, (each,)) for each in self._queues]
        for target, args in targets:
            thread = threading.Thread(target=target, args=args, name=self.name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, deadline: float) -> None:
        """End the stream and wait for handlers that run, at most until `deadline` (time.monotonic())."""
        self._stopping.set()
        response = self._response
        if response is not None:
            with contextlib.suppress(Exception):  # the stream may end by itself at this very moment
                response.shutdown()
        for each in self._queues:
            each.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def checks(self) -> dict[str, Callable[[], None]]:
        """Readiness: the cache is filled and fresh."""
        return {self.name: self._check}

    def _check(self) -> None:
        if not self._synced.is_set():
            raise RuntimeError(f"{self._kind.plural}: not listed yet")
        if self.age() > self._stale_after:
            raise RuntimeError(f"{self._kind.plural}: no word from the API server for {self.age():.0f} s")

    # -- reading

    def wait_synced(self, timeout: float) -> bool:
        """True as soon as the first list is in the cache."""
        return self._synced.wait(timeout)

    def age(self) -> float:
        """Seconds since the API server was last heard on this stream."""
        return time.monotonic() - self._seen

    def get(self, name: str) -> dict | None:
        """The cached object by name (by "namespace/name" for a namespaced kind mirrored over all namespaces)."""
        with self._lock:
            return self._objects.get(name)

    def items(self) -> list[dict]:
        """The cached objects; they are shared, never change them."""
        with self._lock:
            return list(self._objects.values())

    def wait(self, name: str, ready: Callable[[dict | None], Any], timeout: float) -> Any:
        """The first true value of `ready(object or None)`, asked again whenever the object changes.

        What `ready` raises passes through. Raises Expired after `timeout` seconds, Stopped when the Part stops.
        """
        deadline = time.monotonic() + timeout
        signal = threading.Event()
        with self._lock:
            self._waiters.setdefault(name, []).append(signal)
        try:
            while not self._stopping.is_set():
                signal.clear()
                if self._synced.is_set() and (found := ready(self.get(name))):
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                signal.wait(min(left, 1.0))
            if self._stopping.is_set():
                raise Stopped(f"{self.name} stopped while {name} was waited for")
            raise Expired(0, "Timeout", f"{self._kind.kind} {name}: not as wanted after {timeout:.0f} s")
        finally:
            with self._lock:
                self._waiters[name].remove(signal)
                if not self._waiters[name]:
                    del self._waiters[name]

    # -- following

    def _follow(self) -> None:
        pause = BACKOFF[0]
        version: str | None = None
        while not self._stopping.is_set():
            try:
                if version is None:
                    version = self._relist()
                for seen in self._stream(version):
                    version, pause = seen, BACKOFF[0]
                continue
            except Gone:
                LOG.info("%s: the watch is behind, listing again", self.name)
                version = None
            except KubeError as error:
                LOG.warning("%s: %s", self.name, error)
                # A stream that was cut goes on where it was; any other refusal starts over from a list.
                version = version if isinstance(error, Unreachable) else None
            except Exception:
                LOG.exception("%s: the stream could not be understood, listing again", self.name)
                version = None
            self._stopping.wait(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, BACKOFF[1])

    def _relist(self) -> str:
        objects, version = self._kube.list_at(self._kind, self._namespace, self._labels, self._fields)
        self._seen = time.monotonic()
        listed = {self._key(each): each for each in objects}
        for key in [key for key in self._objects if key not in listed]:
            self._record("DELETED", self._objects[key])
        for each in listed.values():
            self._record("MODIFIED", each)
        self._synced.set()
        return version

    def _stream(self, version: str) -> Iterator[str]:
        seconds = random.randint(*WATCH_SECONDS)
        query = {
            "watch": "1",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": seconds,
            "labelSelector": selector(self._labels),
            "fieldSelector": self._fields,
        }
        path = self._kind.path(self._namespace)
        response = self._kube.connection.open("GET", path, query=query, read_timeout=seconds + 15.0)
        self._response = response
        try:
            for line in _lines(response):
                if self._stopping.is_set():
                    return
                yield self._take(orjson.loads(line))
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Unreachable(0, "NoAnswer", f"watch of {self._kind.plural} was cut: {error}") from error
        finally:
            self._response = None
            response.close()

    def _take(self, event: dict) -> str:
        self._seen = time.monotonic()
        body = event["object"]
        if event["type"] == "ERROR":
            raise from_status(body)
        if event["type"] != "BOOKMARK":
            self._record(event["type"], body)
        return body["metadata"]["resourceVersion"]

    def _key(self, body: dict) -> str:
        metadata = body["metadata"]
        if self._kind.namespaced and not self._namespace:
            return f"{metadata['namespace']}/{metadata['name']}"
        return metadata["name"]

    def _record(self, event: str, body: dict) -> None:
        body["metadata"].pop("managedFields", None)
        key = self._key(body)
        with self._lock:
            before = self._objects.get(key)
            if event == "DELETED":
                self._objects.pop(key, None)
            else:
                self._objects[key] = body
            waiters = list(self._waiters.get(key, ()))
        for signal in waiters:
            signal.set()
        for each in self._events(event, body, before):
            self._deliver(key, each)

    @staticmethod
    def _events(event: str, body: dict, before: dict | None) -> list[tuple[str, dict, dict | None]]:
        """What a listener is told: nothing for no change, a deletion first when the name was given to a new object."""
        if event == "DELETED":
            return [("DELETED", body, before)] if before else []
        if before is None:
            return [("ADDED", body, None)]
        if before["metadata"]["uid"] != body["metadata"]["uid"]:
            return [("DELETED", before, before), ("ADDED", body, None)]
        if before["metadata"]["resourceVersion"] == body["metadata"]["resourceVersion"]:
            return []
        return [("MODIFIED", body, before)]

    # -- delivering

    def _deliver(self, key: str, item: tuple[str, dict, dict | None]) -> None:
        if self._queues:
            self._queues[zlib.crc32(key.encode()) % len(self._queues)].put(item)

    def _serve(self, source: queue.SimpleQueue) -> None:
        assert self._on_event is not None
        while (item := source.get()) is not None:
            event, body, before = item
            try:
                self._on_event(event, body, before)
            except Exception:
                LOG.exception("%s: %s of %s was not handled", self.name, event, body["metadata"]["name"])
