"""Where two conductors differ."""

from collections.abc import Iterator
from typing import Any


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """A line for each case and place where `found` is not `wanted`."""
    for name, outcomes in wanted.items():
        for line in _unequal(judged(outcomes), judged(found.get(name)), ""):
            yield f"{name}: {line}"


def judged(outcomes: Any) -> Any:
    """Outcomes without the words of exceptions, which are everybody's own."""
    return [{key: value for key, value in one.items() if key != "said"} for one in outcomes or []]


def _unequal(wanted: Any, found: Any, place: str) -> Iterator[str]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted({*wanted, *found}, key=str):
            if key not in found:
                yield f"{place}/{key}: missing {_short(wanted[key])}"
            elif key not in wanted:
                yield f"{place}/{key}: too much {_short(found[key])}"
            else:
                yield from _unequal(wanted[key], found[key], f"{place}/{key}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for number, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from _unequal(one, other, f"{place}/{number}")
    elif wanted != found or type(wanted) is not type(found):
        yield f"{place}: wanted {_short(wanted)}, found {_short(found)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 240 else f"{text[:240]}..."
