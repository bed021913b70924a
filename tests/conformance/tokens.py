"""Pieces of a text that may differ between two correct runs (ids, dates, addresses), and what they were bound to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Any

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
TOKEN = re.compile(
    rf"(?P<req>req-{_UUID})"
    rf"|(?P<uuid>{_UUID})"
    r"|(?P<hex>(?<![0-9A-Za-z])(?:[0-9a-f]{56}|[0-9a-f]{40}|[0-9a-f]{32})(?![0-9A-Za-z]))"
    r"|(?P<res>(?<![0-9A-Za-z])r-[0-9a-z]{8}(?![0-9a-z]))"
    r"|(?P<inst>instance-[0-9a-f]{8})"
    r"|(?P<url>https?://[^/\s\"'?#]+)"
    r"|(?P<mac>(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![:0-9a-f]))"
    r"|(?P<time>\d{4}-\d\d-\d\d(?:T|[ ]|\+|%20)\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)"
)


class Mismatch(Exception):
    """An answer that is not the recorded one; says where and why."""

    def __init__(self, where: str, why: str):
        super().__init__(f"{where or '/'}: {why}")


def split(text: str) -> list[tuple[str, str]]:
    """The pieces of a text as (kind, piece); kind "lit" is what must be equal."""
    out, position = [], 0
    for found in TOKEN.finditer(text):
        if found.start() > position:
            out.append(("lit", text[position : found.start()]))
        out.append((found.lastgroup or "lit", found.group()))
        position = found.end()
    if position < len(text):
        out.append(("lit", text[position:]))
    return out


def kinds(pieces: list[tuple[str, str]]) -> list[str]:
    return [kind for kind, _ in pieces]


def time_class(text: str) -> str:
    """The format of a date: two dates of one class are written alike."""
    return re.sub(r"\d", "0", re.sub(r"\.\d+", ".0", text))


def plain_time(text: str) -> str:
    """A date without its zone and its way of writing."""
    found = text.replace("%3A", ":").replace("%20", "T")
    clock = re.match(r"[\d:]*(?:\.\d+)?", found[11:])
    return f"{found[:10]}T{clock.group() if clock else ''}"


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value, keys included."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value


class Bindings:
    """Recorded tokens and the tokens that the deployment under test has for them.

    `fixed` tokens must be equal: the client chose them, or the environment names them. `said` are strings that the
    client sent before any answer had shown them.
    """

    _MAPS = ("forward", "back", "numbers", "times", "whole")

    def __init__(self, fixed: Set[str] = frozenset(), said: Set[str] = frozenset()):
        self.fixed, self.said = fixed, said
        self.forward: dict[str, str] = {}
        self.back: dict[str, str] = {}
        self.numbers: dict[tuple[str, int], int] = {}
        self.times: dict[str, str] = {}
        self.whole: dict[tuple[str | None, str], str] = {}

    def copy(self) -> Bindings:
        other = Bindings(self.fixed, self.said)
        other.take(self)
        return other

    def take(self, other: Bindings) -> None:
        """Become what `other` is."""
        for name in self._MAPS:
            setattr(self, name, dict(getattr(other, name)))

    def match(self, recorded: str, actual: str, where: str) -> None:
        """Bind an id, or find that it is bound to another one."""
        if recorded in self.fixed:
            if recorded != actual:
                raise Mismatch(where, f"expected {recorded}, got {actual}")
            return
        known = self.forward.get(recorded)
        if known is not None:
            if known != actual:
                raise Mismatch(where, f"expected {known} (recorded {recorded}), got {actual}")
            return
        if self.back.get(actual, recorded) != recorded:
            raise Mismatch(where, f"{actual} was already seen as another id")
        self.forward[recorded] = actual
        self.back[actual] = recorded

    def same(self, recorded: str, actual: str, where: str) -> None:
        """Bind a token of which one may stand for several (request ids, MAC addresses)."""
        known = self.forward.setdefault(recorded, actual)
        if known != actual:
            raise Mismatch(where, f"expected {known} (recorded {recorded}), got {actual}")
