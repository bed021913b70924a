"""What was seen, counted: who speaks which version of what to whom, and what that says about the pins."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from keel_contract.interface import Interface
from keel_contract.tap.addresses import Address, interface_of
from keel_contract.tap.judge import Violation
from keel_contract.tap.raising import Bounds, bounds_of
from keel_contract.tap.senders import Sender
from keel_contract.tap.text import word
from keel_contract.tap.wire import Message, Notification, Reply, objects_in

_WAITING = 10_000  # calls whose reply may still come


@dataclass(slots=True)
class Conversation:
    """All messages of one sender to one interface."""

    sender: Sender
    interface: Interface | None
    to: str
    count: int = 0
    versions: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    objects: dict[str, set[str]] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    violations: int = 0
    bounds: Bounds = field(default_factory=Bounds)
    last: datetime.datetime | None = None


class Tally:
    """Counts of one watch. ``add`` for every message; the rest may be read at any time."""

    def __init__(self) -> None:
        self.conversations: dict[tuple[str, str, str], Conversation] = {}
        self.violations: Counter[tuple[str, str, str]] = Counter()
        self.failures: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.notifications: Counter[str] = Counter()
        self.bytes = 0
        self._waiting: dict[str, str] = {}

    @property
    def messages(self) -> int:
        """Everything seen, whether it could be read or not."""
        return self.kinds.total()

    def add(self, message: Message, sender: Sender, violations: Sequence[Violation]) -> Conversation:
        """Count a request."""
        self.kinds[message.mode] += 1
        self.bytes += message.size
        interface = interface_of(message.to.topic, message.namespace)
        name = interface.name if interface else "?"
        place = message.to.topic or word(message.to.routing_key)
        found = self.conversations.setdefault(
            (str(sender), place, name),
            Conversation(sender, interface, place if name in ("?", place) else f"{place} ({name})"),
        )
        found.count += 1
        found.last = message.moment
        found.versions[word(message.version)] += 1
        found.methods[word(message.method)] += 1
        if message.to.server:
            found.hosts.add(message.to.server)
        if interface is not None:
            found.bounds.narrow(interface, message)
            for seen in objects_in(message.args, interface.suite):
                if isinstance(seen.name, str) and isinstance(seen.version, str):
                    found.objects.setdefault(word(seen.name), set()).add(word(seen.version))
        for violation in violations:
            found.violations += 1
            self.violations[str(sender), word(message.method), str(violation)] += 1
        self._expect(message)
        return found

    def add_reply(self, reply: Reply) -> str | None:
        """Count an answer; the method it answers where that is known."""
        self.kinds["reply" if reply.ending else "sign of life"] += 1
        self.bytes += reply.size
        ident = reply.message_id if isinstance(reply.message_id, str) else ""
        method = self._waiting.get(ident)
        if reply.ending:
            self._waiting.pop(ident, None)
        if reply.failure:
            self.failures[method or "?", reply.failure] += 1
        return method

    def add_notification(self, seen: Notification) -> None:
        """Count a notification."""
        self.kinds["notification"] += 1
        self.bytes += seen.size
        self.notifications[word(seen.event)] += 1

    def add_undecodable(self, to: Address, why: str, size: int) -> None:
        """Count what is no message."""
        self.kinds["undecodable"] += 1
        self.bytes += size
        self.violations[UNREADABLE, str(to), why] += 1

    def _expect(self, message: Message) -> None:
        if message.mode == "call" and isinstance(message.message_id, str):
            if len(self._waiting) >= _WAITING:
                self._waiting.pop(next(iter(self._waiting)))
            self._waiting[message.message_id] = word(message.method)

    def by_interface(self) -> dict[str, list[Conversation]]:
        """Conversations of each interface the contract has, by "suite name"."""
        found: dict[str, list[Conversation]] = {}
        for conversation in self.conversations.values():
            if conversation.interface is not None:
                key = f"{conversation.interface.suite} {conversation.interface.name}"
                found.setdefault(key, []).append(conversation)
        return dict(sorted(found.items()))

    def as_json(self) -> dict[str, Any]:
        """Everything counted, for programs."""
        return {
            "messages": self.messages,
            "bytes": self.bytes,
            "kinds": dict(self.kinds),
            "conversations": [_row(one) for one in self.conversations.values()],
            "violations": [
                {"from": sender, "method": method, "what": what, "count": count}
                for (sender, method, what), count in self.violations.most_common()
            ],
            "failures": [
                {"method": method, "class": name, "count": count}
                for (method, name), count in self.failures.most_common()
            ],
            "notifications": dict(self.notifications),
        }


UNREADABLE = "(no message)"


def _row(one: Conversation) -> dict[str, Any]:
    bounds = bounds_of([one.bounds])
    return {
        "from": str(one.sender),
        "to": one.to,
        "messages": one.count,
        "versions": dict(one.versions),
        "methods": dict(one.methods),
        "hosts": sorted(one.hosts),
        "objects": {name: sorted(found) for name, found in sorted(one.objects.items())},
        "violations": one.violations,
        "pin_at_least": bounds.low,
        "pin_below": bounds.high,
    }
