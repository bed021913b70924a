"""What the person in front of `keel-cloud` sees: one line for each step, with seconds.

On a terminal the running step is shown with a spinner; elsewhere the lines are plain text, written at once.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

console = Console(highlight=False, soft_wrap=True)


class CloudError(Exception):
    """Something that the person must know, in words; no traceback helps."""


def say(text: str) -> None:
    """Print a plain line at once."""
    console.print(text, markup=False)
    sys.stdout.flush()


@contextmanager
def step(text: str) -> Iterator[None]:
    """Show a step while it runs, and its seconds when it is done."""
    begun = time.monotonic()
    if console.is_terminal:
        with console.status(text):
            yield
    else:
        say(f"{text} ...")
        yield
    say(f"  {text:<58} {time.monotonic() - begun:6.1f} s")


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table; plain columns when the output is no terminal."""
    if console.is_terminal:
        grid = Table(*columns, title=title, title_justify="left")
        for row in rows:
            grid.add_row(*row)
        console.print(grid)
        return
    lines = [columns, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    say(title)
    for line in lines:
        say("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
