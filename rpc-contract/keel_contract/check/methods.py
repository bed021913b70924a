"""RPC methods: what real clients send at every pin, what real endpoints answer, against our declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from keel_contract import goldens
from keel_contract.check import answers
from keel_contract.check.counts import Count
from keel_contract.check.sends import Sends
from keel_contract.cinder import interfaces as cinder
from keel_contract.interface import REQUIRED, Interface
from keel_contract.nova import interfaces as nova

INTERFACES: dict[str, dict[str, Interface]] = {
    "nova": {
        "base": nova.BASE,
        "compute": nova.COMPUTE,
        "compute_task": nova.COMPUTE_TASK,
        "conductor": nova.CONDUCTOR,
        "scheduler": nova.SCHEDULER,
    },
    "cinder": {"backup": cinder.BACKUP, "scheduler": cinder.SCHEDULER, "volume": cinder.VOLUME},
}


def count(suite: str) -> Count:
    """The recorded methods of a suite, those that are answered only and those that are sent only included."""
    recorded = goldens.load(suite, "methods")
    sends = Sends(suite, recorded)
    things: dict[str, list[str]] = {}
    more: list[str] = []
    for name, interface in INTERFACES[suite].items():
        rows = recorded["interfaces"][name]
        things |= _interface(sends, name, interface, rows)
        more += [f"{name}: {line}" for line in answers.target(interface, rows)]
        more += [
            f"{name}.{method}: declared, never recorded"
            for method in interface.methods
            if f"{name}.{method}" not in things
        ]
        more += [
            f"{name}.{method}: open to peers"
            for method in rows["answers"].get("inner", ())
            if method in interface.methods
        ]
    more += [f"{name}: not declared" for name in recorded["interfaces"].keys() - INTERFACES[suite].keys()]
    return Count.of(things).also(more)


def branches(suite: str) -> int:
    """How many different messages real clients of a suite send, over all pins."""
    recorded = goldens.load(suite, "methods")["interfaces"]
    return sum(
        "method" in branch
        for rows in recorded.values()
        for sent in rows["sends"].values()
        for branch in sent["branches"]
    )


def _interface(sends: Sends, name: str, interface: Interface, rows: Mapping[str, Any]) -> dict[str, list[str]]:
    sent = sends.methods(name)
    answered = rows["answers"]["methods"]
    older = rows.get("older", {}).get("methods", {})
    found = {}
    for method in sorted(sent.keys() | answered.keys() | older.keys()):
        if method not in interface.methods:
            found[f"{name}.{method}"] = ["not declared"]
            continue
        lines: list[str] = []
        if method in sent:
            lines += sends.differences(interface, method, sent[method])
            lines += _defaults(interface, method, rows["sends"])
        if interface.methods[method].sent != (method in sent):
            lines.append(f"sent: {method in sent}, here {interface.methods[method].sent}")
        if method in answered:
            lines += answers.differences(interface.methods[method], answered[method], older.get(method))
        else:
            lines.append("sent, and answered by nobody")
        found[f"{name}.{method}"] = lines
    return found


def _defaults(interface: Interface, method: str, recorded: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that a caller of a real client need not name."""
    declared = {arg.name: arg for arg in interface.methods[method].args}
    for sent in recorded.values():
        if method not in {branch.get("method") for branch in sent["branches"]}:
            continue
        for text in sent["params"]:
            name, given, _ = text.partition("=")
            if given and name in declared and declared[name].default is REQUIRED:
                yield f"{name} may be left out by a caller, here not"
