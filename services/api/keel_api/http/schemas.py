"""Request schemas: a compiled validator says yes; only when it says no, the slow one explains.

The fast validator (Rust) may be stricter than the slow one and never laxer: what it refuses is asked again. Number
bounds also hold for numeric strings, formats are checks and not notes (nova 34.0.0 and cinder 29.0.0 http formats).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import jsonschema_rs

from keel_api.http.dialect import Dialect
from keel_api.http.formats import NOVA, Check, Refused
from keel_api.http.formats_volume import CINDER

_FORMATS: dict[str, dict[str, Check]] = {"compute": NOVA, "volume": CINDER}
_SLOW = {"2020-12": jsonschema.Draft202012Validator, "4": jsonschema.Draft4Validator}
_FAST = {"2020-12": jsonschema_rs.Draft202012Validator, "4": jsonschema_rs.Draft4Validator}
_FORMAT = "keelFormat"
_BOUNDS = {"minimum": "keelMinimum", "maximum": "keelMaximum"}


class Invalid(Exception):
    """A body or query that its schema refuses. ``path`` leads to the value, outermost first."""

    def __init__(self, message: str, path: tuple[Any, ...] = (), value: Any = None, whole: bool = False):
        super().__init__(message)
        self.message, self.path, self.value, self.whole = message, path, value, whole

    def text(self, query: bool) -> str:
        """The sentence for the client (nova 34.0.0 recorded exchanges)."""
        if self.whole or not self.path:
            return self.message
        if query:
            return f"Invalid input for query parameters {self.path[0]}. Value: {self.value}. {self.message}"
        return f"Invalid input for field/attribute {self.path[-1]}. Value: {self.value}. {self.message}"


def _number(value: Any) -> float | int | None:
    """The number a value stands for; None when it is none. Booleans are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return None


def _beyond(keyword: str, bound: Any, value: Any) -> bool:
    number = _number(value)
    if number is None:
        return False
    return number < bound if keyword == "minimum" else number > bound


def _slow_bound(keyword: str) -> Callable[..., Iterator[jsonschema.ValidationError]]:
    word = "less than the minimum" if keyword == "minimum" else "greater than the maximum"

    def check(validator: Any, bound: Any, instance: Any, schema: Any) -> Iterator[jsonschema.ValidationError]:
        if _beyond(keyword, bound, instance):
            yield jsonschema.ValidationError(f"{instance!r} is {word} of {bound!r}")

    return check


