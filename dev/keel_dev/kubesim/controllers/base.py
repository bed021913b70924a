"""What every controller has: the cluster, its name as a writer, and shorthand for its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..cluster import Cluster
from ..store import Object
from ..writer import Removal, Writer

Refs = list[tuple[str, str]]


def own(obj: Object) -> Refs:
    """Route: the object itself."""
    return [(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])]


def owner(kind: str) -> Callable[[Object], Refs]:
    """Route: the object's owners of a kind."""

    def route(obj: Object) -> Refs:
        metadata = obj["metadata"]
        owners = metadata.get("ownerReferences") or ()
        return [(metadata.get("namespace", ""), item["name"]) for item in owners if item["kind"] == kind]

    return route


class Base:
    """A controller of the type ``key``; ``manager`` is how it signs its writes and events."""

    name = ""
    manager = "kubesim"
    key = ""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.watches: dict[str, Callable[[Object], Refs]] = {self.key: own}

    def due(self, obj: Object, step: str, seconds: float | None = None) -> bool:
        return self.cluster.engine.due(self.name, obj, step, seconds)

    def again(self, obj: Object, seconds: float) -> None:
        self.cluster.engine.look(self.name, obj["metadata"].get("namespace", ""), obj["metadata"]["name"], seconds)

    def get(self, key: str, namespace: str, name: str) -> Object | None:
        return self.cluster.store.get(key, namespace, name)

    def modify(self, key: str, obj: Object, change: Callable[[Object], None]) -> Object | None:
        """Edit the object as it is now; None when it is gone."""
        metadata = obj["metadata"]
        return self.cluster.writes.modify(key, metadata.get("namespace", ""), metadata["name"], change, self.manager)

    def create(self, key: str, namespace: str, body: Object, status: bool = False) -> Object:
        """Create through admission like anybody else. Raises StatusError."""
        kind = self.cluster.catalogue.get(key)
        return self.cluster.writes.create(
            kind, namespace, body, Writer(self.manager, _account(self.manager), True), status
        )

    def delete(self, key: str, obj: Object, grace: int | None = None) -> None:
        """Delete the object if it is still there and not already being deleted."""
        metadata = obj["metadata"]
        now = self.get(key, metadata.get("namespace", ""), metadata["name"])
        if now is None or now["metadata"]["uid"] != metadata["uid"]:
            return
        if now["metadata"].get("deletionTimestamp") and grace != 0:
            return
        kind = self.cluster.catalogue.get(key)
        writer = Writer(self.manager, _account(self.manager), True)
        self.cluster.writes.delete(kind, metadata.get("namespace", ""), metadata["name"], Removal(grace=grace), writer)

    def event(self, obj: Object, kind: str, reason: str, message: str) -> None:
        self.cluster.events.record(self.manager, obj, kind, reason, message)

    def stamp(self) -> str:
        return self.cluster.clock.stamp()


def _account(manager: str) -> str:
    return f"system:serviceaccount:kubesim:{manager}"


def reference(obj: Object, block: bool = True) -> dict[str, Any]:
    """A controlling ownerReference to an object."""
    metadata = obj["metadata"]
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": block,
    }


def condition(obj: Object, kind: str) -> dict[str, Any] | None:
    """A condition of an object's status by its type."""
    return next((row for row in obj.get("status", {}).get("conditions") or () if row["type"] == kind), None)


def is_true(obj: Object, kind: str) -> bool:
    found = condition(obj, kind)
    return bool(found and found["status"] == "True")


def set_condition(
    obj: Object, kind: str, status: bool | str, now: str, reason: str = "", message: str = "", probe: bool = False
) -> None:
    """Write a condition; its transition time moves only when its status does. ``probe`` adds KubeVirt's null."""
    word = status if isinstance(status, str) else str(status)
    conditions = obj.setdefault("status", {}).setdefault("conditions", [])
    row: dict[str, Any] = {"type": kind, "status": word, "lastTransitionTime": now}
    if probe:
        row["lastProbeTime"] = None
    if reason:
        row["reason"] = reason
    if message:
        row["message"] = message
    for index, old in enumerate(conditions):
        if old["type"] == kind:
            if old["status"] == word:
                row["lastTransitionTime"] = old.get("lastTransitionTime", now)
            conditions[index] = row
            return
    conditions.append(row)


def drop_condition(obj: Object, kind: str) -> None:
    status = obj.get("status", {})
    if status.get("conditions"):
        status["conditions"] = [row for row in status["conditions"] if row["type"] != kind]


def finalizer(obj: Object, name: str, present: bool) -> None:
    """Add or remove a finalizer in an object that is being edited."""
    kept = [item for item in obj["metadata"].get("finalizers") or () if item != name]
    if present:
        kept = [
            *(obj["metadata"].get("finalizers") or ()),
            *([] if name in (obj["metadata"].get("finalizers") or ()) else [name]),
        ]
    if kept:
        obj["metadata"]["finalizers"] = kept
    else:
        obj["metadata"].pop("finalizers", None)
