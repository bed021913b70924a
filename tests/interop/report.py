"""The table of what was seen: a line for each kind of compute of each cell, a column for each step."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.interop.visit import STEPS

FOR_ALL = ("leftovers", "logs")
COLUMNS = (*STEPS, *FOR_ALL)


@dataclass
class Line:
    """What came of one kind of compute in one cell."""

    row: str
    cell: str
    compute: str
    #: column -> seconds as text, "ok", or FAILED
    marks: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def do(self, column: str, step: Callable[[], object]) -> bool:
        """Do a step and write down its seconds, or that it failed and why."""
        begun = time.monotonic()
        try:
            step()
        except Exception as error:
            # Whatever came of it belongs into the table; the test fails with all of them at its end.
            self.fail(column, f"{type(error).__name__}: {error}")
            return False
        self.marks[column] = f"{time.monotonic() - begun:.1f}"
        return True

    def fail(self, column: str, text: str) -> None:
        """Mark a column as failed."""
        self.marks[column] = "FAILED"
        self.failures.append(f"{self.cell} ({self.compute}) {column}: {text}")


class Report:
    """All lines of a run."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def line(self, row: str, cell: str, compute: str) -> Line:
        """A new line."""
        self.lines.append(Line(row, cell, compute))
        return self.lines[-1]

    def table(self) -> list[str]:
        """The lines of a Markdown table that is good to read as plain text, too."""
        head = ["cell", "compute", *COLUMNS]
        rows = [[line.cell, line.compute, *(line.marks.get(name, "-") for name in COLUMNS)] for line in self.lines]
        widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
        grid = [head, ["-" * width for width in widths], *rows]
        return ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in grid]

    def save(self, path: Path) -> None:
        """Write all lines as JSON."""
        path.write_text(json.dumps([asdict(line) for line in self.lines], indent=1) + "\n")
