"""Event objects: what controllers tell people about an object. Repeated ones are counted, old ones dropped."""

from __future__ import annotations

from collections import OrderedDict

from .clock import Clock
from .kinds import EVENT, Catalogue
from .store import Object, Store
from .writer import Removal, Writer
from .writes import Writes

KEPT = 2000


class Recorder:
    """Writes events; an equal event of the same object only raises its count."""

    def __init__(self, store: Store, catalogue: Catalogue, writes: Writes, clock: Clock):
        self._store, self._writes, self._clock = store, writes, clock
        self._kind = catalogue.get(EVENT)
        self._known: OrderedDict[tuple[str, str, str], tuple[str, str]] = OrderedDict()

    def record(self, source: str, obj: Object, kind: str, reason: str, message: str) -> None:
        """``kind`` is Normal or Warning. Events of cluster-scoped objects go to the namespace default."""
        uid = obj["metadata"]["uid"]
        known = self._known.get((uid, reason, message))
        now = self._clock.stamp()
        if known and self._writes.modify(EVENT, *known, lambda event: _again(event, now), source):
            return
        namespace = obj["metadata"].get("namespace") or "default"
        found = self._store.get("namespaces", "", namespace)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return  # nobody can be told: a real server refuses the event too
        body = _event(source, obj, kind, reason, message, namespace, now)
        written = self._writes.create(self._kind, namespace, body, Writer(source, trusted=True))
        self._known[uid, reason, message] = (namespace, written["metadata"]["name"])
        while len(self._known) > KEPT:
            _, (old_namespace, name) = self._known.popitem(last=False)
            if self._store.get(EVENT, old_namespace, name):
                self._writes.delete(self._kind, old_namespace, name, Removal(), Writer(source, trusted=True))


def _again(event: Object, now: str) -> None:
    event["count"] += 1
    event["lastTimestamp"] = now


def _event(source: str, obj: Object, kind: str, reason: str, message: str, namespace: str, now: str) -> Object:
    metadata = obj["metadata"]
    involved = {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
    }
    if metadata.get("namespace"):
        involved["namespace"] = metadata["namespace"]
    return {
        "metadata": {"generateName": f"{metadata['name']}.", "namespace": namespace},
        "involvedObject": involved,
        "type": kind,
        "reason": reason,
        "message": message,
        "source": {"component": source},
        "reportingComponent": source,
        "reportingInstance": "",
        "firstTimestamp": now,
        "lastTimestamp": now,
        "eventTime": None,
        "count": 1,
    }
