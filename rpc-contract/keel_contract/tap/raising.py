"""What the versions of messages say about the pins, and when each can be raised.

A sender takes the newest way to send a method that its pin allows. So a message tells two bounds of the pin: it allows
what was sent, and where there is a newer way, it does not allow that. Nova pins each interface for itself; for the
compute interface the bus also tells what the computes understand, since each saves its services row with its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_contract import releases, versions
from keel_contract.interface import Interface, Method
from keel_contract.pins.levels import compute_version
from keel_contract.tap.senders import Report
from keel_contract.tap.wire import Message

_SETTING = {
    "compute": "[upgrade_levels]compute",
    "conductor": "[upgrade_levels]conductor",
    "scheduler": "[upgrade_levels]scheduler",
    "base": "[upgrade_levels]baseapi",
}


@dataclass(slots=True)
class Bounds:
    """Where the pin of a sender must be: at least ``low`` and below ``high``; None is not known.

    :ivar proof: the method that showed ``high``
    """

    low: str | None = None
    high: str | None = None
    proof: str = ""

    def narrow(self, interface: Interface, message: Message) -> None:
        """Take in one more message; one that is not as declared tells nothing."""
        declared = interface.methods.get(message.method) if isinstance(message.method, str) else None
        if declared is None or not isinstance(message.version, str):
            return
        fitting = [number for number, level in enumerate(declared.levels) if _sent_so(interface, level, message)]
        if not fitting:
            return
        self._at_least(declared.levels[fitting[-1]].needs)
        if fitting[0] > 0:
            self._below(declared.levels[fitting[0] - 1].needs, declared)

    def _at_least(self, needs: str) -> None:
        if self.low is None or versions.older(self.low, needs):
            self.low = needs

    def _below(self, needs: str, method: Method) -> None:
        if self.high is None or versions.older(needs, self.high):
            self.high, self.proof = needs, method.name


def _sent_so(interface: Interface, level: Any, message: Message) -> bool:
    if level.version != message.version:
        return False
    return len(interface.topics) == 1 or (level.topic or interface.topics[0]) == message.to.topic


def bounds_of(all_bounds: Iterable[Bounds]) -> Bounds:
    """The narrowest bounds of several watches of one sender, or the ones that hold for all senders together."""
    found = Bounds()
    for bounds in all_bounds:
        if bounds.low is not None and (found.low is None or versions.older(found.low, bounds.low)):
            found.low = bounds.low
        if bounds.high is not None and (found.high is None or versions.older(bounds.high, found.high)):
            found.high, found.proof = bounds.high, bounds.proof
    return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of the pin of one interface.

    :ivar spoken: the bounds of each sender, as text
    :ivar state: "newest", "raise" (it can be raised now), "held" (a peer is too old), "unknown"
    :ivar text: one sentence for an operator
    """

    interface: str
    newest: str
    spoken: Mapping[str, str]
    state: str
    text: str


def verdict(interface: Interface, spoken: Mapping[str, Bounds], reports: Iterable[Report]) -> Verdict:
    """The verdict on ``interface`` from its senders' bounds and, for computes, their reported versions."""
    told = {sender: _told(bounds) for sender, bounds in spoken.items()}
    low = {sender: bounds for sender, bounds in spoken.items() if bounds.high is not None}
    name = f"{interface.suite} {interface.name}"
    if interface.suite == "nova" and interface.name == "compute":
        state, text = _compute(interface, low, [report for report in reports if report.binary == "nova-compute"])
    elif not low:
        state, text = "newest", "no sender holds back"
    else:
        state, text = "unknown", f"{_senders(low)}; {_where_it_stands(interface)}"
    return Verdict(name, interface.version, told, state, text)


def _compute(interface: Interface, low: Mapping[str, Bounds], reports: list[Report]) -> tuple[str, str]:
    if not reports:
        if low:
            return "unknown", f"{_senders(low)}; no nova-compute has told its version yet (each does within a minute)"
        return "newest", "no sender holds back"
    oldest = min(reports, key=lambda report: report.version)
    allowed = compute_version(oldest.version)
    who = f"{oldest.host} with service version {oldest.version}{_release(oldest.version)}"
    if versions.older(allowed, interface.version):
        return "held", f"{who} speaks {allowed}: upgrade it for {interface.version}"
    everyone = f"every one of {len(reports)} computes seen speaks {allowed}"
    if low:
        return "raise", f"{everyone}, yet {_senders(low)}: raise or reload {_SETTING['compute']}"
    return "newest", everyone


def _senders(low: Mapping[str, Bounds]) -> str:
    return "; ".join(f"{sender} sends {bounds.proof} as below {bounds.high}" for sender, bounds in low.items())


def _where_it_stands(interface: Interface) -> str:
    if interface.suite == "cinder":
        return "the oldest rpc_current_version in cinder's services table holds it"
    if interface.name in _SETTING:
        return f"{_SETTING[interface.name]} holds it"
    return "it cannot be pinned, so these senders are older"


def _told(bounds: Bounds) -> str:
    if bounds.low is None:
        return "not known"
    return f"{bounds.low} or newer" if bounds.high is None else f"{bounds.low} or newer, below {bounds.high}"


def _release(service_version: int) -> str:
    names = [name for first, name in releases.SERVICE_VERSIONS if first <= service_version]
    return f" ({names[-1]})" if names else ""
