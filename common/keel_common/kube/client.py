"""Kube: the verbs of the API server on plain dicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import orjson

from keel_common.kube.connection import Connection
from keel_common.kube.errors import AlreadyExists, Gone, NotFound
from keel_common.kube.kinds import Kind

FIELD_MANAGER = "openkeel"
PAGE = 500
"""Objects asked for in one page of a list."""

Objects: TypeAlias = list[dict]

_PATCH_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


def selector(labels: Mapping[str, str | None] | str | None) -> str | None:
    """A label selector from a mapping (value None = the label exists), or the text as it is."""
    if labels is None or isinstance(labels, str):
        return labels or None
    return ",".join(key if value is None else f"{key}={value}" for key, value in labels.items()) or None


class Kube:
    """A client of one cluster. Objects go in and come out as plain dicts; errors are `keel_common.kube.errors`.

    `Kube.of(conf.kubevirt)` takes kubeconfig and context from an option group. Further options are those of
    `Connection` (timeout, attempts, pool_size).
    """

    def __init__(self, kubeconfig: str | None = None, **options: Any) -> None:
        self.connection = Connection(kubeconfig, **options)

    @classmethod
    def of(cls, group: Any) -> Kube:
        """A client as the option group ([kubevirt] or [csi]) describes it."""
        return cls(group.kubeconfig, context=group.context)

    def _json(self, method: str, path: str, *, idempotent: bool, **kwargs: Any) -> dict:
        raw = self.connection.request(method, path, idempotent=idempotent, **kwargs)
        return orjson.loads(raw) if raw.strip() else {}

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> dict:
        """The object. Raises NotFound."""
        return self._json("GET", kind.path(namespace, name), idempotent=True)

    def find(self, kind: Kind, name: str, namespace: str | None = None) -> dict | None:
        """The object, or None when it is absent."""
        try:
            return self.get(kind, name, namespace)
        except NotFound:
            return None

    def list(
        self,
        kind: Kind,
        namespace: str | None = None,
        labels: Mapping[str, str | None] | str | None = None,
        fields: str | None = None,
    ) -> Objects:
        """Every object that matches, read in pages of one snapshot (without a namespace: of all namespaces)."""
        return self.list_at(kind, namespace, labels, fields)[0]

    def list_at(
        self,
        kind: Kind,
        namespace: str | None = None,
        labels: Mapping[str, str | None] | str | None = None,
        fields: str | None = None,
    ) -> tuple[Objects, str]:
        """The objects and the resourceVersion a watch goes on from."""
        query = {"labelSelector": selector(labels), "fieldSelector": fields}
        try:
            pages = list(self._pages(kind, namespace, {**query, "limit": PAGE}))
        except Gone:
            # The snapshot behind the pages was compacted away: one unpaged list is always possible.
            pages = list(self._pages(kind, namespace, query))
        items = [item for page in pages for item in page["items"] or ()]
        for item in items:
            # Lists of built-in kinds leave these two out; every consumer wants them.
            item.setdefault("apiVersion", kind.api_version)
            item.setdefault("kind", kind.kind)
        return items, pages[-1]["metadata"]["resourceVersion"]

    def _pages(self, kind: Kind, namespace: str | None, query: dict) -> Iterator[dict]:
        while True:
            page = self._json("GET", kind.path(namespace), idempotent=True, query=query)
            yield page
            token = page.get("metadata", {}).get("continue")
            if not token:
                return
            query = {**query, "continue": token}

    def create(self, kind: Kind, body: dict) -> dict:
        """Create; the namespace is the body's. Raises AlreadyExists, Invalid, Forbidden, NotFound (namespace)."""
        namespace = body["metadata"].get("namespace")
        query = {"fieldManager": FIELD_MANAGER}
        return self._json("POST", kind.path(namespace), idempotent=False, body=body, query=query)

    def ensure(self, kind: Kind, body: dict) -> dict:
        """Create, or return the object of that name that is already there (its content is not compared)."""
        try:
            return self.create(kind, body)
        except AlreadyExists:
            return self.get(kind, body["metadata"]["name"], body["metadata"].get("namespace"))

    def apply(self, kind: Kind, body: dict, manager: str = FIELD_MANAGER, force: bool = True) -> dict:
        """Server-side apply: afterwards the fields of `body` have its values, made or changed as needed."""
        metadata = body["metadata"]
        return self._json(
            "PATCH",
            kind.path(metadata.get("namespace"), metadata["name"]),
            idempotent=True,
            body={"apiVersion": kind.api_version, "kind": kind.kind, **body},
            content_type=_PATCH_TYPES["apply"],
            query={"fieldManager": manager, "force": "true" if force else "false"},
        )

    def patch(
        self,
        kind: Kind,
        name: str,
        namespace: str | None,
        body: dict | Objects,
        type: str = "merge",
        subresource: str | None = None,
    ) -> dict:
        """Patch of type "merge", "json" or "strategic" (the last one not for custom resources)."""
        return self._json(
            "PATCH",
            kind.path(namespace, name, subresource),
            # A json patch may hold a test or an append: sent twice it could fail or act twice.
            idempotent=type != "json",
            body=body,
            content_type=_PATCH_TYPES[type],
            query={"fieldManager": FIELD_MANAGER},
        )

    def replace(self, kind: Kind, body: dict, subresource: str | None = None) -> dict:
        """PUT of the whole object, guarded by metadata.resourceVersion: Conflict when somebody wrote in between."""
        metadata = body["metadata"]
        path = kind.path(metadata.get("namespace"), metadata["name"], subresource)
        return self._json("PUT", path, idempotent=False, body=body, query={"fieldManager": FIELD_MANAGER})

    def delete(
        self,
        kind: Kind,
        name: str,
        namespace: str | None = None,
        uid: str | None = None,
        propagation: str | None = None,
    ) -> bool:
        """Ask for deletion; False when the object is absent already. Finalizers may keep it for a while.

        With `uid` only that very object: another one of the same name is left alone and Conflict raised.
        """
        body: dict = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if uid:
            body["preconditions"] = {"uid": uid}
        if propagation:
            body["propagationPolicy"] = propagation
        try:
            self._json("DELETE", kind.path(namespace, name), idempotent=True, body=body)
        except NotFound:
            return False
        return True

    def subresource(
        self, method: str, kind: Kind, name: str, namespace: str | None, subresource: str, body: dict | None = None
    ) -> dict:
        """A subresource call such as PUT start. Not repeated after a lost answer: the caller looks at the object
        instead.
        """
        path = kind.path(namespace, name, subresource)
        return self._json(method, path, idempotent=method == "GET", body=body)

    def text(self, kind: Kind, name: str, namespace: str | None, subresource: str, query: dict | None = None) -> str:
        """A subresource that answers plain text (pods/log)."""
        raw = self.connection.request("GET", kind.path(namespace, name, subresource), idempotent=True, query=query)
        return raw.decode("utf-8", "replace")

    def version(self) -> dict:
        """/version of the API server: the cheapest proof that it answers."""
        return self._json("GET", "/version", idempotent=True)

    def close(self) -> None:
        """Close idle connections."""
        self.connection.close()
