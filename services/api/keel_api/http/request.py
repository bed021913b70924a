"""What a handler gets and gives: Request, Query and Response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.links import Links
from keel_api.http.version import Version

_NOTHING: tuple[str, ...] = ()


class Query:
    """The validated query. A repeated key keeps all its values; the last one counts unless a handler asks for more."""

    def __init__(self, values: Mapping[str, list[str]] | None = None):
        self._values = dict(values or {})

    def get(self, name: str, default: str | None = None) -> str | None:
        """The last value of a key."""
        values = self._values.get(name)
        return values[-1] if values else default

    def first(self, name: str, default: str | None = None) -> str | None:
        """The first value of a key (a few operations count that one)."""
        values = self._values.get(name)
        return values[0] if values else default

    def all(self, name: str) -> list[str]:
        """Every value of a key, in order; empty when it is not there."""
        return list(self._values.get(name, _NOTHING))

    def items(self) -> Iterator[tuple[str, str]]:
        """Key and last value."""
        return ((name, values[-1]) for name, values in self._values.items())

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass
class Response:
    """An answer. ``status`` None is the recorded success code of the operation at the version of the request.

    ``body`` None sends none; bytes are sent as they are (set Content-Type), all else as JSON.
    """

    body: Any = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """One authenticated, routed and validated request.

    ``path`` has the parameters of the route by name, ``body`` the decoded JSON (None for GET and DELETE), ``services``
    what the handlers of the suite work with. ``legacy`` is true under an endpoint with relaxed rules (``/v2``).
    """

    context: Any
    version: Version
    path: dict[str, str]
    query: Query
    body: Any
    services: Any
    policies: Any
    links: Links
    headers: Mapping[str, str]
    action: str | None = None
    legacy: bool = False

    @property
    def args(self) -> Any:
        """The value under the key of a body action."""
        return self.body[self.action]

    def at_least(self, major: int, minor: int) -> bool:
        """Whether the request runs at this microversion or a later one."""
        return self.version >= (major, minor)

    def can(self, rule: str, target: Mapping[str, Any] | None = None) -> bool:
        """Whether policy allows the caller a rule. Without a target: the caller's own project and user."""
        return self.policies.allows(rule, self.context, target)

    def must(self, rule: str, target: Mapping[str, Any] | None = None) -> None:
        """Refuse with 403 unless policy allows the caller a rule."""
        if not self.can(rule, target):
            raise Fault(403, f"Policy doesn't allow {rule} to be performed.")

    def allowed(self, rules: frozenset[str], target: Mapping[str, Any] | None = None) -> frozenset[str]:
        """Those of some rules that the caller may use; for the fields of a view (``view.policies``)."""
        return frozenset(rule for rule in rules if self.can(rule, target))

    def url(self, *parts: str) -> str:
        """The self link of a resource below the endpoint, e.g. ``req.url("servers", server_id)``."""
        return self.links.own(*parts)
