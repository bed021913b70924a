"""Exchanges, topics and routing keys: where a message went, and which interface that is.

Exchanges, queues and keys are those of nova 34.0.0 and cinder 29.0.0: one topic exchange for each suite with the keys
``topic`` and ``topic.server``, and a fan-out exchange ``topic_fanout`` for each topic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from keel_contract.cinder import interfaces as cinder
from keel_contract.interface import Interface
from keel_contract.nova import interfaces as nova
from keel_contract.nova.interface_compute import COMPUTE
from keel_contract.tap.text import printable

FANOUT = "_fanout"
INTERFACES: tuple[Interface, ...] = (
    COMPUTE,
    nova.BASE,
    nova.COMPUTE_TASK,
    nova.CONDUCTOR,
    nova.SCHEDULER,
    cinder.BACKUP,
    cinder.SCHEDULER,
    cinder.VOLUME,
)
TOPICS = tuple(dict.fromkeys(topic for interface in INTERFACES for topic in interface.topics))
# Each backend of a volume service has a topic with its name in it, on which the host is the server.
_BACKEND = re.compile(r"(?P<backend>(?P<host>[^@]+)@[^@.]+)(\.(?P=host))?")
_NOTIFICATIONS = re.compile(r"(?P<topic>.*notifications)\.(audit|debug|info|warn|error|critical|sample)")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a message was sent.

    :ivar topic: the plain topic, without a backend's name; None for a key that is none of the contract's
    :ivar server: host, or host@backend; None: any server, or every one when ``fanout``
    """

    exchange: str
    routing_key: str
    topic: str | None
    server: str | None
    fanout: bool = False

    @property
    def suite(self) -> str | None:
        """The suite the topic belongs to."""
        return next((interface.suite for interface in INTERFACES if self.topic in interface.topics), None)

    @property
    def is_notification(self) -> bool:
        """Whether it went to a notification queue (both suites use the exchange of their messages)."""
        return _NOTIFICATIONS.fullmatch(self.routing_key) is not None

    def __str__(self) -> str:
        where = self.topic or printable(self.routing_key)
        return f"{where} *" if self.fanout else f"{where} {self.server}" if self.server else where


def address(exchange: str, routing_key: str) -> Address:
    """The parts of an exchange and a routing key."""
    fanout = exchange.endswith(FANOUT)
    key = exchange.removesuffix(FANOUT) if fanout else routing_key
    topic = next((topic for topic in TOPICS if key == topic or key.startswith(f"{topic}.")), None)
    server = key[len(topic) + 1 :] or None if topic else None
    backend = _BACKEND.fullmatch(server) if server and topic == cinder.VOLUME.topics[0] else None
    shown = printable(backend["backend"] if backend else server) if server else None
    return Address(exchange, routing_key, topic, shown, fanout)


def fanout_exchanges(keys: set[str]) -> set[str]:
    """Fan-out exchanges that may exist, given the routing keys seen: those of the topics and of the volume backends."""
    found = {f"{topic}{FANOUT}" for topic in TOPICS}
    for key in keys:
        seen = address("", key)
        if seen.topic == cinder.VOLUME.topics[0] and seen.server and "@" in seen.server:
            found.add(f"{seen.topic}.{seen.server}{FANOUT}")
    return found


def interface_of(topic: str | None, namespace: str | None) -> Interface | None:
    """The interface that answers on ``topic`` in ``namespace``; None when the contract has none."""
    return next(
        (known for known in INTERFACES if topic in known.topics and known.namespace == namespace),
        None,
    )
