"""Where the cluster keeps its objects: one counter, one lock, an event log per type, SQLite behind it.

Stored dictionaries are never changed in place: a reader may hold one without the lock. The log keeps the
former content of each change, so that a list can be answered as of an earlier resourceVersion and a
selector watch can tell "stopped matching" from "changed".
"""

from __future__ import annotations

import sqlite3
import threading
from bisect import bisect_left
from collections import defaultdict, deque
from pathlib import Path
from typing import Any, NamedTuple

import orjson

Object = dict[str, Any]
Place = tuple[str, str]  # namespace ("" for cluster scope), name


Objects = list[Object]


def clone(value: Any) -> Any:
    """A copy of JSON data that can be edited; several times faster than copy.deepcopy."""
    if isinstance(value, dict):
        return {name: clone(item) for name, item in value.items()}
    if isinstance(value, list):
        return [clone(item) for item in value]
    return value


def editable(obj: Object) -> Object:
    """A copy of an object to be changed and stored; managedFields, never edited in place, are shared."""
    copied = {name: clone(item) for name, item in obj.items() if name != "metadata"}
    metadata = obj["metadata"]
    copied["metadata"] = {n: item if n == "managedFields" else clone(item) for n, item in metadata.items()}
    return copied


class Change(NamedTuple):
    """One entry of the log; ``before`` is None for ADDED."""

    version: int
    type: str
    object: Object
    before: Object | None


Changes = list[Change]
LOG_LENGTH = 5000


