"""Names out of messages, made fit for a line: whoever sends them must not write to a terminal or begin a line."""

from __future__ import annotations

from typing import Any


def printable(text: str, limit: int = 200) -> str:
    """``text`` without control characters and ends of lines, no longer than ``limit``."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:limit])


def word(value: Any, limit: int = 80) -> str:
    """A name as it is shown: the text, or the kind of what is none."""
    if value is None:
        return "none"
    return printable(value, limit) if isinstance(value, str) else f"({type(value).__name__})"
