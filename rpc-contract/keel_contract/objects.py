"""Versioned objects: the common ground of both suites.

Objects are declared as classes with their fields. They exist at the bus boundary only: they carry values, they never
load or save. What a conductor does for an object is declared (``actions``, ``class_actions``) because the signatures
are part of the contract and of the fingerprints; calling one here raises RemoteOnly.

Each suite has a registry of its own, so that Nova's Service and Cinder's Service live in one process.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

from oslo_utils import versionutils
from oslo_versionedobjects import base, exception
from oslo_versionedobjects import fields as oslo_fields

from keel_contract import errors, versions

ListBase = base.ObjectListBase
IncompatibleVersion = exception.IncompatibleObjectVersion
UnknownObject = exception.UnsupportedObjectError


class RemoteOnly(errors.BusError):
    """The action runs at the conductor: send it with RemoteObjects."""


class NotLoaded(errors.BusError, AttributeError):
    """The field has no value here: the sender did not fill it."""


class BackportRefused(errors.BusError, errors.ExpectedFault):
    """A value that the older version cannot express; a peer gets the ObjectActionError that a real service raises."""

    def __init__(self, reason: str) -> None:
        action = "obj_make_compatible"
        text = f"Object action {action} failed because: {reason}"
        errors.ExpectedFault.__init__(self, "ObjectActionError", text, action=action, reason=reason)


@dataclass(frozen=True)
class Rules:
    """What the field means to older versions of its object.

    :ivar since: version that brought the field; older ones do not get it
    :ivar kept_at: versions below ``since`` that get it all the same
    :ivar leaves_with: the field is taken out only together with this one, and then it must be there
    :ivar needs: version below which the field cannot be sent at all, whatever its value
    :ivar refuse: value -> version below which it cannot be sent
    :ivar refuse_beside: refusals count only when this other field is sent too, to that version
    :ivar drop: value -> version below which the field is left out
    :ivar become: value -> (version, value it turns into below)
    :ivar without: (version, value that is sent below when there is none or null)
    """

    since: str | None = None
    kept_at: frozenset[str] = frozenset()
    leaves_with: str | None = None
    needs: str | None = None
    refuse: Mapping[str, str] = field(default_factory=dict)
    refuse_beside: str | None = None
    drop: Mapping[str, str] = field(default_factory=dict)
    become: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    without: tuple[str, Any] | None = None

    def check(self, name: str, primitive: Mapping[str, Any], target: str) -> None:
        """Look at the value of the field.

        :raises BackportRefused: when its value does not exist in version ``target``
        """
        if name not in primitive or (self.refuse_beside is not None and self.refuse_beside not in primitive):
            return
        value = primitive[name]
        lowest = self.needs or (self.refuse.get(value) if isinstance(value, str) else None)
        if lowest is not None and versions.older(target, lowest):
            raise BackportRefused(f"{name} {value!r} needs version {lowest}, not {target}")

    def backport(self, name: str, primitive: dict[str, Any], given: Mapping[str, Any], target: str) -> None:
        """Change the field in ``primitive`` into what version ``target`` knows of it.

        :param given: the primitive before any change
        :raises KeyError: the field should leave with another one and is not there; a real service raises it too
        """
        if self.without is not None and primitive.get(name) is None and versions.older(target, self.without[0]):
            primitive[name] = self.without[1]
        if self.since is not None and versions.older(target, self.since):
            if (self.leaves_with or name) in given and target not in self.kept_at:
                del primitive[name]
            return
        value = primitive.get(name)
        if not isinstance(value, str):
            return
        if value in self.drop and versions.older(target, self.drop[value]):
            del primitive[name]
        elif value in self.become and versions.older(target, self.become[value][0]):
            primitive[name] = self.become[value][1]


_F = TypeVar("_F", bound=oslo_fields.Field)


def since(version: str, declared: _F, **rules: Any) -> _F:
    """``declared`` with the version of its object that brought it (and further Rules)."""
    declared.rules = Rules(version, **rules)  # type: ignore[attr-defined]
    return declared


def values(declared: _F, **rules: Any) -> _F:
    """``declared`` with Rules for some of its values."""
    declared.rules = Rules(None, **rules)  # type: ignore[attr-defined]
    return declared


def signatures(*texts: str) -> dict[str, inspect.Signature]:
    """Method signatures from texts such as ``"save(expected_task_state=None)"``; defaults are literals."""
    found = {}
    for text in texts:
        node = ast.parse(f"def {text}: ...").body[0]
        if not isinstance(node, ast.FunctionDef):
            raise ValueError(f"not a signature: {text}")
        found[node.name] = inspect.Signature(_parameters(node.args))
    return found


def _parameters(args: ast.arguments) -> list[inspect.Parameter]:
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    without = len(args.args) - len(args.defaults)
    defaults = [inspect.Parameter.empty] * without + [ast.literal_eval(value) for value in args.defaults]
    found = [inspect.Parameter(arg.arg, plain, default=value) for arg, value in zip(args.args, defaults, strict=True)]
    if args.vararg:
        found.append(inspect.Parameter(args.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    if args.kwarg:
        found.append(inspect.Parameter(args.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return found


_WITHOUT_ELEMENTS: tuple[Any, ...] = ({}, [])
_STORED = "_obj_"  # prefix of the attribute that holds the value of a field (oslo.versionedobjects)


class VersionedObject(base.VersionedObject):
    """Base of all objects; a suite derives its own with namespace and registry."""

    registry: ClassVar[Registry]
    suite: ClassVar[str]
    fields: Any = {}
    field_rules: ClassVar[Mapping[str, Rules]] = {}  # of the fields that have any; set by the registry
    backports_within: ClassVar[bool] = True  # False: objects within are sent as they are, as the real class does
    changed_when_read: ClassVar[tuple[str, ...]] = ()  # where a real object that was read is not empty, it says so
    when_not_sent: ClassVar[Mapping[str, Any]] = {}  # values that a real object which was read starts with
    actions: ClassVar[Mapping[str, inspect.Signature]] = {}
    class_actions: ClassVar[Mapping[str, inspect.Signature]] = {}

    @classmethod
    def obj_class_from_name(cls, objname: str, objver: str) -> type[base.VersionedObject]:
        return cls.registry.find(objname, objver)

    @classmethod
    def _obj_from_primitive(cls, context: Any, objver: str, primitive: dict[str, Any]) -> Self:
        obj = super()._obj_from_primitive(context, objver, primitive)
        changed = obj._changed_fields | {
            name for name in cls.changed_when_read if obj.get(name, {}) not in _WITHOUT_ELEMENTS
        }
        for name, value in cls.when_not_sent.items():
            if not obj.is_set(name):
                setattr(obj, name, value)
        obj._changed_fields = changed
        return obj

    def obj_attr_is_set(self, attrname: str) -> bool:
        # asked for each field whenever an object is sent: the base class makes a list of all names for every question
        if attrname not in self.fields:
            raise AttributeError(f"{self.obj_name()} has no field {attrname}")
        return f"{_STORED}{attrname}" in self.__dict__

    def obj_what_changed(self) -> set[str]:
        # the same answer as the base class gives, from the values that are there instead of all fields
        found = {name for name in self._changed_fields if name in self.fields}
        for stored, value in self.__dict__.items():
            name = stored.removeprefix(_STORED)
            if isinstance(value, base.VersionedObject) and name in self.fields and value.obj_what_changed():
                found.add(name)
        return found

    def obj_load_attr(self, attrname: str) -> None:
        raise NotLoaded(f"{self.obj_name()}.{attrname} has no value")

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        if self.backports_within:
            super().obj_make_compatible(primitive, target_version)
        for name, rule in self.field_rules.items():
            if rule.refuse_beside is None:
                rule.check(name, primitive, target_version)
        given = dict(primitive)
        self.backport(primitive, target_version)
        for name, rule in self.field_rules.items():
            rule.backport(name, primitive, given, target_version)
        for name, rule in self.field_rules.items():
            if rule.refuse_beside is not None:
                rule.check(name, primitive, target_version)

    def backport(self, primitive: dict[str, Any], target_version: str) -> None:
        """Changes that touch more than one field, made before those of single fields."""

    def to_primitive(self, version: str | None = None, manifest: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The wire form, at an older ``version`` of this object and ``manifest`` (name -> version) of the ones within.

        :raises BackportRefused: when a value does not exist in that version
        """
        return self.obj_to_primitive(version, dict(manifest) if manifest else None)

    def is_set(self, name: str) -> bool:
        """Whether the field has a value; a field without one raises NotLoaded when read."""
        return self.obj_attr_is_set(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of the field, ``default`` when it has none."""
        return getattr(self, name) if self.obj_attr_is_set(name) else default

    def changes(self) -> dict[str, Any]:
        """Fields changed since the object was read or last saved, with their values."""
        return self.obj_get_changes()

    def reset_changes(self) -> None:
        """Forget what was changed, children included."""
        self.obj_reset_changes(recursive=True)


class WithDefaults:
    """Mixin of objects whose defaults are set when they are made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.obj_set_defaults()  # type: ignore[attr-defined]


_O = TypeVar("_O", bound=VersionedObject)


class Registry:
    """The object classes of one suite by name. One class, the newest version, per name."""

    def __init__(self, suite: str, serial: str) -> None:
        self.suite = suite
        self._name_key = f"{serial}.name"
        self._version_key = f"{serial}.version"
        self.classes: dict[str, type[VersionedObject]] = {}

    def register(self, cls: type[_O]) -> type[_O]:
        """Class decorator: makes properties of the fields and the declared actions visible to fingerprints."""
        if cls.obj_name() in self.classes:
            raise ValueError(f"{cls.obj_name()} is registered twice in {self.suite}")
        base.VersionedObjectRegistry.objectify(cls)
        cls.field_rules = {name: declared.rules for name, declared in cls.fields.items() if hasattr(declared, "rules")}
        for name, signature in cls.__dict__.get("actions", {}).items():
            setattr(cls, name, _remote(cls, name, "self", signature))
        for name, signature in cls.__dict__.get("class_actions", {}).items():
            setattr(cls, name, classmethod(_remote(cls, name, "cls", signature)))
        self.classes[cls.obj_name()] = cls
        return cls

    def find(self, name: str, version: str) -> type[VersionedObject]:
        """The class that reads ``name`` at ``version``.

        :raises IncompatibleVersion: the wire version is newer than ours, or of another major; a third part counts
        :raises ValueError: it is no version
        """
        cls = self.classes.get(name)
        if cls is None:
            raise UnknownObject(objtype=name)
        if version != cls.VERSION and not versionutils.is_compatible(version, cls.VERSION):
            raise IncompatibleVersion(objname=name, objver=version, supported=cls.VERSION)
        return cls

    def manifest(self, name: str) -> dict[str, str]:
        """Versions of ``name`` and of every object its fields may hold, as a receiver tells them to a conductor."""
        found: dict[str, str] = {}
        todo = [name]
        while todo:
            current = todo.pop()
            if current in found:
                continue
            cls = self.classes[current]
            found[current] = cls.VERSION
            todo += [
                declared.objname
                for declared in cls.fields.values()
                if isinstance(declared, oslo_fields.ObjectField | oslo_fields.ListOfObjectsField)
            ]
        return found

    def is_primitive(self, value: Mapping[str, Any]) -> bool:
        """Whether a received dict is the wire form of an object."""
        return self._name_key in value

    def name_of(self, primitive: Mapping[str, Any]) -> str:
        """The object name in a wire form."""
        return primitive[self._name_key]

    def version_of(self, primitive: Mapping[str, Any]) -> str:
        """The version in a wire form."""
        return primitive[self._version_key]

    def at_version(self, primitive: Mapping[str, Any], version: str) -> dict[str, Any]:
        """The wire form with another version written on it."""
        return {**primitive, self._version_key: version}

    def from_primitive(self, primitive: Mapping[str, Any], context: Any = None) -> VersionedObject:
        """The object of a wire form; an older version of the same major keeps its version number.

        :raises UnknownObject: there is no object of that name here
        :raises IncompatibleVersion: it, or one inside it, is too new
        :raises Unreadable: it is no wire form
        """
        try:
            cls = self.find(primitive[self._name_key], primitive[self._version_key])
            return cls.obj_from_primitive(dict(primitive), context)
        except (UnknownObject, IncompatibleVersion, errors.Unreadable):
            raise
        except Exception as fault:  # a value of a wrong kind can fail in any way
            raise errors.Unreadable(f"no wire form of an object ({type(fault).__name__})") from fault


def _remote(cls: type, name: str, first: str, signature: inspect.Signature) -> Callable[..., Any]:
    """A function that only carries the signature of a remotable action."""

    def original(*_args: Any, **_kwargs: Any) -> Any:
        raise RemoteOnly(f"{cls.__name__}.{name} runs at the conductor")

    def action(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **kwargs)

    leading = inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    original.__signature__ = inspect.Signature([leading, *signature.parameters.values()])  # type: ignore[attr-defined]
    action.__signature__ = original.__signature__  # type: ignore[attr-defined]
    action.__name__ = original.__name__ = name
    action.remotable = True  # type: ignore[attr-defined]
    action.original_fn = original  # type: ignore[attr-defined]
    return action
