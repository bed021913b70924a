"""Versioned objects of the wire: version, fingerprint, fields and the versions within, against our declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from keel_contract import goldens
from keel_contract.check.counts import Count
from keel_contract.objects import Registry
from keel_contract.recorder.inside import objects as recorded_objects
from keel_contract.suites import SUITES

_COMPARED = ("version", "fingerprint", "manifest", "sources")


def count(suite: str) -> Count:
    """The recorded objects of a suite that peers send."""
    return compared(goldens.load(suite, "objects"), SUITES[suite].registry)


def compared(recorded: Mapping[str, Any], registry: Registry) -> Count:
    """Recorded objects against those of a registry; an object more here is a difference too."""
    declared = described(registry)
    things = {name: list(_differences(row, declared.get(name))) for name, row in recorded.items()}
    return Count.of(things).also(f"{name}: declared, never recorded" for name in declared.keys() - recorded.keys())


def described(registry: Registry) -> dict[str, Any]:
    """Our objects as a release is recorded."""
    return recorded_objects.record(registry.classes, registry.manifest)


def _differences(recorded: Mapping[str, Any], mine: Mapping[str, Any] | None) -> Iterator[str]:
    if mine is None:
        yield "not declared"
        return
    for key in _COMPARED:
        if recorded.get(key) != mine.get(key):
            yield f"{key} {recorded.get(key)}, here {mine.get(key)}"
    for name in sorted(recorded["fields"].keys() | mine["fields"].keys()):
        if recorded["fields"].get(name) != mine["fields"].get(name):
            yield f"field {name} is {recorded['fields'].get(name)}, here {mine['fields'].get(name)}"
