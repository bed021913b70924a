"""One line of the report on pins, and how the report looks."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from keel_common.manage.tables import print_table

_WIDTH = 110
FINE, IN_DANGER, UNKNOWN = 0, 1, 2
"""Exit codes: every message is understood; some service understands less than it is sent; a pin cannot be told."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service and what it wrote into the table.

    :ivar version: service version (nova), or RPC version and objects (cinder)
    :ivar release: the release that has it, in words
    :ivar speaks: the version of the interface it understands, None where that is not known
    """

    host: str
    binary: str
    version: str
    release: str
    speaks: str | None = None
    cell: str | None = None

    def __str__(self) -> str:
        place = f", cell {self.cell}" if self.cell else ""
        return f"{self.binary} on {self.host} ({self.version}, {self.release}{place})"


@dataclass(frozen=True, slots=True)
class Line:
    """What clients of one topic may send.

    :ivar pin: highest version that is sent; None when it cannot be told
    :ivar newest: highest version this release knows
    :ivar objects: version of the set of objects that is sent, None where objects have no pin (nova)
    :ivar set_by: the setting or the rule behind the pin
    :ivar held_by: services that keep the pin below the newest, the oldest first
    :ivar raising: what has to be done until the newest is sent; None when it is
    :ivar danger: services that understand less than they are sent, in one sentence
    :ivar error: why the pin cannot be told
    """

    topic: str
    pin: str | None
    newest: str
    set_by: str
    objects: str | None = None
    newest_objects: str | None = None
    held_by: Sequence[Service] = field(default=())
    raising: str | None = None
    danger: str | None = None
    error: str | None = None

    @property
    def code(self) -> int:
        if self.error:
            return UNKNOWN
        return IN_DANGER if self.danger else FINE


@dataclass(frozen=True, slots=True)
class Report:
    """All lines of a suite.

    :ivar release: the release that the pins are those of, in words
    :ivar refused: why services of this release do not start here, None when they do
    :ivar left_out: what could not be looked at, a sentence each
    """

    suite: str
    release: str
    lines: Sequence[Line]
    refused: str | None = None
    left_out: Sequence[str] = ()

    @property
    def code(self) -> int:
        """The exit code."""
        return max((line.code for line in self.lines), default=FINE)

    def as_json(self) -> str:
        """The report for programs."""
        found = {"suite": self.suite, "release": self.release, "start_refused": self.refused}
        pins = [asdict(line) for line in self.lines]
        return json.dumps({**found, "left_out": list(self.left_out), "pins": pins}, indent=2)

    def show(self) -> None:
        """Print the report for people: a table, then what there is to say about what is not at its newest."""
        print(f"What {self.suite} {self.release} sends, and who keeps it from sending more")
        print_table(_HEADS, [_cells(line) for line in self.lines], align="<")
        for line in self.lines:
            _tell(line)
        for label, texts in (("start refused", [self.refused] if self.refused else []), ("left out", self.left_out)):
            for text in texts:
                print()
                _paragraph(f"{label}: {text}")


_HEADS = ("Topic", "Pin", "Newest", "Set by", "Held down by")


def _cells(line: Line) -> tuple[str, ...]:
    sent, newest = _version(line.pin, line.objects), _version(line.newest, line.newest_objects)
    return line.topic, sent, newest, line.set_by, _hosts(line.held_by)


def _tell(line: Line) -> None:
    notes = (("pin not known", line.error), ("in danger", line.danger), ("to raise it", line.raising))
    if not any(text for _, text in notes):
        return
    print(f"\n{line.topic}")
    for label, text in notes:
        if text:
            _paragraph(f"{label}: {text}")
    for service in line.held_by:
        print(f"    {service}")


def _paragraph(text: str) -> None:
    print(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))


def _version(rpc: str | None, objects: str | None) -> str:
    shown = rpc or "unknown"
    return f"{shown}, objects {objects}" if objects and rpc else shown


def _hosts(services: Sequence[Service]) -> str:
    if not services:
        return "-"
    more = f" and {len(services) - 1} more" if len(services) > 1 else ""
    return f"{services[0].host}{more}"
