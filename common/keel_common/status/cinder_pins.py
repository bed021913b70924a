"""The pins of Cinder's clients and of what its servers answer, from the versions in the table of services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keel_common.db import Database
from keel_common.db.stores.cinder import services
from keel_common.status.line import Line, Report, Service
from keel_contract import errors, pins, releases, versions
from keel_contract.cinder import OBJECT_VERSION
from keel_contract.cinder import interfaces as cinder
from keel_contract.interface import Interface

_INTERFACES = (cinder.VOLUME, cinder.SCHEDULER, cinder.BACKUP)
_RPC, _OBJECTS = "rpc_current_version", "object_current_version"
Rows = Sequence[dict[str, Any]]


def report(db: Database) -> Report:
    """A line for each topic, and one for what the servers answer. Where one cannot be told, no service starts."""
    rows = db.read(services.written)
    of = [(interface, [row for row in rows if row["binary"] == interface.topics[0]]) for interface in _INTERFACES]
    lines = [*(_line(interface, found) for interface, found in of), _results(rows)]
    return Report("cinder", releases.current("cinder"), lines, next((line.error for line in lines if line.error), None))


def _line(interface: Interface, rows: Rows) -> Line:
    try:
        pin = pins.cinder(interface, rows)
    except errors.BusError as error:
        return Line(
            interface.name, None, interface.version, _rule(interface.topics[0]), newest_objects=OBJECT_VERSION,
            held_by=_unreadable(rows), error=str(error),
        )  # fmt: skip
    sent, objects = pin.rpc or interface.version, _lowest_objects(rows)
    behind = [row for row in rows if _older(row, interface.version)]
    raised = not versions.older(sent, interface.version) and objects == OBJECT_VERSION
    return Line(
        interface.name,
        sent,
        interface.version,
        _rule(interface.topics[0]),
        objects,
        OBJECT_VERSION,
        held_by=[] if raised else _services(behind),
        raising=None if raised else _raising(interface.name, interface.version),
    )


def _results(rows: Rows) -> Line:
    """What the servers answer has no RPC version of its own: the set of objects alone is limited."""
    rule = "lowest objects of all services"
    try:
        pins.everybody(rows)
    except errors.BusError as error:
        return Line(
            "results", None, "any", rule, newest_objects=OBJECT_VERSION, held_by=_unreadable(rows), error=str(error)
        )
    objects = _lowest_objects(rows)
    raised = objects == OBJECT_VERSION
    behind = [row for row in rows if versions.older(row[_OBJECTS], OBJECT_VERSION)]
    return Line(
        "results", "any", "any", rule, objects, OBJECT_VERSION,
        held_by=[] if raised else _services(behind),
        raising=None if raised else _raising("", ""),
    )  # fmt: skip


def _rule(binary: str) -> str:
    return f"lowest of {binary}"


def _older(row: dict[str, Any], newest: str) -> bool:
    return versions.older(row[_RPC], newest) or versions.older(row[_OBJECTS], OBJECT_VERSION)


def _lowest_objects(rows: Rows) -> str:
    return min((row[_OBJECTS] for row in rows), key=versions.parse, default=OBJECT_VERSION)


def _unreadable(rows: Rows) -> list[Service]:
    known = releases.CINDER_MANIFESTS
    return _services([row for row in rows if not row[_RPC] or row[_OBJECTS] not in known])


def _services(rows: Rows) -> list[Service]:
    found = []
    for row in sorted(rows, key=lambda row: (versions.parse(row[_RPC] or "0.0"), row["host"])):
        told = f"RPC {row[_RPC] or 'none'}, objects {row[_OBJECTS] or 'none'}"
        found.append(Service(row["host"], row["binary"], told, _release(row), row[_RPC]))
    return found


def _release(row: dict[str, Any]) -> str:
    """In words, as exactly as what is recorded allows."""
    interface = next((one for one in _INTERFACES if one.topics[0] == row["binary"]), None)
    if interface is None or not row[_RPC] or not row[_OBJECTS]:
        return "release not known"
    first = releases.CINDER[0]
    if versions.older(row[_RPC], first.rpc[interface.name]) or versions.older(row[_OBJECTS], first.objects):
        return f"older than {first.name}"
    if versions.older(interface.version, row[_RPC]) or versions.older(OBJECT_VERSION, row[_OBJECTS]):
        return f"newer than {releases.CINDER[-1].name}"
    return f"{first.name} or later"


def _raising(interface: str, version: str) -> str:
    wanted = releases.first_with("cinder", interface, version) if interface else releases.first_objects(OBJECT_VERSION)
    return (
        f"upgrade the services below to {wanted} or later and start them, or remove the ones that are gone "
        "(cinder-manage service remove), then send SIGHUP to the services that send"
    )
