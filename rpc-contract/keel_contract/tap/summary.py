"""The end of a watch: who spoke what, what was wrong, and when each pin can be raised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from keel_contract import versions
from keel_contract.tap.raising import Bounds, Verdict, bounds_of, verdict
from keel_contract.tap.senders import Report
from keel_contract.tap.tally import Conversation, Tally

_STATES = {
    "newest": ("newest", "green"),
    "raise": ("can be raised", "bold green"),
    "held": ("held down", "yellow"),
    "unknown": ("held back", "yellow"),
}
_SHOWN = 15


def verdicts(tally: Tally, reports: Iterable[Report]) -> list[Verdict]:
    """A verdict for each interface that was spoken. Senders of one kind count together."""
    reports = list(reports)
    found = []
    for conversations in tally.by_interface().values():
        kinds: dict[str, list[Bounds]] = {}
        for one in conversations:
            kinds.setdefault(one.sender.kind, []).append(one.bounds)
        interface = conversations[0].interface
        assert interface is not None
        found.append(verdict(interface, {kind: bounds_of(all_) for kind, all_ in kinds.items()}, reports))
    return found


def as_json(tally: Tally, reports: Iterable[Report]) -> dict[str, Any]:
    """The summary for programs."""
    reports = list(reports)
    return {
        "summary": {
            **tally.as_json(),
            "services": [
                {"binary": report.binary, "host": report.host, "version": report.version} for report in reports
            ],
            "pins": [
                {
                    "interface": one.interface,
                    "newest": one.newest,
                    "spoken": dict(one.spoken),
                    "state": one.state,
                    "text": one.text,
                }
                for one in verdicts(tally, reports)
            ],
        }
    }


def render(tally: Tally, reports: Iterable[Report], seconds: float, notes: Iterable[str] = ()) -> RenderableType:
    """The summary for people."""
    reports = list(reports)
    kinds = ", ".join(_counted(kind, count) for kind, count in tally.kinds.most_common())
    head = Text(f"{tally.messages} messages in {seconds:.0f} s ({tally.bytes / 1024:.0f} KiB): {kinds or 'none'}")
    parts: list[RenderableType] = [head, conversations(tally)]
    if reports:
        parts.append(_reports(reports))
    parts.append(_pins(verdicts(tally, reports)))
    parts.append(violations(tally))
    if tally.failures:
        parts.append(_failures(tally))
    parts += [Text(note, style="yellow") for note in notes]
    return Group(*parts)


def _counted(kind: str, count: int) -> str:
    plural = {"reply": "replies", "sign of life": "signs of life", "undecodable": "undecodable"}.get(kind, f"{kind}s")
    return f"{count} {kind if count == 1 else plural}"


def conversations(tally: Tally, limit: int | None = None) -> Table:
    """Who speaks which version of what to whom, the busiest first; with a ``limit`` one line for each."""
    table = _table("Who speaks what to whom", "from", "to", "versions", "methods", "messages", "violations")
    for column in table.columns:
        column.no_wrap = limit is not None
    ordered = sorted(tally.conversations.values(), key=lambda one: -one.count)
    for one in ordered[:limit]:
        style = "red" if one.violations else ""
        to = f"{one.to} on {_some(sorted(one.hosts), 2)}" if one.hosts else one.to
        table.add_row(
            _who(one),
            to,
            _some(sorted(one.versions, key=_order), 4),
            _some([name for name, _ in one.methods.most_common()], 3),
            str(one.count),
            str(one.violations or ""),
            style=style,
        )
    return table


def violations(tally: Tally, limit: int = _SHOWN) -> RenderableType:
    """What was not as declared, the most frequent first."""
    if not tally.violations:
        return Text("No violation of the contract.", style="green")
    table = _table("Violations", "times", "from", "method", "what")
    for (sender, method, what), count in tally.violations.most_common(limit):
        table.add_row(str(count), sender, method, what, style="red")
    return table


def _pins(found: list[Verdict]) -> Table:
    table = _table("When can each pin be raised?", "interface", "newest", "pin", "spoken", "because")
    for one in found:
        word, style = _STATES[one.state]
        spoken = "\n".join(f"{sender}: {bounds}" for sender, bounds in one.spoken.items())
        table.add_row(one.interface, one.newest, Text(word, style=style), spoken, one.text)
    return table


def _reports(reports: list[Report]) -> Table:
    table = _table("Versions that services told", "binary", "service version", "hosts")
    by_version: dict[tuple[str, int], list[str]] = {}
    for report in reports:
        by_version.setdefault((report.binary, report.version), []).append(report.host)
    for (binary, version), hosts in sorted(by_version.items()):
        table.add_row(binary, str(version), _some(sorted(hosts), 6))
    return table


def _failures(tally: Tally) -> Table:
    table = _table("Failures answered", "times", "method", "class")
    for (method, name), count in tally.failures.most_common(_SHOWN):
        table.add_row(str(count), method, name)
    return table


def _who(one: Conversation) -> Text:
    return Text(str(one.sender), style="dim" if one.sender.kind == "?" else "")


def _some(names: list[str], shown: int) -> str:
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" +{more}" if more > 0 else "")


def _order(version: str) -> tuple[int, int]:
    try:
        return versions.parse(version)
    except ValueError:
        return (0, 0)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in ("messages", "violations", "times") else "left")
    return table
