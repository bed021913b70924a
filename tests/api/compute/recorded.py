"""The recorded operations and policies of nova 34.0.0, for the tests that go over all of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "recorded.json"
Version = tuple[int, int]
Row = dict[str, Any]


@cache
def read() -> Row:
    return json.loads(_FILE.read_bytes())


def operations() -> list[Row]:
    """The 265 operations: id, since, until, removed, request, query, response, success, errors (the codes that are
    meant), lookups (that come before policy), policies (rule, target, fatal, when)."""
    return read()["operations"]


@cache
def live() -> dict[str, Row]:
    """The 211 operations that are not removed, by id."""
    return {row["id"]: row for row in operations() if "removed" not in row}


def policies() -> list[Row]:
    """The 214 rules: name, check, scope_types, deprecated (name, check, since), removal_since."""
    return read()["policies"]


def parsed(version: str) -> Version:
    major, minor = version.split(".")
    return int(major), int(minor)


def at(spans: list[list[Any]], version: Version, legacy: bool = False) -> Any:
    """The value that rows of [since, until, value, legacy] have at a version."""
    for since, until, value, *more in spans:
        if since is None:
            if legacy:
                return value
        elif parsed(since) <= version <= parsed(until) and (not legacy or not more or more[0]):
            return value
    return None
