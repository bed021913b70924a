"""oslo.policy with a memory: the same caller asking the same rule on the same target is answered once."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from cachetools import LRUCache
from oslo_policy import policy

from keel_common.policy.rules import defaults

_REMEMBERED = 20_000
_LOOK_AGAIN = 1.0  # seconds between looks at policy.yaml


def enforcer(conf: Any, suite: str) -> policy.Enforcer:
    """oslo.policy with the rules of a suite and the files that ``conf`` names, not read yet."""
    made = policy.Enforcer(conf)
    made.suppress_deprecation_warnings = True
    made.register_defaults(defaults(suite))
    return made


class Policies:
    """The rules of one suite with the operator's policy.yaml over them.

    ``conf`` is the configuration of the process ([oslo_policy]); changes of the policy files are seen within a second.
    """

    def __init__(self, conf: Any, suite: str):
        self._enforcer = enforcer(conf, suite)
        self._enforcer.load_rules()
        self._lock = threading.Lock()
        self._memo: LRUCache[Any, bool] = LRUCache(_REMEMBERED)
        self._rules = self._enforcer.rules
        self._looked = time.monotonic()

    def names(self) -> list[str]:
        """Every registered rule."""
        return sorted(self._enforcer.registered_rules)

    def is_admin(self, context: Any) -> bool:
        """Whether the roles of a token make an administrator: rule ``context_is_admin``."""
        return self._ask("context_is_admin", _credentials(context), {})

    def allows(self, rule: str, context: Any, target: Mapping[str, Any] | None = None) -> bool:
        """Whether a caller may use a rule on a target.

        Without a target the caller's own project and user count; ``{}`` makes every comparison with them fail. A
        token of the wrong scope is refused, too. Raises KeyError for a rule that does not exist.
        """
        if rule not in self._enforcer.registered_rules and rule not in self._enforcer.rules:
            raise KeyError(f"no policy rule {rule}")
        if target is None:
            target = {"project_id": context.project_id, "user_id": context.user_id}
        return self._ask(rule, _credentials(context), target)

    def _ask(self, rule: str, credentials: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
        self._look()
        key = (rule, _frozen(credentials), _frozen(target))
        with self._lock:
            known = self._memo.get(key)
        if known is None:
            try:
                known = bool(self._enforcer.enforce(rule, dict(target), dict(credentials)))
            except policy.InvalidScope:
                known = False
            with self._lock:
                self._memo[key] = known
        return known

    def _look(self) -> None:
        """Forget everything when the files changed."""
        now = time.monotonic()
        if now - self._looked < _LOOK_AGAIN:
            return
        self._looked = now
        self._enforcer.load_rules()
        if self._enforcer.rules is not self._rules:
            with self._lock:
                self._rules = self._enforcer.rules
                self._memo.clear()


_CREDENTIALS = (
    "user_id",
    "project_id",
    "domain_id",
    "user_domain_id",
    "project_domain_id",
    "system_scope",
    "is_admin_project",
    "service_user_id",
    "service_project_id",
    "service_user_domain_id",
    "service_project_domain_id",
)


def _credentials(context: Any) -> dict[str, Any]:
    values = {name: getattr(context, name, None) for name in _CREDENTIALS}
    values["roles"] = list(context.roles)
    values["service_roles"] = list(getattr(context, "service_roles", ()) or ())
    values["is_admin"] = context.is_admin
    values["system"] = "all" if context.system_scope == "all" else None
    return {name: value for name, value in values.items() if value is not None}


def _frozen(values: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    return frozenset((key, tuple(value) if isinstance(value, list) else value) for key, value in values.items())
