"""Label and field selectors: parsed once a request, then asked per object."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .errors import bad_request
from .kinds import Kind

Match = Callable[[dict[str, Any]], bool]

_SET = re.compile(r"^\s*(!?)\s*([A-Za-z0-9._/-]+)\s*(?:(notin|in)\s*\(([^()]*)\)|(==|=|!=)\s*([^,()\s]*))?\s*$")
_ALWAYS_FIELDS = ("metadata.name", "metadata.namespace")


def label_match(selector: str) -> Match:
    """A predicate over objects. Raises 400 BadRequest for a selector that cannot be parsed."""
    tests = [_requirement(part, selector) for part in _split(selector) if part.strip()]
    if not tests:
        return lambda obj: True

    def match(obj: dict[str, Any]) -> bool:
        labels = obj["metadata"].get("labels") or {}
        return all(test(labels) for test in tests)

    return match


def _split(selector: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(selector):
        if letter in "()":
            depth += 1 if letter == "(" else -1
        elif letter == "," and depth == 0:
            parts.append(selector[start:index])
            start = index + 1
    return [*parts, selector[start:]]


def _requirement(part: str, selector: str) -> Callable[[dict[str, str]], bool]:
    found = _SET.match(part)
    if not found or (found[1] and (found[3] or found[5])):
        raise bad_request(f"unable to parse requirement: found '{part.strip()}', in selector \"{selector}\"")
    absent, key, set_operator, values, operator, value = found.groups()
    if set_operator:
        wanted = {item.strip() for item in values.split(",")}
        if set_operator == "in":
            return lambda labels: labels.get(key) in wanted
        return lambda labels: labels.get(key) not in wanted
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    if operator:
        return lambda labels: labels.get(key) == value
    return (lambda labels: key not in labels) if absent else (lambda labels: key in labels)


def field_match(kind: Kind, selector: str) -> Match:
    """A predicate over objects; only the fields a real server indexes for the type are allowed (400)."""
    tests: list[Match] = []
    for part in filter(None, (piece.strip() for piece in selector.split(","))):
        found = re.match(r"^([^=!]+)(==|=|!=)(.*)$", part)
        if not found:
            raise bad_request(f"invalid selector: '{selector}'; can't understand '{part}'")
        path, operator, value = found.groups()
        if path not in _ALWAYS_FIELDS and path not in kind.fields:
            raise bad_request(f"field label not supported: {path}")
        tests.append(_field_test(path, value, operator != "!="))
    return lambda obj: all(test(obj) for test in tests)


def _field_test(path: str, value: str, equal: bool) -> Match:
    steps = path.split(".")

    def test(obj: dict[str, Any]) -> bool:
        here: Any = obj
        for step in steps:
            here = here.get(step) if isinstance(here, dict) else None
        if isinstance(here, dict):  # events: "source" means its component
            here = here.get("component")
        text = str(here).lower() if isinstance(here, bool) else str(here or "")
        if path == "spec.unschedulable" and here is None:
            text = "false"
        return (text == value) is equal

    return test


def matches_selector(selector: dict[str, Any] | None, labels: dict[str, str]) -> bool:
    """A LabelSelector object (matchLabels, matchExpressions) against labels."""
    selector = selector or {}
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(matches_expression(item, labels) for item in selector.get("matchExpressions") or ())


def matches_expression(item: dict[str, Any], labels: dict[str, str]) -> bool:
    """One matchExpressions entry of a label selector or of a node affinity."""
    value, values = labels.get(item["key"]), item.get("values") or []
    match item["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and int(value) > int(values[0])
        case "Lt":
            return value is not None and int(value) < int(values[0])
    return False