class Store:
    """The objects of the cluster, in memory and (with a path) on disk.

    All writes happen under ``lock``, which callers take for read-modify-write. ``put`` and ``remove`` give
    the object its resourceVersion. Every waiting watch is woken by a change of its type.
    """

    def __init__(self, path: Path | None = None):
        self.lock = threading.RLock()
        self._objects: dict[str, dict[Place, Object]] = defaultdict(dict)
        self._order: dict[str, list[Place]] = {}
        self._log: dict[str, deque[Change]] = defaultdict(lambda: deque(maxlen=LOG_LENGTH))
        self._forgotten: dict[str, int] = defaultdict(int)
        self._wake: dict[str, threading.Condition] = defaultdict(lambda: threading.Condition(self.lock))
        self._version = 1000
        self._base = 0
        self.listener: Any = None
        self._disk = _Disk(path) if path else None
        if self._disk:
            self._load()

    def _load(self) -> None:
        assert self._disk is not None
        version, rows = self._disk.read()
        self._version = max(self._version, version)
        for key, namespace, name, body in rows:
            self._objects[key][namespace, name] = orjson.loads(body)
        # What happened before the restart is not in the log: older watches must list again.
        self._base = self._version

    @property
    def version(self) -> int:
        return self._version

    def get(self, key: str, namespace: str, name: str) -> Object | None:
        return self._objects[key].get((namespace, name))

    def list(self, key: str, namespace: str = "") -> list[Object]:
        """Objects of a type, all namespaces when namespace is empty, ordered by namespace and name."""
        with self.lock:
            found, order = self._objects[key], self._order.get(key)
            if order is None:
                order = self._order[key] = sorted(found)
            if not namespace:
                return [found[place] for place in order]
            first, last = bisect_left(order, (namespace, "")), bisect_left(order, (namespace + "\0", ""))
            return [found[place] for place in order[first:last]]

    def list_at(self, key: str, version: int, namespace: str = "") -> Objects | None:
        """The same as of an earlier version; None when that is no longer known."""
        with self.lock:
            if version < self.oldest(key):
                return None
            found = dict(self._objects[key])
            for change in reversed(self._log[key]):
                if change.version <= version:
                    break
                if change.before is None:
                    found.pop(_place(change.object), None)
                else:
                    found[_place(change.object)] = change.before
            return [found[place] for place in sorted(found) if not namespace or place[0] == namespace]

    def put(self, key: str, obj: Object) -> Object:
        """Store a new or changed object; its metadata.resourceVersion is set here."""
        with self.lock:
            place = _place(obj)
            before = self._objects[key].get(place)
            self._stamp(obj)
            self._objects[key][place] = obj
            if before is None:
                self._order.pop(key, None)
            if self._disk:
                self._disk.write(self._version, key, place, orjson.dumps(obj))
            self._record(key, Change(self._version, "MODIFIED" if before else "ADDED", obj, before))
            return obj

    def remove(self, key: str, namespace: str, name: str) -> Object:
        """Take an object out; returns its last state with the version of the deletion."""
        with self.lock:
            before = self._objects[key].pop((namespace, name))
            self._order.pop(key, None)
            last = {**before, "metadata": dict(before["metadata"])}
            self._stamp(last)
            if self._disk:
                self._disk.write(self._version, key, (namespace, name), None)
            self._record(key, Change(self._version, "DELETED", last, before))
            return last

    def _stamp(self, obj: Object) -> None:
        self._version += 1
        obj["metadata"]["resourceVersion"] = str(self._version)

    def _record(self, key: str, change: Change) -> None:
        log = self._log[key]
        if len(log) == log.maxlen:
            self._forgotten[key] = log[0].version
        log.append(change)
        self._wake[key].notify_all()
        if self.listener:
            self.listener(key, change)

    def oldest(self, key: str) -> int:
        """The earliest version from which every later change of this type is known."""
        return max(self._forgotten[key], self._base)

    def since(self, key: str, version: int) -> Changes | None:
        """Changes after a version, oldest first; None when some of them are forgotten."""
        with self.lock:
            if version < self.oldest(key):
                return None
            newer: Changes = []
            for change in reversed(self._log[key]):
                if change.version <= version:
                    break
                newer.append(change)
            return newer[::-1]

    def wait(self, key: str, version: int, seconds: float) -> None:
        """Sleep until this type has a change after a version, or the time is up (woken early by `wake`)."""
        with self.lock:
            log = self._log[key]
            if not log or log[-1].version <= version:
                self._wake[key].wait(seconds)

    def wake(self) -> None:
        with self.lock:
            for condition in self._wake.values():
                condition.notify_all()

    def compact(self) -> int:
        """Forget the log, as etcd's compaction does; returns the version that is still watchable."""
        with self.lock:
            self._base = self._version
            for log in self._log.values():
                log.clear()
            return self._base

    def remember(self, name: str, value: Any) -> None:
        """Keep a fact that is no API object (what a volume holds, tokens) over restarts; None forgets it."""
        with self.lock:
            if value is None:
                self._objects["#facts"].pop(("", name), None)
            else:
                self._objects["#facts"]["", name] = value
            if self._disk:
                body = None if value is None else orjson.dumps(value)
                self._disk.write(self._version, "#facts", ("", name), body)

    def recall(self, name: str) -> Any:
        return self._objects["#facts"].get(("", name))

    def facts(self, prefix: str) -> dict[str, Any]:
        with self.lock:
            return {
                name[len(prefix) :]: fact
                for (_, name), fact in self._objects["#facts"].items()
                if name.startswith(prefix)
            }

    def close(self) -> None:
        with self.lock:
            if self._disk:
                self._disk.close()
                self._disk = None


class _Disk:
    """A table of bodies; each write is its own transaction, safe against the death of the process."""

    def __init__(self, path: Path):
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
            "CREATE TABLE IF NOT EXISTS objects (key TEXT, namespace TEXT, name TEXT, body BLOB,"
            " PRIMARY KEY (key, namespace, name)) WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, version INTEGER);"
        )

    def read(self) -> tuple[int, list[tuple[str, str, str, bytes]]]:
        row = self._connection.execute("SELECT version FROM counter WHERE id = 1").fetchone()
        rows = self._connection.execute("SELECT key, namespace, name, body FROM objects").fetchall()
        return (row[0] if row else 0), rows

    def write(self, version: int, key: str, place: Place, body: bytes | None) -> None:
        self._connection.execute("BEGIN")
        if body is None:
            self._connection.execute("DELETE FROM objects WHERE key = ? AND namespace = ? AND name = ?", (key, *place))
        else:
            self._connection.execute("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?)", (key, *place, body))
        self._connection.execute("INSERT OR REPLACE INTO counter VALUES (1, ?)", (version,))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


def _place(obj: Object) -> Place:
    meta = obj["metadata"]
    return meta.get("namespace", ""), meta["name"]
