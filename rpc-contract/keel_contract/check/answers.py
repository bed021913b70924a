"""Our endpoints against recorded ones: which methods are answered, with which arguments, of which versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from keel_contract import errors
from keel_contract.interface import Interface, Method, incoming
from keel_contract.recorder.inside.signatures import UNSENDABLE


def target(interface: Interface, recorded: Mapping[str, Any]) -> Iterator[str]:
    """Version, namespace and topics of an endpoint that differ, and whether its older majors do."""
    answers = recorded["answers"]
    older = [recorded["older"]["version"]] if "older" in recorded else []
    for what, wanted, mine in (
        ("version", answers["version"], interface.version),
        ("namespace", answers["namespace"], interface.namespace),
        ("topics", sorted(answers["topics"]), sorted(interface.topics)),
        ("older majors", older, list(interface.older)),
    ):
        if wanted != mine:
            yield f"{what} {wanted}, here {mine}"


def differences(method: Method, recorded: list[str], older: list[str] | None) -> Iterator[str]:
    """What we do differently with the arguments of a received message, one line each.

    :param older: the arguments as the major before takes them, where those differ
    """
    yield from _accepted(method, recorded, False)
    names = {name for name, _ in _parsed(recorded)} | {name for name, _ in _parsed(older or [])}
    more = {arg.name for arg in method.args} - names
    sent_no_more = {arg.name for arg in method.args if arg.until is not None}
    if more - sent_no_more:
        yield f"takes {', '.join(sorted(more - sent_no_more))} here alone"
    if older is not None:
        for line in _accepted(method, older, True):
            yield f"from the major before: {line}"


def _accepted(method: Method, recorded: list[str], older: bool) -> Iterator[str]:
    """Every argument given and left out, as the recorded signature has it."""
    parsed = _parsed(recorded)
    everything: dict[str, Any] = {name: {} for name, _ in parsed}
    problem = _problem(method, everything, older)
    if problem:
        yield f"takes {', '.join(recorded)}, here: {problem}"
        return
    aliases = {arg.name: arg.below.name for arg in method.args}
    takes_any = any(text.startswith("**") for text in recorded)
    if takes_any != method.extra:
        yield f"takes any argument: {takes_any}, here {method.extra}"
    for name, default in parsed:
        without = {key: value for key, value in everything.items() if key not in (name, aliases.get(name))}
        problem = _problem(method, without, older)
        if default is None and problem is None:
            yield f"requires {name}, here not"
        elif default is not None and problem:
            yield f"does not require {name}, here: {problem}"
        elif default is not None and default != UNSENDABLE:
            yield from _default(method, without, older, name, json.loads(default))


def _default(method: Method, without: Mapping[str, Any], older: bool, name: str, wanted: Any) -> Iterator[str]:
    mine = incoming(method, without, older)
    if name in mine and mine[name] != wanted:
        yield f"{name} is {wanted} when left out, here {mine[name]}"


def _problem(method: Method, given: Mapping[str, Any], older: bool) -> str | None:
    try:
        incoming(method, given, older)
    except errors.BadArguments as problem:
        return str(problem)
    return None


def _parsed(recorded: list[str]) -> list[tuple[str, str | None]]:
    """(name, default as JSON or None) of each named argument."""
    found = []
    for text in recorded:
        if not text.startswith("*"):
            name, given, default = text.partition("=")
            found.append((name, default if given else None))
    return found