def _drop_unknown(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[jsonschema.ValidationError]:
    """``additionalProperties`` of the legacy endpoint: unknown keys are taken out instead of refused.

    Not where patterns name keys, and not when every key is unknown (nova 34.0.0 http formats).
    """
    if allowed is not False or not isinstance(instance, dict):
        return
    if schema.get("patternProperties"):
        yield from jsonschema.Draft202012Validator.VALIDATORS["additionalProperties"](
            validator, allowed, instance, schema
        )
        return
    unknown = [key for key in instance if key not in schema.get("properties", {})]
    if len(unknown) < len(instance):
        for key in unknown:
            del instance[key]


class _FastFormat:
    """The format keyword of the fast validator; it needs no words, the slow one has them."""

    def __init__(self, schema: dict[str, Any], name: str, path: list[Any]):
        suite, _, format_name = name.partition(":")
        self._check = _FORMATS[suite][format_name]

    def validate(self, instance: Any) -> None:
        if not self._check(instance):
            raise ValueError("format")


def _fast_bound(keyword: str) -> type:
    class Bound:
        def __init__(self, schema: dict[str, Any], bound: Any, path: list[Any]):
            self._bound = bound

        def validate(self, instance: Any) -> None:
            if _beyond(keyword, self._bound, instance):
                raise ValueError(keyword)

    return Bound


_KEYWORDS = {_FORMAT: _FastFormat, **{own: _fast_bound(name) for name, own in _BOUNDS.items()}}


def _own_keywords(schema: Any, suite: str) -> Any:
    """The schema with format and bounds under our own keywords, for the fast validator."""
    if isinstance(schema, list):
        return [_own_keywords(item, suite) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "patternProperties"):
            result[key] = {name: _own_keywords(sub, suite) for name, sub in value.items()}
        elif key == "format" and isinstance(value, str):
            if value in _FORMATS[suite]:
                result[_FORMAT] = f"{suite}:{value}"
        elif key in _BOUNDS:
            result[_BOUNDS[key]] = value
        elif key in ("enum", "const", "required", "default"):
            result[key] = value
        else:
            result[key] = _own_keywords(value, suite)
    return result


def sound(schema: Any) -> Any:
    """A schema without the recorded slips: a ``type`` among the properties, a ``required`` of nothing."""
    if isinstance(schema, list):
        return [sound(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: sound(value) for key, value in schema.items()}
    if isinstance(found.get("properties"), dict):
        found["properties"] = {key: sub for key, sub in found["properties"].items() if isinstance(sub, dict | bool)}
    if found.get("required") == []:
        del found["required"]
    return found


class Schema:
    """One compiled request schema."""

    def __init__(self, name: str, schema: dict[str, Any], dialect: Dialect):
        self.name = name
        self.schema = schema = sound(schema)
        self._fast = _FAST[dialect.draft](_own_keywords(schema, dialect.suite), keywords=_KEYWORDS)
        checker = jsonschema.FormatChecker(formats=())
        for format_name, check in _FORMATS[dialect.suite].items():
            checker.checks(format_name, raises=(Refused,))(check)
        base = jsonschema.validators.extend(
            _SLOW[dialect.draft], {key: _slow_bound(key) for key in _BOUNDS}, format_checker=checker
        )
        relaxed = jsonschema.validators.extend(base, {"additionalProperties": _drop_unknown}, format_checker=checker)
        self._slow = base(schema, format_checker=checker)
        self._relaxed = relaxed(schema, format_checker=checker)

    def check(self, instance: Any) -> None:
        """Raise Invalid with the first complaint, or return."""
        if not self._fast.is_valid(instance):
            self._explain(self._slow, instance)

    def check_relaxed(self, instance: Any) -> Any:
        """As check, for the legacy endpoint; returns the instance without its unknown keys."""
        if self._fast.is_valid(instance):
            return instance
        instance = copy.deepcopy(instance)
        self._explain(self._relaxed, instance)
        return instance

    @staticmethod
    def _explain(validator: Any, instance: Any) -> None:
        try:
            error = next(validator.iter_errors(instance), None)
        except Refused as refused:
            raise Invalid(str(refused), whole=True) from None
        if error is None:
            return
        if isinstance(error.cause, Refused):
            raise Invalid(str(error.cause), tuple(error.absolute_path), error.instance, whole=True)
        raise Invalid(error.message, tuple(error.absolute_path), error.instance)

    def kept(self, query: dict[str, list[str]]) -> dict[str, list[str]]:
        """A query without the keys its schema does not know (they are accepted and then forgotten)."""
        known = self.schema.get("properties", {})
        if self.schema.get("additionalProperties") is False or "patternProperties" in self.schema:
            return query
        return {key: values for key, values in query.items() if key in known}


class Schemas:
    """The schemas of a suite by name, compiled on first use (a start compiles none, a test compiles all)."""

    def __init__(self, raw: dict[str, dict[str, Any]], dialect: Dialect):
        self._raw, self._dialect = raw, dialect
        self._compiled: dict[str, Schema] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._raw

    def get(self, name: str) -> Schema:
        """The compiled schema. Threads may compile one twice; the last one stays and both are equal."""
        found = self._compiled.get(name)
        if found is None:
            found = self._compiled[name] = Schema(name, self._raw[name], self._dialect)
        return found

    def names(self) -> list[str]:
        """Every name, in order."""
        return sorted(self._raw)
