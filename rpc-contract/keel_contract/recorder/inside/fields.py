"""Fields of versioned objects as data."""

import datetime
from typing import Any


def describe(field: Any) -> dict[str, Any]:
    """Type, default, element, object and enumerated values of an oslo.versionedobjects field."""
    kind = field._type
    found: dict[str, Any] = {"type": type(kind).__name__}
    if field.nullable:
        found["nullable"] = True
    if field.read_only:
        found["read_only"] = True
    if not isinstance(field.default, type):  # a class stands for "none given"
        found["default"] = _value(field.default)
    name = getattr(kind, "_obj_name", None)
    if name is not None:
        found["object"] = name
    if getattr(kind, "_subclasses", False):
        found["subclasses"] = True
    values = getattr(kind, "_valid_values", None)
    if values is not None:
        found["values"] = list(values)
    element = getattr(kind, "_element_type", None)
    if element is not None:
        found["element"] = describe(element)
    return found


def _value(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if value is None or isinstance(value, (bool, int, float, str, list, dict)):
        return value
    return type(value).__name__
