"""The little language of extra specs: `<in> a`, `>= 2`, `s== x`, `<or> a <or> b`.

Nova and Cinder share the words; they differ in what a bare word means and in
how much of the text after an operator counts (nova 34.0.0 extra_specs_ops,
cinder 29.0.0 scheduler operators).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from oslo_utils import strutils

_NUMERIC: dict[str, Callable[[float, float], bool]] = {
    "=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
}
_TEXT: dict[str, Callable[[str, str], bool]] = {
    "s==": operator.eq,
    "s!=": operator.ne,
    "s<": operator.lt,
    "s<=": operator.le,
    "s>": operator.gt,
    "s>=": operator.ge,
}


def satisfies(value: Any, wanted: str | None) -> bool:
    """Whether a capability meets what an extra spec asks.

    Without an operator both must be equal, types included. With one, a missing
    capability fails, and only the first word after the operator counts
    (``<or>`` takes all alternatives).
    """
    words = wanted.split() if wanted else []
    if not wanted or not words or words[0] not in OPERATORS:
        return value == wanted
    if value is None:
        return False
    first, rest = words[0], words[1:]
    if first == "<or>":
        return str(value) in [part.strip() for part in wanted.split("<or>") if part.strip()]
    if not rest:
        return False
    return OPERATORS[first](value, rest)


def _numeric(compare: Callable[[float, float], bool]) -> Callable[[Any, list[str]], bool]:
    def check(value: Any, rest: list[str]) -> bool:
        try:
            return compare(float(value), float(rest[0]))
        except (TypeError, ValueError):
            return False

    return check


def _text(compare: Callable[[str, str], bool]) -> Callable[[Any, list[str]], bool]:
    return lambda value, rest: compare(str(value), rest[0])


OPERATORS: dict[str, Callable[[Any, list[str]], bool]] = {
    **{name: _numeric(compare) for name, compare in _NUMERIC.items()},
    **{name: _text(compare) for name, compare in _TEXT.items()},
    "<or>": lambda value, rest: False,
    "<in>": lambda value, rest: rest[0] in str(value),
    "<all-in>": lambda value, rest: all(word in value for word in rest),
    "<is>": lambda value, rest: strutils.bool_from_string(value) == strutils.bool_from_string(rest[0]),
}
