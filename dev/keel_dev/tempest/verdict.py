"""What the results of a run mean, beside what passes against the real services and what is known to fail here.

A test that passes against the real Nova and Cinder (the baseline) must pass here. One that fails, or is skipped because
a feature is switched off, is forgiven only where a list says why.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PASSED, FAILED, SKIPPED, LISTED = "passed", "failed", "skipped", "listed"
STATES = (PASSED, FAILED, SKIPPED, LISTED)
#: A test's place in the suite: its module below these, which is the row of the table.
PREFIXES = ("tempest.api.", "cinder_tempest_plugin.api.", "tempest.scenario.")


@dataclass(frozen=True)
class Result:
    """One test that ran, or one whose class could not be set up."""

    id: str
    state: str
    reason: str = ""
    seconds: float = 0

    @property
    def name(self) -> str:
        """Its dotted name, without the tags behind it."""
        return re.sub(r"\[.*?\]", "", self.id)

    @property
    def area(self) -> str:
        """The row of the table it belongs to: `compute.servers`."""
        dotted = re.sub(r"^\w+ \((.*)\)$", r"\1", self.name)
        for prefix in PREFIXES:
            dotted = dotted.removeprefix(prefix)
        return ".".join(part for part in dotted.split(".")[:2] if not part.startswith("test_")) or dotted


@dataclass(frozen=True)
class Known:
    """A line of the list: tests that are known to fail or not to be reached in some ways, and why."""

    pattern: str
    reason: str
    ways: tuple[str, ...]

    def covers(self, way: str, test: str) -> bool:
        """Whether it speaks of a test in a way; a way is listed whole or by one of its two parts."""
        return bool({way, *way.split("+")} & set(self.ways)) and re.search(self.pattern, test) is not None


@dataclass(frozen=True)
class Judged:
    """A result and what is thought of it."""

    result: Result
    state: str
    known: Known | None = None


def judge(results: Iterable[Result], way: str, baseline: frozenset[str], known: Iterable[Known]) -> list[Judged]:
    """The verdict on each result, in their order.

    passed stays; failed is forgiven where it is listed; skipped counts as a failure where the test is in the baseline
    and nobody says why it is not reached.
    """
    rows = tuple(known)
    verdicts = []
    for result in results:
        found = next((row for row in rows if row.covers(way, result.name)), None)
        missed = result.state == FAILED or (result.state == SKIPPED and result.name in baseline)
        state = result.state if not missed else LISTED if found else FAILED
        verdicts.append(Judged(result, state, found if missed else None))
    return verdicts


def counts(verdicts: Iterable[Judged]) -> Counter[str]:
    """How many of each state."""
    return Counter(verdict.state for verdict in verdicts)


def last_line(verdicts: Iterable[Judged]) -> str:
    """`N passed, N failed, N skipped, N listed`."""
    found = counts(verdicts)
    return ", ".join(f"{found[state]} {state}" for state in STATES)


def table_rows(verdicts: Iterable[Judged]) -> list[list[str]]:
    """A row for each area: its name and the counts."""
    areas: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        areas.setdefault(verdict.result.area, Counter())[verdict.state] += 1
    return [[area, *(str(found[state] or "") for state in STATES)] for area, found in sorted(areas.items())]


def read_results(lines: Iterable[str]) -> list[Result]:
    """Results from lines of JSON, by name; a test that ran twice counts once, with its last result."""
    found = {result.id: result for result in (Result(**json.loads(line)) for line in lines)}
    return [found[name] for name in sorted(found)]


def read_known(path: Path) -> list[Known]:
    """The list of known failures; ValueError for a line without a reason."""
    rows: list[Known] = []
    for entry in json.loads(path.read_text()):
        if not entry["reason"].strip():
            raise ValueError(f"{path}: {entry['tests']} has no reason")
        rows.extend(Known(pattern, entry["reason"], tuple(entry["ways"])) for pattern in entry["tests"])
    return rows


def read_baseline(path: Path) -> frozenset[str]:
    """Names of the tests that pass against the real services; comments and empty lines are skipped."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return frozenset(line for line in lines if line and not line.startswith("#"))
