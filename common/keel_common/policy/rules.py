"""The default rules, read from data (nova 34.0.0: 214, cinder 29.0.0: 167, http policies)."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from oslo_policy import policy

_REASON = "Deprecated by the release that the rule names."


def defaults(suite: str) -> list[policy.RuleDefault]:
    """Every rule of a suite ("compute" or "volume") with its scope, its operations and what it replaces."""
    rows = json.loads(resources.files(__package__).joinpath("data", f"{suite}.json").read_bytes())
    return [_default(row) for row in rows]


def _default(row: dict[str, Any]) -> policy.RuleDefault:
    about: dict[str, Any] = {"scope_types": row.get("scope_types")}
    if "deprecated" in row:
        old = row["deprecated"]
        about["deprecated_rule"] = policy.DeprecatedRule(
            old["name"], old["check_str"], deprecated_reason=_REASON, deprecated_since=old["since"]
        )
    if "removal_since" in row:
        about.update(deprecated_for_removal=True, deprecated_reason=_REASON, deprecated_since=row["removal_since"])
    if "operations" not in row:
        return policy.RuleDefault(row["name"], row["check"], **about)
    operations: list[Any] = [{"method": method, "path": path} for method, path in row["operations"]]
    return policy.DocumentedRuleDefault(row["name"], row["check"], row["name"], operations, **about)
