"""The little language of extra specs: `<in> a`, `>= 2`, `s== x`, `<or> a <or> b` (nova 34.0.0 extra_specs_ops)."""

from __future__ import annotations

import operator
from collections.abc import Callable

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


def satisfies(value: str | None, wanted: str) -> bool:
    """Whether a host's value meets what a flavor asks; a host without the value never does."""
    if value is None:
        return False
    words = wanted.split()
    if not words:
        return value == wanted
    first = words[0]
    if first == "<or>":
        return value in [part.strip() for part in wanted.split("<or>") if part.strip()]
    if first in ("<in>", "<all-in>"):
        return all(word in value for word in words[1:])
    if first in _TEXT:
        return _TEXT[first](value, " ".join(words[1:]))
    if first in _NUMERIC and len(words) > 1:
        try:
            return _NUMERIC[first](float(value), float(words[1]))
        except ValueError:
            return False
    return value == wanted
