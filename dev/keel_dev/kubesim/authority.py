"""Who may do what: bearer tokens, each with a user name and, for restricted ones, rules."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from typing import Any

from .errors import unauthorized


@dataclass(frozen=True)
class Rule:
    """Shell patterns over what a request asks for; an empty namespace is the cluster scope."""

    verbs: tuple[str, ...] = ("*",)
    groups: tuple[str, ...] = ("*",)
    resources: tuple[str, ...] = ("*",)
    namespaces: tuple[str, ...] = ("*",)

    def allows(self, verb: str, group: str, resource: str, namespace: str) -> bool:
        pairs = ((self.verbs, verb), (self.groups, group), (self.resources, resource), (self.namespaces, namespace))
        return all(any(fnmatch.fnmatchcase(given, pattern) for pattern in patterns) for patterns, given in pairs)


@dataclass(frozen=True)
class Identity:
    name: str
    rules: tuple[Rule, ...] = (Rule(),)

    def may(self, verb: str, group: str, resource: str, namespace: str) -> bool:
        return any(rule.allows(verb, group, resource, namespace) for rule in self.rules)


@dataclass
class Authority:
    """The known tokens."""

    tokens: dict[str, Identity] = field(default_factory=dict)

    def who(self, authorization: str | None) -> Identity:
        """The identity behind an Authorization header. Raises 401 Unauthorized."""
        scheme, _, token = (authorization or "").partition(" ")
        found = self.tokens.get(token.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise unauthorized()
        return found

    def add(self, token: str, user: str, rules: list[dict[str, Any]] | None = None) -> None:
        """Make a token known; without rules it may do everything. Raises TypeError for an unknown rule field."""
        made = tuple(Rule(**{name: tuple(values) for name, values in rule.items()}) for rule in rules or ({},))
        self.tokens[token] = Identity(user, made)
