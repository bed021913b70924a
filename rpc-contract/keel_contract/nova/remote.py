"""Objects and the conductor: how a compute has a conductor act on an object, and what a conductor answers.

A compute never holds the database: it sends the object (or the name of a class) and the name of an action, and gets
back what changed (nova 34.0.0 rpc_server conductor: object_action, object_class_action_versions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_contract import errors
from keel_contract.bus import Client
from keel_contract.context import Context
from keel_contract.nova.objects import REGISTRY
from keel_contract.objects import VersionedObject

_CHANGED = "obj_what_changed"


class RemoteObjects:
    """Acts on objects through a conductor, a real one or ours.

    :param client: a client of ``keel_contract.nova.interfaces.CONDUCTOR``
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def action(self, context: Context, obj: VersionedObject, method: str, *args: Any, **kwargs: Any) -> Any:
        """Have ``obj.method(*args, **kwargs)`` done at the conductor; ``obj`` takes the returned values.

        Changes of the object count as saved afterwards, but for those the conductor says are still open.

        :raises BadArguments: the action is not declared, or not with these arguments
        :raises RemoteFault: the conductor raised, for example ``InstanceNotFound`` or ``UnexpectedTaskStateError``
        """
        arguments(type(obj), method, args, kwargs)
        updates, result = self._client.send(
            context, "object_action", objinst=obj, objmethod=method, args=list(args), kwargs=kwargs
        )
        apply(obj, updates)
        return result

    def class_action(self, context: Context, name: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Have the class method ``method`` of ``name`` done at the conductor; the context goes by itself.

        The versions of the object and of all within are told, so that a newer conductor answers in them.

        :raises BadArguments: the action is not declared, or not with these arguments
        :raises RemoteFault: the conductor raised
        """
        class_arguments(name, method, args, kwargs)
        return self._client.send(
            context,
            "object_class_action_versions",
            objname=name,
            objmethod=method,
            object_versions=REGISTRY.manifest(name),
            args=list(args),
            kwargs=kwargs,
        )


def arguments(
    cls: type[VersionedObject], method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a declared action by name, defaults filled in.

    :raises BadArguments: no such action, or it does not take these
    """
    return _bound(cls.obj_name(), cls.actions, method, args, kwargs)


def class_arguments(name: str, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a declared class action by name, without the context.

    :raises BadArguments: no such object or action, or it does not take these
    """
    if name not in REGISTRY.classes:
        raise errors.BadArguments(f"there is no object {name}")
    found = _bound(name, REGISTRY.classes[name].class_actions, method, (None, *args), kwargs)
    del found["context"]
    return found


def _bound(
    name: str, declared: Mapping[str, Any], method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    if method not in declared:
        raise errors.BadArguments(f"{name} has no action {method}")
    try:
        bound = declared[method].bind(*args, **kwargs)
    except TypeError as problem:
        raise errors.BadArguments(f"{name}.{method}: {problem}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def snapshot(obj: VersionedObject) -> dict[str, Any]:
    """The wire values of the fields that are set, to compare with after an action."""
    return {
        name: declared.to_primitive(obj, name, getattr(obj, name))
        for name, declared in obj.fields.items()
        if obj.is_set(name)
    }


def updates(before: Mapping[str, Any], obj: VersionedObject) -> dict[str, Any]:
    """What a conductor answers after an action: wire values that differ from ``before``, and what is still unsaved."""
    changed = {name: value for name, value in snapshot(obj).items() if name not in before or before[name] != value}
    changed[_CHANGED] = sorted(obj.obj_what_changed())
    return changed


def at_versions(obj: VersionedObject, object_versions: Mapping[str, str]) -> dict[str, Any]:
    """The wire form of ``obj`` in the versions a peer told (``object_versions`` of a call to a conductor).

    :raises BackportRefused: a value does not exist in them
    :raises BadArguments: the peer did not tell a version of the object itself
    """
    name = obj.obj_name()
    if name not in object_versions:
        raise errors.BadArguments(f"no version of {name} was told")
    return obj.to_primitive(object_versions[name], object_versions)


def apply(obj: VersionedObject, values: Mapping[str, Any]) -> None:
    """Take the values a conductor answered into ``obj``."""
    for name, value in values.items():
        declared = obj.fields.get(name)
        if declared is not None:
            setattr(
                obj, name, value if isinstance(value, VersionedObject) else declared.from_primitive(obj, name, value)
            )
    obj.obj_reset_changes()
    for name in values.get(_CHANGED, ()):
        setattr(obj, name, getattr(obj, name))
