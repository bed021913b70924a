"""Moves every unfinished volume and snapshot on: a queue of ids, fed by messages, by the watch and by an audit.

An id is worked on by one thread at a time, the handlers of messages included (``alone``); what arrives meanwhile
makes it due again. Steps look at the row and at the cluster and can be taken any number of times.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import names
from keel_volume.backend import Backend
from keel_volume.csi import streams
from keel_volume.flows import leftovers
from keel_volume.steps import KINDS, MARKED

LOG = log.getLogger(__name__)

_LEFTOVERS_EVERY = 12


class Reconciler:
    """A Part. ``soon(kind, id)`` makes a resource due; ``audit()`` makes due what the database says is unfinished."""

    name = "reconciler"

    def __init__(self, threads: int = 4, audit_seconds: float = 5.0):
        self._threads_wanted = threads
        self._audit_seconds = audit_seconds
        self._audits = 0
        self._due: deque[tuple[str, str]] = deque()
        self._waiting: set[tuple[str, str]] = set()
        self._busy: set[tuple[str, str]] = set()
        self._again: set[tuple[str, str]] = set()
        self._condition = threading.Condition()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def serve(self, backend: Backend) -> None:
        """Say which backend it is for; before start."""
        self._backend: Backend = backend

    def start(self) -> None:
        """Begin to work."""
        targets = [self._work] * self._threads_wanted + [self._audit_forever]
        for number, target in enumerate(targets):
            thread = threading.Thread(target=target, name=f"reconcile-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, deadline: float) -> None:
        """Finish the steps that run; the rest stands in the database and is taken up after the next start."""
        with self._condition:
            self._stopping.set()
            self._condition.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def checks(self) -> dict[str, Callable[[], None]]:
        """Ready while its threads live."""
        return {"reconciler": self._check}

    def soon(self, kind: str, resource_id: str) -> None:
        """Make a volume or snapshot due."""
        key = (kind, resource_id)
        with self._condition:
            if key in self._busy:
                self._again.add(key)
            elif key not in self._waiting:
                self._waiting.add(key)
                self._due.append(key)
                # Not one alone: it could be a message that waits for another volume and goes on waiting.
                self._condition.notify_all()

    @contextmanager
    def alone(self, kind: str, resource_id: str) -> Iterator[None]:
        """Work on a volume or snapshot that no step touches meanwhile; afterwards it is due."""
        key = (kind, resource_id)
        with self._condition:
            self._condition.wait_for(lambda: key not in self._busy)
            self._busy.add(key)
        try:
            yield
        finally:
            with self._condition:
                self._again.add(key)
            self._done(key)

    def on_event(self, event: str, item: dict, before: dict | None) -> None:
        """An object of the namespace changed: whose is it."""
        labels = item["metadata"].get("labels", {})
        name = item["metadata"]["name"]
        if snapshot := labels.get(names.SNAPSHOT):
            self.soon("snapshot", snapshot)
        elif cut := (item.get("status") or {}).get("volumeGroupSnapshotName"):
            self.soon("group_snapshot", cut.removeprefix(names.group_snapshot("")))
        elif volume := labels.get(names.VOLUME) or (name.startswith("volume-") and name.removeprefix("volume-")):
            self.soon("volume", volume)

    def audit(self) -> None:
        """Make due whatever is in a transitional status or bears a mark in the cluster, and now and then whatever the
        cluster holds for deleted rows, however the event for it was lost."""
        found = [self._backend.db.read(rows.unfinished, self._backend.name)]
        found += [(marked(self._backend), ()) for marked in MARKED]
        if self._audits % _LEFTOVERS_EVERY == 0:
            found.append(leftovers.find(self._backend))
            streams.remove_leftovers(self._backend, self._is_wanted)
        self._audits += 1
        for volumes, snapshots in found:
            for resource_id in volumes:
                self.soon("volume", resource_id)
            for resource_id in snapshots:
                self.soon("snapshot", resource_id)
        for kind, known in KINDS.items():
            if known.unfinished:
                for resource_id in self._backend.db.read(known.unfinished, self._backend.name):
                    self.soon(kind, resource_id)

    def _is_wanted(self, kind: str, resource_id: str) -> bool:
        """Whether a stream can still be needed for a resource: it is in a status that a step moves on. Those of kinds
        that are not known here belong to another process, those of rows that never were here to another deployment."""
        if kind not in KINDS:
            return True
        row = self._backend.db.read(KINDS[kind].read, resource_id)
        if row is None:
            return not self._backend.db.read(rows.deleted_among, f"{kind}s", [resource_id])
        # What reads a volume holds its claim: one that is to go must be let go.
        return row["status"] in KINDS[kind].steps and row["status"] != "deleting"

    def drain(self) -> None:
        """Take the steps that are due in the caller's thread, as far as they go now: for one without own threads."""
        while self._due and (key := self._take()) is not None:
            try:
                self._step(*key)
            finally:
                self._done(key)

    def _check(self) -> None:
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead or not self._threads:
            raise RuntimeError(f"not running: {', '.join(dead) or 'not started'}")

    def _audit_forever(self) -> None:
        while not self._stopping.is_set():
            try:
                self.audit()
            except Exception:
                LOG.exception("the audit failed; it runs again in %s s", self._audit_seconds)
            self._stopping.wait(self._audit_seconds)

    def _work(self) -> None:
        while (key := self._take()) is not None:
            try:
                self._step(*key)
            except Exception:
                LOG.exception("a step of %s %s failed; the audit takes it up again", *key)
            finally:
                self._done(key)

    def _take(self) -> tuple[str, str] | None:
        with self._condition:
            while True:
                self._condition.wait_for(lambda: self._stopping.is_set() or self._due)
                if self._stopping.is_set():
                    return None
                key = self._due.popleft()
                self._waiting.discard(key)
                if key not in self._busy:
                    self._busy.add(key)
                    return key
                # A message about it is being handled: it is due again after that.
                self._again.add(key)

    def _done(self, key: tuple[str, str]) -> None:
        with self._condition:
            self._busy.discard(key)
            again = key in self._again
            self._again.discard(key)
            self._condition.notify_all()
        if again:
            self.soon(*key)

    def _step(self, kind: str, resource_id: str) -> None:
        known, backend = KINDS[kind], self._backend
        row: dict[str, Any] | None = backend.db.read(known.read, resource_id)
        if row is None and known.gone:
            known.gone(backend, resource_id)
        elif row is None:
            leftovers.remove(backend, kind, resource_id)
        elif not (row["host"] or "").startswith(f"{backend.name}#"):
            return
        elif row["status"] in known.steps:
            known.steps[row["status"]](backend, row)
            self._wake_source(kind, row)
            self._wake_group(kind, row)
        else:
            for settle in known.settle:
                settle(backend, row)

    def _wake_group(self, kind: str, row: dict[str, Any]) -> None:
        """What is made or deleted together is done when the last of its members is."""
        if kind == "volume" and row["group_id"]:
            self.soon("group", row["group_id"])
        elif kind == "snapshot" and row["group_snapshot_id"]:
            self.soon("group_snapshot", row["group_snapshot_id"])

    def _wake_source(self, kind: str, row: dict[str, Any]) -> None:
        """The deletion of a source waits for its copies: it is due when one of them has moved on."""
        if kind != "volume" or row["status"] != "creating":
            return
        if row["snapshot_id"]:
            self.soon("snapshot", row["snapshot_id"])
        if row["source_volid"]:
            self.soon("volume", row["source_volid"])
