"""Differences between two JSON documents, as JSON: small where the documents are nearly the same.

None: no difference. ``{"=": value}``: another value. Objects: ``"-"`` names that are gone, ``"+"`` new values,
``"~"`` differences within. Lists of one length: ``"@"`` position -> difference.
"""

from __future__ import annotations

from typing import Any

Delta = dict[str, Any] | None


def diff(before: Any, after: Any) -> Delta:
    """What turns ``before`` into ``after``; equal documents, and only those, have the difference None."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_objects(before, after)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and _nested(before):
        within = {str(i): d for i, pair in enumerate(zip(before, after, strict=True)) if (d := diff(*pair)) is not None}
        return {"@": within} if within else None
    # 1 and True are equal in Python and are not on the wire
    return None if before == after and type(before) is type(after) else {"=": after}


def _nested(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _of_objects(before: dict[str, Any], after: dict[str, Any]) -> Delta:
    found: dict[str, Any] = {}
    if gone := sorted(before.keys() - after.keys()):
        found["-"] = gone
    if new := {key: after[key] for key in sorted(after.keys() - before.keys())}:
        found["+"] = new
    shared = sorted(before.keys() & after.keys())
    if changed := {key: d for key in shared if (d := diff(before[key], after[key])) is not None}:
        found["~"] = changed
    return found or None


def patch(before: Any, delta: Delta) -> Any:
    """The document that ``diff`` was told after ``before``; parts without differences are shared with it."""
    if delta is None:
        return before
    if "=" in delta:
        return delta["="]
    if "@" in delta:
        return [patch(value, delta["@"].get(str(number))) for number, value in enumerate(before)]
    gone = set(delta.get("-", ()))
    kept = {key: patch(value, delta.get("~", {}).get(key)) for key, value in before.items() if key not in gone}
    return {**kept, **delta.get("+", {})}
