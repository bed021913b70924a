"""The garbage collector: dependents whose owner is gone, foreground and orphan deletion; and namespaces."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from ..cluster import Cluster
from ..kinds import CRD, EVENT, NAMESPACE
from ..store import Object
from .base import Base, Refs, finalizer, own

FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"
UNOWNED = (CRD, EVENT)


class Collector(Base):
    """Looks at single objects, named by (type key | namespace, name)."""

    name, manager = "gc", "kube-controller-manager"

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self._dependents: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._owners: dict[str, tuple[str, str]] = {}
        self.watches = {key: partial(self._route, key) for key in cluster.catalogue.types() if key not in UNOWNED}

    def _route(self, key: str, obj: Object) -> Refs:
        metadata = obj["metadata"]
        ref = (f"{key}|{metadata.get('namespace', '')}", metadata["name"])
        owners = metadata.get("ownerReferences") or ()
        for item in owners:
            self._dependents[item["uid"]].add(ref)
        self._owners[metadata["uid"]] = ref
        finalizers = metadata.get("finalizers") or ()
        now = self.cluster.store.get(key, metadata.get("namespace", ""), metadata["name"])
        if now is None or now["metadata"]["uid"] != metadata["uid"]:
            self._owners.pop(metadata["uid"], None)
            waiting = [self._owners[item["uid"]] for item in owners if item["uid"] in self._owners]
            return [*self._dependents.pop(metadata["uid"], ()), *waiting]
        if metadata.get("deletionTimestamp") and FOREGROUND in finalizers:
            return [ref, *self._dependents.get(metadata["uid"], ())]
        return [ref] if owners or ORPHAN in finalizers else []

    def reconcile(self, namespace: str, name: str) -> None:
        key, _, place = namespace.partition("|")
        obj = self.get(key, place, name)
        if obj is None:
            return
        if obj["metadata"].get("deletionTimestamp"):
            self._finish(key, obj)
            return
        owners = obj["metadata"].get("ownerReferences") or []
        states = [self._owner_state(item, place) for item in owners]
        if owners and all(state == "absent" for state in states):
            self._collect(key, obj, namespace)
        elif "foreground" in states:
            self.delete(key, obj)

    def _collect(self, key: str, obj: Object, namespace: str) -> None:
        step = (obj["metadata"]["uid"], "collect")
        if self.cluster.engine.elapsed(step, self.cluster.knobs.delay("collect")):
            self.delete(key, obj)
        else:
            self.cluster.engine.look(
                self.name, namespace, obj["metadata"]["name"], self.cluster.knobs.delay("collect") + 0.001
            )

    def _owner_state(self, item: dict[str, str], namespace: str) -> str:
        kind = self.cluster.catalogue.of(item["apiVersion"], item["kind"])
        if kind is None:
            return "unknown"  # of a type this cluster does not have: nothing is concluded from that
        found = self.get(kind.key, namespace if kind.namespaced else "", item["name"])
        if found is None or found["metadata"]["uid"] != item["uid"]:
            return "absent"
        terminating = found["metadata"].get("deletionTimestamp")
        return "foreground" if terminating and FOREGROUND in (found["metadata"].get("finalizers") or ()) else "present"

    def _finish(self, key: str, obj: Object) -> None:
        """A terminating owner: wait for its dependents, or let them go free."""
        finalizers, uid = obj["metadata"].get("finalizers") or (), obj["metadata"]["uid"]
        dependents = [(ref, found) for ref in self._dependents.get(uid, ()) if (found := self._at(ref)) is not None]
        if ORPHAN in finalizers:
            for ref, found in dependents:
                self.modify(ref[0].partition("|")[0], found, lambda found: _disown(found, uid))
            self.modify(key, obj, lambda obj: finalizer(obj, ORPHAN, False))
        elif FOREGROUND in finalizers:
            for ref, found in dependents:
                self.delete(ref[0].partition("|")[0], found)
            if not [found for ref, found in dependents if _blocks(found, uid) and self._at(ref) is not None]:
                self.modify(key, obj, lambda obj: finalizer(obj, FOREGROUND, False))

    def _at(self, ref: tuple[str, str]) -> Object | None:
        key, _, namespace = ref[0].partition("|")
        return self.get(key, namespace, ref[1])


def _blocks(obj: Object, uid: str) -> bool:
    return any(
        item["uid"] == uid and item.get("blockOwnerDeletion") for item in obj["metadata"].get("ownerReferences") or ()
    )


def _disown(obj: Object, uid: str) -> None:
    kept = [item for item in obj["metadata"].get("ownerReferences") or () if item["uid"] != uid]
    obj["metadata"]["ownerReferences"] = kept
    if not kept:
        del obj["metadata"]["ownerReferences"]


class Namespaces(Base):
    """A terminating namespace takes its content with it."""

    name, manager, key = "namespaces", "kube-controller-manager", NAMESPACE

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {NAMESPACE: own}

    def reconcile(self, namespace: str, name: str) -> None:
        found = self.get(NAMESPACE, "", name)
        if found is None or not found["metadata"].get("deletionTimestamp"):
            return
        left = 0
        for key in self.cluster.catalogue.types():
            if not self.cluster.catalogue.get(key).namespaced:
                continue
            for obj in self.cluster.list(key, name):
                self.delete(key, obj)
                left += 1
        if left:
            self.again(found, 0.3)
        else:
            self.modify(NAMESPACE, found, lambda found: finalizer(found, "kubernetes", False))
