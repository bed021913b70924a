"""The pins of Nova's clients, from [upgrade_levels] and the services of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keel_common.db import Cells
from keel_common.db.errors import Unreachable
from keel_common.db.stores.nova import services
from keel_common.status.line import Line, Report, Service
from keel_contract import errors, pins, releases, versions
from keel_contract.interface import Interface
from keel_contract.nova import interfaces as nova

#: Interfaces and the binary that answers each. Every service answers base.
_INTERFACES = (
    (nova.COMPUTE, "nova-compute"),
    (nova.CONDUCTOR, "nova-conductor"),
    (nova.COMPUTE_TASK, "nova-conductor"),
    (nova.SCHEDULER, "nova-scheduler"),
    (nova.BASE, None),
)
Rows = Sequence[dict[str, Any]]


def report(conf: Any, cells: Cells) -> Report:
    """A line for each topic."""
    rows, problems = read(conf, cells)
    peers = [(interface, _peers(interface, binary, rows)) for interface, binary in _INTERFACES]
    lines = [_line(conf, interface, found) for interface, found in peers]
    return Report("nova", releases.current("nova"), lines, pins.refusal_of_old_computes(_oldest(peers[0][1])), problems)


def _oldest(peers: Sequence[Service]) -> pins.Lowest:
    return pins.Lowest(int(peers[0].version), peers[0].host) if peers else pins.Lowest(0)


def read(conf: Any, cells: Cells) -> tuple[Rows, list[str]]:
    """The services of every cell (of the own one without an API database), with the name of their ``cell``; and the
    cells that do not answer."""
    if not conf.api_database.connection:
        return cells.local.read(services.versions), []
    rows: list[dict[str, Any]] = []
    problems = []
    for cell in cells.all():
        name = cell.name or cell.uuid
        try:
            rows += [{**row, "cell": name} for row in cell.db.read_once(services.versions)]
        except Unreachable as away:
            problems.append(f"cell {name} is not counted: {away}")
    return rows, problems


def speaks(interface: Interface, version: int) -> str | None:
    """What a service of a service version understands of an interface; None for one no release is recorded of."""
    if interface is nova.COMPUTE:
        return pins.compute_version(version)
    fitting = [release for release in releases.NOVA if release.service_version <= version]
    return fitting[-1].rpc.get("baseapi" if interface is nova.BASE else interface.name) if fitting else None


def _line(conf: Any, interface: Interface, peers: list[Service]) -> Line:
    option, level = pins.setting(conf, interface)
    set_by = f"{option} = {level}" if level else (f"{option} is not set" if option else "cannot be pinned")
    try:
        pin = pins.nova(conf, interface, lambda: _oldest(peers))
    except errors.BusError as error:
        return Line(interface.name, None, interface.version, set_by, error=str(error))
    sent = pin.rpc or interface.version
    behind = [peer for peer in peers if peer.speaks and versions.older(peer.speaks, interface.version)]
    raised = not versions.older(sent, interface.version)
    return Line(
        interface.name,
        sent,
        interface.version,
        set_by,
        held_by=[] if raised else behind,
        raising=None if raised else _raising(interface, option, level, behind),
        danger=_danger(interface, option, sent, peers),
    )


def _peers(interface: Interface, binary: str | None, rows: Rows) -> list[Service]:
    """Those who answer an interface and count for its pin, the oldest first."""
    found = []
    for row in rows:
        version = row["version"] or 0
        if binary in (None, row["binary"]) and version and not row["forced_down"]:
            release = releases.name_of_service_version(version)
            told = str(version), release, speaks(interface, version), row.get("cell")
            found.append(Service(row["host"], row["binary"], *told))
    return sorted(found, key=lambda one: (int(one.version), one.host))


def _raising(interface: Interface, option: str, level: str | None, behind: Sequence[Service]) -> str:
    steps = []
    if behind:
        wanted = releases.first_with("nova", interface.name, interface.version)
        steps.append(f"upgrade the services below to {wanted} or later, or delete the ones that are gone")
    if level != "auto":
        auto = " or auto" if interface is nova.COMPUTE else ""
        steps.append(f"set {option} to {interface.version}{auto}, or leave it out")
    return ", then ".join([*steps, "send SIGHUP to the services that send"])


def _danger(interface: Interface, option: str, sent: str, peers: Sequence[Service]) -> str | None:
    """Peers of another major, or of an older minor than what is sent."""
    deaf = [peer for peer in peers if peer.speaks and not versions.understands(peer.speaks, sent)]
    if not deaf:
        return None
    worst = deaf[0]
    if interface is nova.COMPUTE:
        remedy = f"set {option} = auto"
    else:
        remedy = (
            f"upgrade it before the services that send, or set {option} to {worst.speaks}" if option else "upgrade it"
        )
    more = f" and {len(deaf) - 1} more" if len(deaf) > 1 else ""
    return f"{worst}{more} understands {worst.speaks}, and {sent} is sent: {remedy}"
