"""Waiting for what other processes do."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(what: str, look: Callable[[], T], seconds: float = 60.0, every: float = 0.25) -> T:
    """Look until the answer is true, and return it; AssertionError with the last answer when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"no {what} in {seconds:.0f} s, last seen: {found!r}"
        time.sleep(every)
