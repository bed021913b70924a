"""Views: the fields of a resource by microversion and policy, compiled once per combination."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from keel_api.http.version import Version, parse


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()
"""Returned by a field's getter: leave the field out of this one row."""


@dataclass(frozen=True)
class Field:
    """One key of the answer.

    ``get`` is the name of a column or a function ``(row, scope) -> value``; ``since``/``until`` are the first and last
    microversion that show the field; ``policy`` a rule that must allow it; ``columns`` the columns a function reads
    (a column name needs none). ``optional`` says that the getter may return ABSENT.
    """

    name: str
    get: str | Callable[[Any, Any], Any]
    since: str | None = None
    until: str | None = None
    policy: str | None = None
    columns: tuple[str, ...] = ()
    optional: bool = False

    def shown(self, version: Version, allowed: Iterable[str]) -> bool:
        """Whether the field is part of the answer at a version, with these policy rules allowed."""
        return (
            (self.since is None or parse(self.since) <= version)
            and (self.until is None or version <= parse(self.until))
            and (self.policy is None or self.policy in allowed)
        )


class _Compiled:
    """The fields that apply, split so that all the plain ones cost one call."""

    def __init__(self, fields: Sequence[Field]):
        self.columns = frozenset(
            column for f in fields for column in ((f.get,) if isinstance(f.get, str) else ()) + f.columns
        )
        plain = {f.name: f.get for f in fields if isinstance(f.get, str)}
        self._names = tuple(plain)
        self._values = _tuple_getter(tuple(plain.values()))
        self._scoped = [(f.name, f.get) for f in fields if not isinstance(f.get, str) and not f.optional]
        self._optional = [(f.name, f.get) for f in fields if not isinstance(f.get, str) and f.optional]

    def one(self, row: Any, scope: Any) -> dict[str, Any]:
        shown = dict(zip(self._names, self._values(row), strict=True))
        for name, get in self._scoped:
            shown[name] = get(row, scope)
        for name, get in self._optional:
            value = get(row, scope)
            if value is not ABSENT:
                shown[name] = value
        return shown


def _tuple_getter(columns: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads several columns of a row in one step."""
    if len(columns) > 1:
        return itemgetter(*columns)
    return lambda row: tuple(row[column] for column in columns)


class View:
    """A named list of fields. Rows are mappings (dicts or SQLAlchemy row mappings)."""

    def __init__(self, name: str, fields: Sequence[Field]):
        self.name = name
        self.fields = tuple(fields)
        self.policies = frozenset(f.policy for f in fields if f.policy)
        self._lock = threading.Lock()
        self._compiled: dict[tuple[Version, frozenset[str]], _Compiled] = {}

    def compiled(self, version: Version, allowed: Iterable[str] = ()) -> _Compiled:
        """The flat form for one version and one set of allowed rules; made once, then reused."""
        key = (version, self.policies.intersection(allowed))
        found = self._compiled.get(key)
        if found is None:
            with self._lock:
                found = _Compiled([f for f in self.fields if f.shown(version, key[1])])
                self._compiled[key] = found
        return found

    def columns(self, version: Version, allowed: Iterable[str] = ()) -> frozenset[str]:
        """The columns the store has to select for this view."""
        return self.compiled(version, allowed).columns

    def render(
        self, version: Version, allowed: Iterable[str], rows: Iterable[Any], scope: Any = None
    ) -> list[dict[str, Any]]:
        """Rows -> answers. ``scope`` (most often the request, for links) is handed to the getters."""
        one = self.compiled(version, allowed).one
        return [one(row, scope) for row in rows]

    def one(self, version: Version, allowed: Iterable[str], row: Any, scope: Any = None) -> dict[str, Any]:
        """One row -> one answer."""
        return self.compiled(version, allowed).one(row, scope)
