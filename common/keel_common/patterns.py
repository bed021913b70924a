"""Regular expressions that users send.

They are matched in time linear in the text (RE2): a pattern such as "(a+)+$" must not hold up a process for everybody.
What needs backtracking (look-around, back references) is no pattern here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class InvalidPattern(ValueError):
    """The text is no regular expression."""


@lru_cache(256)
def compiled(pattern: str) -> Any:
    """The expression of a text; its `search(text)` finds it anywhere. Raises InvalidPattern."""
    try:
        return re2.compile(pattern, _OPTIONS)
    except (re2.error, UnicodeError) as error:
        raise InvalidPattern(f"{pattern!r} is not a regular expression") from error


def found(pattern: str, text: Any) -> bool:
    """Whether the pattern occurs in the text; nothing occurs in None. Raises InvalidPattern."""
    return text is not None and compiled(pattern).search(str(text)) is not None
