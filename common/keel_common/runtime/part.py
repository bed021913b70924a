"""What a process is made of."""

import time
from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

Check = Callable[[], None]
"""A readiness check: returns when all is well, raises with a sentence for the operator when not."""


class CannotStart(Exception):
    """A start that is refused for a reason that somebody must do something about; the text says what."""


@runtime_checkable
class Part(Protocol):
    """Something that a process starts, watches and stops: a bus server, a pool, an informer, an HTTP server.

    `start` returns when the part works (it may go on in threads) and raises when it cannot. `stop` finishes or hands
    over what it holds and returns before `deadline`, a `time.monotonic()` value. Both are called once, from one thread.
    A part may also have `reload()`, called after SIGHUP re-read the configuration files.
    """

    name: str

    def start(self) -> None: ...

    def stop(self, deadline: float) -> None: ...

    def checks(self) -> Mapping[str, Check]: ...


class StartCheck:
    """A Part that looks once, at start: `look` raises CannotStart."""

    def __init__(self, name: str, look: Callable[[], None]) -> None:
        self.name = name
        self.start = look

    def stop(self, deadline: float) -> None:
        """Nothing is held."""

    def checks(self) -> Mapping[str, Check]:
        return {}


def left(deadline: float) -> float:
    """Seconds until `deadline`, never negative."""
    return max(0.0, deadline - time.monotonic())
