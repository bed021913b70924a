"""Microversions: parsing, the window of an operation, and negotiation by header."""

from __future__ import annotations

import re
from typing import Any

Version = tuple[int, int]

_PATTERN = re.compile(r"^([1-9]\d*)\.([1-9]\d*|0)$")


def parse(text: str) -> Version:
    """``"2.47"`` -> ``(2, 47)``. Raises ValueError for any other spelling (no leading zeros)."""
    match = _PATTERN.match(text)
    if match is None:
        raise ValueError(text)
    return int(match.group(1)), int(match.group(2))


def show(version: Version) -> str:
    """``(2, 47)`` -> ``"2.47"``."""
    return f"{version[0]}.{version[1]}"


class Spans:
    """Values by microversion: rows of ``[since, until, value, legacy]``, both ends included.

    A row without since and until binds only requests of a legacy endpoint (``/v2``); ``legacy`` false binds it never.
    """

    def __init__(self, rows: list[list[Any]]):
        self._rows: list[tuple[Version, Version, Any]] = []
        self._legacy: Any = None
        for row in rows:
            since, until, value = row[:3]
            if since is None:
                self._legacy = value
            else:
                self._rows.append((parse(since), parse(until), value))
        self._rows.sort(key=lambda row: row[0])
        for before, after in zip(self._rows, self._rows[1:], strict=False):
            if before[1] >= after[0]:
                raise ValueError(f"overlapping versions: {before[2]} and {after[2]}")
        self._legacy_ok = {row[2] for row in rows if len(row) < 4 or row[3]}

    def __bool__(self) -> bool:
        """Whether any version has a value."""
        return bool(self._rows)

    def at(self, version: Version, legacy: bool = False) -> Any:
        """The value of a version, or None where no row covers it."""
        if legacy and self._legacy is not None:
            return self._legacy
        for since, until, value in self._rows:
            if since <= version <= until:
                return value if not legacy or value in self._legacy_ok else None
        return None

    def values(self) -> list[Any]:
        """Every value, the legacy one included."""
        return [row[2] for row in self._rows] + ([self._legacy] if self._legacy is not None else [])


class BadVersion(Exception):
    """The version header is malformed (400)."""


class UnsupportedVersion(Exception):
    """The version is outside the window of the API (406); ``asked`` is echoed in the answer."""

    def __init__(self, asked: Version):
        super().__init__(show(asked))
        self.asked = asked


def asked_version(header: str | None, service: str, fallback: str | None = None) -> str | None:
    """What a client asked of one service; ``header`` is ``OpenStack-API-Version``, a comma list of ``service version``.

    The service is matched without case and its last entry wins. A bare service name counts as not asked here; the
    dialect decides what that means. ``fallback`` is the value of a suite's own older header.
    """
    wanted = None
    for entry in (header or "").split(","):
        parts = entry.split()
        if len(parts) == 2 and parts[0].lower() == service:
            wanted = parts[1]
    return wanted if wanted is not None else (fallback or None)


def negotiate(asked: str | None, default: Version, low: Version, high: Version) -> Version:
    """The version a request runs at. Raises BadVersion or UnsupportedVersion."""
    if asked is None:
        return default
    if asked == "latest":
        return high
    try:
        version = parse(asked)
    except ValueError:
        raise BadVersion(asked) from None
    if not low <= version <= high:
        raise UnsupportedVersion(version)
    return version
