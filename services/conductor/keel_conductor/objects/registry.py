"""The table of object methods and how one is called.

A function for an instance method gets the Call, the object and the method's arguments, and returns Done: the values
that the object has afterwards (plain values by field name; the caller is told those that differ), the result, and the
fields that stay unsaved. A function for a class method gets the Call and the arguments, and returns an object or a
plain value.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

from keel_common.db import Cells, Database
from keel_contract import errors
from keel_contract.context import Context
from keel_contract.nova.objects import REGISTRY
from keel_contract.nova.remote import arguments, class_arguments


@dataclass(frozen=True)
class Call:
    """Who asks, and where the rows are.

    :ivar db: the cell database of this conductor ([database]connection)
    """

    context: Context
    cells: Cells
    conf: Any

    @property
    def db(self) -> Database:
        return self.cells.local

    @property
    def api(self) -> Database:
        return self.cells.api


class Done(NamedTuple):
    """What came of an instance method.

    :ivar values: fields of the object afterwards
    :ivar unsaved: fields that the caller still has to save
    """

    values: Mapping[str, Any]
    result: Any = None
    unsaved: Iterable[str] = ()

    @classmethod
    def untouched(cls, obj: Any, result: Any = None) -> "Done":
        """The object stays as it came, with what was unsaved in it."""
        return cls({}, result, obj.obj_what_changed())


Action = Callable[..., Done]
ClassAction = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])

ACTIONS: dict[tuple[str, str], Action] = {}
CLASS_ACTIONS: dict[tuple[str, str], ClassAction] = {}


def action(name: str, method: str) -> Callable[[F], F]:
    """Decorator: the function does `method` of objects named `name`. The method must be declared in the contract."""

    def register(fn: F) -> F:
        _add(ACTIONS, REGISTRY.classes[name].actions, name, method, fn)
        return fn

    return register


def class_action(name: str, method: str) -> Callable[[F], F]:
    """Decorator: the function does the class method `method` of `name`."""

    def register(fn: F) -> F:
        _add(CLASS_ACTIONS, REGISTRY.classes[name].class_actions, name, method, fn)
        return fn

    return register


def _add(table: dict[tuple[str, str], Any], declared: Mapping[str, Any], name: str, method: str, fn: Any) -> None:
    if method not in declared or (name, method) in table:
        raise ValueError(f"{name}.{method} is not in the contract or has a function already")
    table[name, method] = fn


def perform(call: Call, obj: Any, method: str, args: Any, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Runs an instance method; (updates in wire form, result) as object_action answers them."""
    fn = _find(ACTIONS, obj.obj_name(), method)
    values, result, unsaved = fn(call, obj, **arguments(type(obj), method, args, kwargs))
    updates: dict[str, Any] = {"obj_what_changed": sorted(unsaved)}
    for field, value in values.items():
        before = getattr(obj, field) if obj.is_set(field) else _UNSET
        declared = obj.fields[field]
        after = declared.coerce(obj, field, value)
        if before is _UNSET or before != after:
            updates[field] = declared.to_primitive(obj, field, after)
    for field in _held(obj):
        # A real conductor compares objects by identity: what the object holds comes back, changed or not.
        if field not in updates:
            updates[field] = obj.fields[field].to_primitive(obj, field, getattr(obj, field))
    return updates, result


def _held(obj: Any) -> list[str]:
    """Fields of an object that hold other objects."""
    return [name for name in objects_in(type(obj)) if obj.is_set(name) and _is_held(getattr(obj, name))]


def _is_held(value: Any) -> bool:
    """An object, or a plain list with objects in it."""
    return value is not None and not (isinstance(value, list) and not value)


def objects_in(cls: Any) -> tuple[str, ...]:
    """Names of the fields that hold objects."""
    return _objects_in(cls.obj_name())


@cache
def _objects_in(name: str) -> tuple[str, ...]:
    fields = REGISTRY.classes[name].fields
    return tuple(name for name, declared in fields.items() if hasattr(declared, "objname"))


def perform_class(call: Call, name: str, method: str, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Runs a class method."""
    if name not in REGISTRY.classes:
        raise errors.ExpectedFault("KeyError", repr(name), module="builtins")
    fn = _find(CLASS_ACTIONS, name, method)
    return fn(call, **class_arguments(name, method, args, kwargs))


_UNSET = object()


def _find(table: Mapping[tuple[str, str], Any], name: str, method: str) -> Any:
    fn = table.get((name, method))
    if fn is None:
        raise errors.ExpectedFault("AttributeError", f"{name} has no method {method}", module="builtins")
    return fn
