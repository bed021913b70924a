"""``upgrade check``: a list of questions, each answered with success, warning or failure.

Names, order, results and exit codes are those of nova-status and cinder-status (nova 34.0.0 cli, cinder 29.0.0 cli).
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

_TITLE = "Upgrade Check Results"
_WIDTH = 60


class Code(IntEnum):
    """The result of a check; the highest of all is the exit code."""

    SUCCESS = 0
    WARNING = 1
    FAILURE = 2


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found out; `details` say what to do."""

    code: Code
    details: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One question: `ask` gets the configuration."""

    name: str
    ask: Callable[[Any], Result]


OK = Result(Code.SUCCESS)


def warning(details: str) -> Result:
    return Result(Code.WARNING, details)


def failure(details: str) -> Result:
    return Result(Code.FAILURE, details)


def run(conf: Any, checks: Sequence[Check], as_json: bool) -> int:
    """Ask everything, print the answers, answer with the exit code."""
    results = [(check.name, check.ask(conf)) for check in checks]
    print(_json(results) if as_json else _table(results))
    return max(result.code for _, result in results)


def _json(results: Sequence[tuple[str, Result]]) -> str:
    found = [{"check": name, "result": int(result.code), "details": result.details} for name, result in results]
    return json.dumps({"name": _TITLE, "checks": found})


def _table(results: Sequence[tuple[str, Result]]) -> str:
    blocks = [[_TITLE]]
    for name, result in results:
        details = textwrap.wrap(f"Details: {result.details}", _WIDTH, subsequent_indent="  ")
        blocks.append([f"Check: {name}", f"Result: {result.code.name.capitalize()}", *details])
    width = max(len(line) for block in blocks for line in block)
    frame = f"+{'-' * (width + 2)}+"
    lines = [frame]
    for block in blocks:
        lines += [*(f"| {line:<{width}} |" for line in block), frame]
    return "\n".join(lines)
