"""Strategies: any JSON, real wire forms with something broken in them, messages, contexts."""

from __future__ import annotations

import copy
import functools
from typing import Any

from hypothesis import strategies as st

from keel_contract import goldens
from keel_contract.context import Context
from keel_contract.suites import SUITES
from keel_contract.tap.addresses import INTERFACES

PREFIXES = {"nova": "nova_object", "cinder": "versioned_object"}
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**320)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "\0", "\ud800", "1.0", "[]", "{}", "2026-01-02T03:04:05Z", "None", "-1", "9" * 5000])
)
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=6,
)
VERSIONS = st.sampled_from(["1.0", "1.1", "2.8", "1.999", "99.0", "", "1", "1.0.0", "x.y", "-1.-1"]) | _SCALARS


@functools.cache
def recorded(suite: str) -> list[dict[str, Any]]:
    """Wire forms of real objects."""
    found: list[dict[str, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if f"{PREFIXES[suite]}.name" in value:
                found.append(value)
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(goldens.load(suite, "primitives"))
    return found


def places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside ``value``."""
    found, waiting = [], [value]
    while waiting:
        current = waiting.pop()
        entries = current.items() if isinstance(current, dict) else enumerate(current)
        for key, inner in entries:
            found.append((current, key))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found


@st.composite
def broken(draw: Any, suite: str) -> dict[str, Any]:
    """A real object with one to three places replaced by anything, or gone."""
    made = copy.deepcopy(draw(st.sampled_from(recorded(suite))))
    for _ in range(draw(st.integers(1, 3))):
        found = places(made)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        if isinstance(container, dict) and draw(st.booleans()):
            container.pop(key, None)
        elif isinstance(container, dict) or key < len(container):
            container[key] = draw(JSON)
    return made


@st.composite
def invented(draw: Any, suite: str) -> dict[str, Any]:
    """A wire form of any known object with anything in its fields."""
    prefix, classes = PREFIXES[suite], SUITES[suite].registry.classes
    name = draw(st.sampled_from(sorted(classes)))
    fields = sorted(classes[name].fields)
    names = st.text(max_size=5) | st.sampled_from([*fields, "created_at"])  # an object may have no fields at all
    data = draw(st.dictionaries(names, JSON, max_size=6))
    return {
        f"{prefix}.name": name,
        f"{prefix}.namespace": draw(st.just(suite) | JSON),
        f"{prefix}.version": draw(st.just(classes[name].VERSION) | VERSIONS),
        f"{prefix}.data": draw(st.just(data) | JSON),
        f"{prefix}.changes": draw(st.lists(names, max_size=3) | JSON),
    }


@functools.cache
def primitives(suite: str) -> st.SearchStrategy[dict[str, Any]]:
    """Broken and invented objects."""
    return broken(suite) | invented(suite)


@functools.cache
def contexts(suite: str) -> st.SearchStrategy[dict[str, Any]]:
    """Contexts with anything under their keys."""
    keys = sorted(Context(overwrite=False).to_wire(suite))
    return st.dictionaries(st.sampled_from(keys) | st.text(max_size=8), JSON, max_size=8)


@st.composite
def messages(draw: Any, suite: str) -> dict[str, Any]:
    """Messages to an interface of the suite, each part of it right or anything."""
    interface = draw(st.sampled_from([known for known in INTERFACES if known.suite == suite]))
    method = draw(st.sampled_from(sorted(interface.methods)))
    names = [arg.name for arg in interface.methods[method].args]
    args = dict.fromkeys(names)
    if names:
        args[draw(st.sampled_from(names))] = draw(primitives(suite))
    made = {"method": method, "namespace": interface.namespace, "version": interface.version, "args": args}
    wrong = draw(st.sampled_from([None, "method", "namespace", "version", "args", "more"]))
    if wrong == "more":
        args[draw(st.sampled_from(["self", "context", "", "more"]))] = None
    elif wrong is not None:
        made[wrong] = draw(JSON | VERSIONS)
    return made
