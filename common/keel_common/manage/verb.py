"""What one command of keel-manage is made of."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Argument = tuple[tuple[str, ...], dict[str, Any]]


@dataclass(frozen=True)
class Verb:
    """One command: its arguments as (flags, argparse options) pairs and what it does; the result is the exit code."""

    run: Callable[[Any, argparse.Namespace], int]
    arguments: tuple[Argument, ...] = ()


def text(*flags: str, **more: Any) -> Argument:
    """An argument with a value; None when it is left out."""
    return flags, {"default": None, **more}


def flag(*flags: str) -> Argument:
    """An argument that is there or not."""
    return flags, {"action": "store_true", "default": False}
