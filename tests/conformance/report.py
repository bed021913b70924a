"""What a replay found, as text: the failures, a table per operation and one line with the sums."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable

from conformance.replay import Result

_COLUMNS = ("pass", "fail", "not built", "unjudged")


def failures(results: Iterable[Result], unbuilt: bool) -> list[str]:
    """Each failed scenario with what went wrong first; those that met an unbuilt operation only when asked for."""
    lines = []
    for result in results:
        if result.verdict == "pass" or (result.verdict == "not built" and not unbuilt):
            continue
        lines.append(f"FAIL {result.id}")
        lines += [
            f"     #{each.seq} {each.operation}: {each.why}" for each in result.outcomes if each.result in _COLUMNS[1:3]
        ]
    return lines


def table(results: Iterable[Result]) -> list[str]:
    """Exchanges per operation."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for each in result.outcomes:
            counts[each.operation][each.result] += 1
    lines = [f"{'operation':<74}" + "".join(f"{column:>10}" for column in _COLUMNS)]
    for operation in sorted(counts, key=lambda name: (name.partition(" ")[2], name)):
        cells = "".join(f"{counts[operation][column]:>10}" for column in _COLUMNS)
        lines.append(f"{operation[:73]:<74}{cells}")
    return lines


def sums(results: list[Result]) -> list[str]:
    """The last lines. Scenarios that met an operation which is not built count as failed, and are told apart."""
    verdicts = Counter(result.verdict for result in results)
    failed = verdicts["fail"] + verdicts["not built"]
    soft = sum(len(each.soft) for result in results for each in result.outcomes)
    exchanges = Counter(each.result for result in results for each in result.outcomes)
    return [
        f"exchanges: {', '.join(f'{exchanges[column]} {column}' for column in _COLUMNS)}; {soft} texts differ",
        f"not built yet: {verdicts['not built']} scenarios, other faults: {verdicts['fail']}",
        f"{verdicts['pass']} passed, {failed} failed",
    ]


def plain(result: Result) -> dict[str, object]:
    """A result as JSON."""
    return dataclasses.asdict(result)
