"""Which extra specs are right, from 2.86 on (nova 34.0.0 extra_specs): rules are data, read once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from keel_api.http.dialect import NOVA
from keel_api.http.ops import data

_BOOLS = frozenset("1 t true on y yes 0 f false off n no".split())


@lru_cache(maxsize=1)
def _rules() -> dict[str, Any]:
    found = data(NOVA, "extra_specs.json")
    named = {row["name"]: row["value"] for row in found["validators"]}
    patterns = [(re.compile(row["pattern"]), row["value"]) for row in found["validators"]]
    group = found["group"]
    for kind, names, value in (
        ("resources", found["classes"], {"type": "int"}),
        ("trait", found["traits"], found["trait_value"]),
    ):
        for name in names:
            patterns.append((re.compile(rf"{kind}{group}:{name}"), value))
    spaces = [re.compile(pattern) for pattern in found["namespaces"]]
    return {"named": named, "patterns": patterns, "spaces": spaces}


def complaint(name: str, value: str) -> str | None:
    """Why a name or value is refused; None when it is right or unknown to everybody.

    Names without a namespace and names of unknown namespaces belong to operators and are free.
    """
    rules = _rules()
    rule = rules["named"].get(name)
    if rule is None:
        rule = next((found for pattern, found in rules["patterns"] if pattern.fullmatch(name)), None)
    if rule is not None:
        return _value(name, value, rule)
    space, colon, _ = name.partition(":")
    if colon and any(pattern.fullmatch(space) for pattern in rules["spaces"]):
        return f"extra spec '{name}' does not appear to be a valid extra spec."
    return None


def _value(name: str, value: str, rule: dict[str, Any]) -> str | None:
    kind = rule["type"]
    if kind == "int":
        try:
            number = int(value)
        except ValueError:
            return f"'{value}' is not a valid integer for {name}."
        low, high = rule.get("min"), rule.get("max")
        if (low is not None and number < low) or (high is not None and number > high):
            return f"'{value}' is out of range for {name} (min {low}, max {high})."
    elif kind == "bool":
        if value.strip().lower() not in _BOOLS:
            return f"'{value}' is not a valid boolean for {name}."
    elif "enum" in rule:
        if value not in rule["enum"]:
            return f"'{value}' is not one of {', '.join(rule['enum'])} for {name}."
    elif "pattern" in rule and not re.fullmatch(rule["pattern"], value):
        return f"'{value}' does not match {rule['pattern']} for {name}."
    return None
