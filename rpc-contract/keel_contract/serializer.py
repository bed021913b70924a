"""Values on the wire: objects inside any nesting of lists, tuples, sets and dicts, and the context beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import oslo_messaging

from keel_contract import errors, objects
from keel_contract.context import Context

# Object versions to send at (name -> version); a function where they may change while the process runs
Manifest = Mapping[str, str] | Callable[[], Mapping[str, str] | None] | None
# (context, primitive, manifest) -> primitive that this process can read
Backporter = Callable[[Context, Mapping[str, Any], Mapping[str, str]], Any]


class ContextSerializer(oslo_messaging.NoOpSerializer):
    """The context alone; values pass unchanged."""

    def __init__(self, suite: str) -> None:
        self._suite = suite

    def serialize_context(self, ctxt: Context) -> dict[str, Any]:
        return ctxt.to_wire(self._suite)

    def deserialize_context(self, ctxt: dict[str, Any]) -> Context:
        return Context.from_wire(self._suite, ctxt)


class Serializer(ContextSerializer):
    """Context and values of one suite.

    :param registry: the objects of the suite; None: values pass unchanged
    :param manifest: object versions to send at where the peers are older
    :param backport: asks a conductor for an older form of an object that is too new here; None: that is an error
    """

    def __init__(
        self,
        suite: str,
        registry: objects.Registry | None = None,
        manifest: Manifest = None,
        backport: Backporter | None = None,
    ) -> None:
        super().__init__(suite)
        self._registry = registry
        self._manifest = manifest
        self._backport = backport

    def serialize_entity(self, ctxt: Context, entity: Any) -> Any:
        if isinstance(entity, objects.VersionedObject):
            manifest = self._manifest() if callable(self._manifest) else self._manifest
            version = (manifest or {}).get(entity.obj_name())
            return entity.to_primitive(version, manifest)
        if isinstance(entity, dict):
            return {key: self.serialize_entity(ctxt, value) for key, value in entity.items()}
        if isinstance(entity, list | tuple | set | frozenset):
            return [self.serialize_entity(ctxt, value) for value in entity]
        return entity

    def deserialize_entity(self, ctxt: Context, entity: Any) -> Any:
        if isinstance(entity, dict):
            if self._registry is not None and self._registry.is_primitive(entity):
                return self._read(ctxt, entity)
            return {key: self.deserialize_entity(ctxt, value) for key, value in entity.items()}
        if isinstance(entity, list | tuple):
            return [self.deserialize_entity(ctxt, value) for value in entity]
        return entity

    def _read(self, ctxt: Context, primitive: dict[str, Any]) -> Any:
        assert self._registry is not None
        try:
            return self._registry.from_primitive(primitive, ctxt)
        except objects.IncompatibleVersion:
            version = self._registry.version_of(primitive)
            if version.count(".") == 2:  # of a stable branch: the object itself is the one of X.Y
                return self._read(ctxt, self._registry.at_version(primitive, version.rpartition(".")[0]))
            if self._backport is None:
                raise
            manifest = self._registry.manifest(self._registry.name_of(primitive))
            try:
                return self._backport(ctxt, primitive, manifest)
            except errors.RemoteFault as fault:
                if fault.class_name != objects.IncompatibleVersion.__name__:
                    raise
        # Newer than the conductor, too: the sender hears the same as if nobody had been asked.
        return self._registry.from_primitive(primitive, ctxt)
