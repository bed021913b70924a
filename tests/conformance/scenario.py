"""A recorded scenario: how it is read, and what of it the client chose itself."""

from __future__ import annotations

import gzip
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.tokens import split, strings

DATA = Path(__file__).parent / "data"
_IDS = ("uuid", "hex", "res")
_SILENT = ("handshake", "poll")
"""Kinds of exchanges that are not sent again: a login of another scheme, and a look while the test was waiting."""


def load(path: Path) -> Iterator[dict[str, Any]]:
    """The scenarios of a file, one per line, compressed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def environment() -> dict[str, Any]:
    """What the deployment must offer."""
    return json.loads((DATA / "environment.json").read_text())


def environment_ids() -> set[str]:
    """Ids of the environment, which must be equal."""
    found = strings(environment()["fixed_ids"])
    return {token for text in found for kind, token in split(text) if kind in ("uuid", "hex")}


def judged(scenario: dict[str, Any]) -> bool:
    """Whether anything in it can be held against an implementation."""
    return any(each.get("judge", True) in (True, "reference") for each in scenario["exchanges"])


def to_send(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in scenario["exchanges"] if each.get("kind") not in _SILENT]


def expected(exchange: dict[str, Any]) -> dict[str, Any] | None:
    """The answer that must come; None when it is not judged (it depended on what a test did behind the API)."""
    mark = exchange.get("judge", True)
    if mark is True:
        return exchange["response"]
    return exchange.get("reference_response") if mark == "reference" else None


def fixed_tokens(scenario: dict[str, Any], ids: Iterable[str]) -> set[str]:
    """Ids which the client sends before any answer has shown them, and those of the environment."""
    fixed, seen = set(ids), set()
    for exchange in scenario["exchanges"]:
        for text in _sent(exchange):
            fixed.update(token for kind, token in split(text) if kind in _IDS and token not in seen)
        for text in _answered(exchange):
            seen.update(token for kind, token in split(text) if kind in _IDS)
    return fixed


def _sent(exchange: dict[str, Any]) -> Iterator[str]:
    request = exchange["request"]
    yield urllib.parse.unquote(exchange["path"])
    yield urllib.parse.unquote(exchange["query"])
    yield from strings(request.get("body"))
    yield request.get("body_text") or ""
    yield from request["headers"].values()


def _answered(exchange: dict[str, Any]) -> Iterator[str]:
    response = exchange.get("response") or {}
    yield from strings(response.get("body"))
    yield response.get("body_text") or ""
    yield from (response.get("headers") or {}).values()


def said(scenario: dict[str, Any]) -> frozenset[str]:
    """Strings which a request holds before any answer has shown them."""
    found, seen = set(), set()
    for exchange in scenario["exchanges"]:
        found.update(text for text in strings(exchange["request"].get("body")) if text not in seen)
        seen.update(strings((exchange.get("response") or {}).get("body")))
    return frozenset(found)


def collection(template: str) -> str:
    """The last segment of a route that names a collection: integer ids count per collection."""
    segments = [each for each in template.split("/") if each and not each.startswith("{")]
    return next((each for each in reversed(segments) if each not in ("detail", "action")), "")


def ordered(exchange: dict[str, Any]) -> bool:
    """Whether the client asked for an order."""
    return bool(re.search(r"(^|&)sort", exchange["query"]))
