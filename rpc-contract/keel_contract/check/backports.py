"""Backports of objects against the corpora of real releases: primitives byte for byte, refusals by their class."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_contract import errors
from keel_contract.check.counts import Count
from keel_contract.objects import Registry, VersionedObject
from keel_contract.recorder import backports
from keel_contract.recorder.delta import diff, patch
from keel_contract.suites import SUITES, from_primitive


@functools.cache
def count(suite: str) -> Count:
    """All recorded backports of the releases of a suite, and what becomes of each when it is read and sent again."""
    things: dict[str, list[str]] = {}
    for corpus in backports.stored(suite):
        for name in corpus["objects"]:
            things.update(compared(suite, corpus, name))
    return Count.of(things)


def compared(suite: str, corpus: Mapping[str, Any], name: str) -> dict[str, list[str]]:
    """Each recorded backport of the object ``name`` with what our result has different from it."""
    rows = corpus["objects"][name]
    manifests = [_manifest(SUITES[suite].registry, corpus, name, others) for _, others in rows["targets"]]
    first = rows["cases"][0]["input"]
    found = {}
    for row in rows["cases"]:
        given = first if row is rows["cases"][0] else patch(first, row["input"])
        case = Case(SUITES[suite].registry, given, from_primitive(suite, dict(given)), corpus["outcomes"], row["again"])
        for position, number in enumerate(row["results"]):
            version, others = rows["targets"][position]
            label = f"{corpus['release']} {name} {row['case']} to {version}{_told(others)}"
            found[label] = case.differences(position, version, manifests[position], number)
    return found


@dataclass(frozen=True, slots=True)
class Case:
    """One object, to be sent as other versions.

    :ivar again: position of a target -> outcome of reading the result; None: that release did not read its results
    """

    registry: Registry
    given: Mapping[str, Any]
    obj: VersionedObject
    outcomes: list[Any]
    again: Mapping[str, int] | None

    def differences(self, position: int, version: str, manifest: Mapping[str, str] | None, number: int) -> list[str]:
        """What our result, and our reading of it, has different from the recorded outcome ``number``."""
        result = attempt(lambda: self.obj.to_primitive(version, manifest))
        outcome, recorded = _outcome(self.given, result), self.outcomes[number]
        if outcome != recorded:
            return [_shown(recorded, outcome)]
        if "raises" in result or self.again is None:
            return []
        again = attempt(lambda: self.registry.from_primitive(result).to_primitive())
        outcome, seen = _outcome(result, again), self.again.get(str(position))
        recorded = None if seen is None else self.outcomes[seen]
        return [] if outcome == recorded else [f"read again: {_shown(recorded, outcome)}"]


def _outcome(before: Any, after: dict[str, Any]) -> Any:
    return after if "raises" in after else diff(before, after)


def attempt(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A primitive in the order of recordings, or ``{"raises": "module.class"}``."""
    try:
        return ordered(make())
    except Exception as problem:  # whatever it is: it is compared with what the real release raised
        if isinstance(problem, errors.ExpectedFault):
            return {"raises": f"{problem.module or errors.EXCEPTION_MODULES['nova']}.{problem.class_name}"}
        return {"raises": f"{type(problem).__module__}.{type(problem).__name__}"}


def ordered(value: Any) -> Any:
    """JSON as it travels, with the unordered lists of changed fields sorted."""
    if isinstance(value, dict):
        return {key: sorted(part) if key.endswith("_object.changes") else ordered(part) for key, part in value.items()}
    return [ordered(part) for part in value] if isinstance(value, list | tuple) else value


def _manifest(
    registry: Registry, corpus: Mapping[str, Any], name: str, others: Mapping[str, str] | None
) -> dict[str, str] | None:
    """Nova tells the versions of the object and of those within, Cinder those of all its objects."""
    if others is None:
        return None
    told = corpus["versions"] if registry.suite == "cinder" else registry.manifest(name)
    return {**{other: corpus["versions"][other] for other in told}, **others}


def _told(others: Mapping[str, str] | None) -> str:
    if others is None:
        return " alone"
    return (
        f" with {', '.join(f'{name} {version}' for name, version in others.items())}" if len(others) < 4 else " of old"
    )


def _shown(recorded: Any, outcome: Any) -> str:
    texts = [json.dumps(value, sort_keys=True)[:200] for value in (recorded, outcome)]
    return f"recorded {texts[0]}, here {texts[1]}"
