"""Recordings of the real services that the declarations here are compared with.

Recorded by ``keel-contract record`` for each release (``nova-34``): ``methods`` (what the endpoints answer, what the
clients send at every pin), ``objects``, ``notifications`` (Nova), ``versions``. Captured once, for the newest release:
``primitives`` (wire forms of real objects, backported ones with what was asked) and ``messages`` (from a broker).
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CAPTURED = {"nova": "nova-34.0.0", "cinder": "cinder-29.0.0"}
RELEASES = {"nova": ("nova-31", "nova-32", "nova-33", "nova-34"), "cinder": ("cinder-27", "cinder-28", "cinder-29")}
_PARTS = ("methods", "objects", "notifications", "versions")
_CAPTURED_PARTS = ("primitives", "messages")


@functools.cache
def load(suite: str, part: str) -> Any:
    """One recording of the newest release; treat it as read-only."""
    return release(CAPTURED[suite] if part in _CAPTURED_PARTS else RELEASES[suite][-1], part)


@functools.cache
def release(name: str, part: str) -> Any:
    """One recording of a release such as ``nova-33``; treat it as read-only.

    :raises LookupError: there is none
    """
    try:
        return json.loads((FOLDER / f"{name}-{part}.json").read_text())
    except FileNotFoundError:
        raise LookupError(f"{name} has no recorded {part}") from None


def parts(name: str) -> list[str]:
    """The parts a release was recorded in."""
    return [part for part in _PARTS if (FOLDER / f"{name}-{part}.json").is_file()]
