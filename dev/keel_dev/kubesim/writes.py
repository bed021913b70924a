"""Create, change and delete objects under the rules of an API server.

Every write of a client or of one of the cluster's own controllers goes through here: checks, admission,
schema, generation, field ownership, finalizers; then one `Store.put` or `Store.remove` under the lock.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from . import errors, fields
from .admission import Admission, Review
from .clock import Clock
from .kinds import CRD, NAMESPACE, POD, Catalogue, Kind
from .metadata import (
    check_envelope,
    check_finalizers,
    check_metadata,
    check_place,
    keep_server_fields,
    name_it,
    new_uid,
)
from .schema import CustomSchema
from .store import Object, Store, clone, editable
from .writer import Removal, Writer


class Writes:
    """The writing half of the API."""

    def __init__(self, store: Store, catalogue: Catalogue, clock: Clock, admission: Admission, seeded: random.Random):
        self._store, self._catalogue, self._clock = store, catalogue, clock
        self._admission, self._random = admission, seeded
        self._schemas: dict[str, CustomSchema] = {}
        self._shapes: dict[str, fields.Shape] = {}

    def create(self, kind: Kind, namespace: str, body: Any, writer: Writer, status: bool = False) -> Object:
        """Store a new object. A client's status is dropped where status has its own endpoint."""
        check_envelope(kind, body)
        check_place(kind, body, namespace)
        obj = clone(body)
        with self._store.lock:
            self._check_namespace(kind, namespace, obj)
            name_it(kind, obj["metadata"], self._random)
            if kind.status and not status:
                obj.pop("status", None)
            self._fresh_metadata(kind, obj)
            review = Review("CREATE", kind, obj, None, writer)
            obj = self._admit(review)
            check_metadata(kind, obj["metadata"])
            name = obj["metadata"]["name"]
            if self._store.get(kind.key, namespace, name):
                raise errors.already_exists(kind, name)
            self._own(kind, obj, None, writer, "")
            return obj if writer.dry_run else self._store.put(kind.key, obj)

    def replace(
        self, kind: Kind, namespace: str, name: str, body: Any, writer: Writer, subresource: str = ""
    ) -> Object:
        """PUT: the body becomes the object (or its status)."""
        check_envelope(kind, body)
        check_place(kind, body, namespace, name)
        with self._store.lock:
            old = self.read(kind, namespace, name)
            return self._commit(kind, old, clone(body), writer, subresource, must_have_version=kind.custom)

    def change(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        make: Callable[[Object], Any],
        writer: Writer,
        subresource: str = "",
    ) -> Object:
        """PATCH: ``make`` gets a copy of the object and returns its new content."""
        with self._store.lock:
            old = self.read(kind, namespace, name)
            new = make({**editable(old), "apiVersion": kind.api_version})
            check_envelope(kind, new)
            check_place(kind, new, namespace, name)
            return self._commit(kind, old, new, writer, subresource)

    def apply(
        self, kind: Kind, namespace: str, name: str, body: Any, writer: Writer, force: bool, subresource: str = ""
    ) -> tuple[Object, bool]:
        """Server-side apply: returns the object and whether it was created."""
        check_envelope(kind, body)
        check_place(kind, body, namespace, name)
        if body["metadata"].get("managedFields"):
            raise errors.bad_request("metadata.managedFields must be nil")
        shape, time = self._shape(kind), self._clock.stamp()
        with self._store.lock:
            old = self._store.get(kind.key, namespace, name)
            if old is None and subresource:
                raise errors.not_found(kind, name)
            wanted = clone(body)
            if kind.status:
                (wanted.pop("status", None) if not subresource else wanted.pop("spec", None))
            merged, conflicts = fields.apply(
                old, wanted, shape, writer.manager, kind.api_version, subresource, time, force
            )
            if conflicts:
                raise errors.apply_conflicts(conflicts)
            if old is None:
                created = self.create(kind, namespace, {**merged, "metadata": merged["metadata"]}, _applying(writer))
                return created, True
            owned = merged["metadata"].pop("managedFields")
            merged["metadata"]["resourceVersion"] = wanted["metadata"].get("resourceVersion", "")
            return self._commit(kind, old, merged, writer, subresource, owned=owned), False

    def modify(
        self, key: str, namespace: str, name: str, change: Callable[[Object], None], manager: str
    ) -> Object | None:
        """A controller's write: ``change`` edits a copy, status included. None when the object is gone."""
        kind = self._catalogue.get(key)
        with self._store.lock:
            old = self._store.get(key, namespace, name)
            if old is None:
                return None
            new = editable(old)
            change(new)
            return self._put(kind, old, new, Writer(manager=manager, trusted=True), "")

    def delete(self, kind: Kind, namespace: str, name: str, removal: Removal, writer: Writer) -> Object | None:
        """Delete, or mark for deletion while finalizers or a grace period hold. None when it is gone at once."""
        with self._store.lock:
            old = self.read(kind, namespace, name)
            metadata = old["metadata"]
            if removal.uid and removal.uid != metadata["uid"]:
                why = (
                    f"the UID in the precondition ({removal.uid}) does not match the UID in record "
                    f"({metadata['uid']}). "
                    "The object might have been deleted and then recreated"
                )
                raise errors.conflict(kind, name, f"Precondition failed: {why}" if kind.custom else why)
            if removal.version and removal.version != metadata["resourceVersion"]:
                why = (
                    f"the ResourceVersion in the precondition ({removal.version}) does not match the ResourceVersion "
                    f"in record ({metadata['resourceVersion']}). The object might have been modified"
                )
                raise errors.conflict(kind, name, why)
            self._admission.validate(Review("DELETE", kind, old, old, writer))
            new = editable(old)
            self._mark(kind, new, removal)
            if writer.dry_run:
                return new
            if not new["metadata"].get("finalizers") and not new["metadata"]["deletionGracePeriodSeconds"]:
                self._store.remove(kind.key, namespace, name)
                return None
            if new == old:
                return old
            return self._store.put(kind.key, new)

    def _mark(self, kind: Kind, obj: Object, removal: Removal) -> None:
        metadata = obj["metadata"]
        extra = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}.get(removal.policy)
        first = "deletionTimestamp" not in metadata
        if extra and extra not in metadata.get("finalizers", ()) and first:
            metadata["finalizers"] = [*metadata.get("finalizers", ()), extra]
        grace = 0
        if kind.key == POD and obj.get("spec", {}).get("nodeName"):
            grace = obj["spec"].get("terminationGracePeriodSeconds", 30) if removal.grace is None else removal.grace
            if obj.get("status", {}).get("phase") in ("Succeeded", "Failed"):
                grace = 0
        if first:
            metadata["deletionTimestamp"] = self._clock.stamp()
            metadata["deletionGracePeriodSeconds"] = grace
            if kind.key == NAMESPACE:
                metadata["finalizers"] = list(dict.fromkeys([*metadata.get("finalizers", ()), "kubernetes"]))
                obj["status"] = {"phase": "Terminating"}
            if metadata.get("generation"):
                metadata["generation"] += 1
        elif grace < metadata.get("deletionGracePeriodSeconds", 0):
            metadata["deletionGracePeriodSeconds"] = grace

    def read(self, kind: Kind, namespace: str, name: str) -> Object:
        found = self._store.get(kind.key, namespace, name)
        if found is None:
            raise errors.not_found(kind, name)
        return found

    # -- the parts of a write

    def _check_namespace(self, kind: Kind, namespace: str, obj: Object) -> None:
        if not kind.namespaced:
            return
        found = self._store.get(NAMESPACE, "", namespace)
        if found is None:
            raise errors.not_found(self._catalogue.get(NAMESPACE), namespace)
        if found["metadata"].get("deletionTimestamp"):
            why = f"unable to create new content in namespace {namespace} because it is being terminated"
            raise errors.forbidden(kind, obj["metadata"].get("name", ""), why)

    def _fresh_metadata(self, kind: Kind, obj: Object) -> None:
        metadata = obj["metadata"]
        for name in ("resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"):
            metadata.pop(name, None)
        metadata["uid"] = new_uid(self._random)
        metadata["creationTimestamp"] = self._clock.stamp()
        if kind.custom:
            metadata["generation"] = 1

    def _commit(
        self,
        kind: Kind,
        old: Object,
        new: Object,
        writer: Writer,
        subresource: str,
        must_have_version: bool = False,
        owned: Any = None,
    ) -> Object:
        keep_server_fields(kind, new, old, must_have_version)
        if subresource == "status":
            new = {**old, "metadata": dict(old["metadata"]), "status": new.get("status")}
            if new["status"] is None:
                del new["status"]
        elif kind.status:
            new.pop("status", None)
            if "status" in old:
                new["status"] = clone(old["status"])
        new = self._admit(Review("UPDATE", kind, new, old, writer, subresource))
        check_metadata(kind, new["metadata"])
        check_finalizers(kind, new, old)
        return self._put(kind, old, new, writer, subresource, owned)

    def _admit(self, review: Review) -> Object:
        """Mutating hooks, schema, validating hooks: the object as it may be stored."""
        kind, obj, writer = review.kind, review.obj, review.writer
        if kind.schema is None and review.operation == "CREATE":
            obj = review.obj = _without_nulls(obj)
        self._admission.mutate(review)
        obj = review.obj
        if kind.schema is not None:
            schema = self.schema(kind)
            self._complain(kind, schema.clean(obj), writer)
            causes = schema.check(obj, review.old)
            if causes:
                hook = self._admission.schema_hook(review)
                named = [{**item, "message": f"{item['field']}: {item['message']}"} for item in causes]
                raise errors.denied(hook, named) if hook else errors.invalid(kind, obj["metadata"]["name"], causes)
        self._admission.validate(review)
        if kind.deprecated:
            writer.warnings.append(
                f"{kind.api_version} {kind.kind} is deprecated; use {kind.group}/{kind.stored} {kind.kind}"
            )
        obj["apiVersion"] = self._catalogue.get(kind.key).api_version
        return obj

    def _complain(self, kind: Kind, unknown: list[str], writer: Writer) -> None:
        if not unknown or writer.validation == "Ignore":
            return
        named = [f'unknown field "{path}"' for path in unknown]
        if writer.validation == "Strict":
            text = (
                f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
                f"strict decoding error: {', '.join(named)}"
            )
            raise errors.bad_request(text)
        writer.warnings += named

    def _put(self, kind: Kind, old: Object, new: Object, writer: Writer, subresource: str, owned: Any = None) -> Object:
        """The common end: no-op, generation, ownership, and the end of a terminating object."""
        if _content(new) == _content(old):
            if owned is None or owned == old["metadata"].get("managedFields"):
                return old
        elif kind.custom and _generation_moves(kind, new, old):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if owned is None:
            self._own(kind, new, old, writer, subresource)
        else:
            new["metadata"]["managedFields"] = owned
        if writer.dry_run:
            return new
        metadata = new["metadata"]
        ended = metadata.get("deletionTimestamp") and not metadata.get("finalizers")
        if ended and not metadata.get("deletionGracePeriodSeconds"):
            return self._store.remove(kind.key, metadata.get("namespace", ""), metadata["name"])
        return self._store.put(kind.key, new)

    def _own(self, kind: Kind, new: Object, old: Object | None, writer: Writer, subresource: str) -> None:
        if kind.key == CRD or (old is None and new["metadata"].get("managedFields") and isinstance(writer, _Applying)):
            return
        if old is None:
            new["metadata"].pop("managedFields", None)
        version = kind.api_version
        if writer.trusted and old is not None and kind.status and new.get("status") != old.get("status"):
            subresource = "status"
        fields.track_update(new, old, self._shape(kind), writer.manager, version, subresource, self._clock.stamp())

    def schema(self, kind: Kind) -> CustomSchema:
        found = self._schemas.get(f"{kind.key}/{kind.version}")
        if found is None:
            found = self._schemas[f"{kind.key}/{kind.version}"] = CustomSchema(kind)
        return found

    def _shape(self, kind: Kind) -> fields.Shape:
        return self._shapes.setdefault(kind.key, fields.Shape(kind))


class _Applying(Writer):
    """A writer whose managedFields are already settled."""


def _applying(writer: Writer) -> Writer:
    return _Applying(writer.manager, writer.user, writer.trusted, writer.dry_run, writer.validation, writer.warnings)


def _without_nulls(value: Any) -> Any:
    """A built-in object as its typed decoder reads it: null is the same as absent."""
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _content(obj: Object) -> Object:
    metadata = {key: value for key, value in obj["metadata"].items() if key not in ("managedFields", "resourceVersion")}
    return {**obj, "metadata": metadata}


def _generation_moves(kind: Kind, new: Object, old: Object) -> bool:
    """With a status subresource only changes outside metadata and status count; without one status counts too."""
    aside = ("metadata", "status") if kind.status else ("metadata",)
    return {k: v for k, v in new.items() if k not in aside} != {k: v for k, v in old.items() if k not in aside}
