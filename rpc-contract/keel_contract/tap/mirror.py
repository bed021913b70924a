"""Copies of a live broker's messages, taken so that nobody notices.

The tap has one queue of its own: exclusive, gone with the connection, limited in messages and bytes (the oldest are
dropped when the tap is slow), and bound beside the queues that are there. Exchanges are declared passively: one that
does not exist is looked for again and never made. Nothing is published and nothing of others is consumed.
"""

from __future__ import annotations

import logging
import ssl
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import kombu
from kombu.exceptions import OperationalError

from keel_contract.tap.addresses import FANOUT, fanout_exchanges

LOG = logging.getLogger(__name__)

FIREHOSE = "amq.rabbitmq.trace"
_REPLIES = "publish."  # what the firehose calls a message to the default exchange, where replies go
_LOOK_AGAIN = 5.0  # seconds between two looks for exchanges that were not there, and at the length of the queue
_NOT_FOUND = 404
_PATIENCE = (1.0, 2.0, 5.0)  # seconds to wait for a broker that went away, the last one for ever


class NothingToSee(Exception):
    """The broker refuses the tap; the text says what it lacks."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the broker the tap may use.

    :ivar messages, size: the length of its queue, and the bytes in it
    :ivar prefetch: messages on their way to the tap at any time
    """

    messages: int = 5000
    size: int = 64 << 20
    prefetch: int = 100


@dataclass(frozen=True, slots=True)
class Copy:
    """One message as it stood on the broker."""

    exchange: str
    routing_key: str
    body: bytes


class Mirror:
    """Reads copies from the broker at ``url``.

    :param url: AMQP URLs, several of one cluster separated by ";"
    :param exchanges: topic exchanges to look for
    :param replies: read replies from the broker's firehose, which an operator has turned on
    :ivar queue: the name of its queue
    :ivar bound: exchanges that are watched by now
    :ivar overflows: looks at which the queue was full, so that messages may have been lost
    """

    def __init__(
        self,
        url: str,
        exchanges: tuple[str, ...],
        limits: Limits | None = None,
        replies: bool = False,
        tls: ssl.SSLContext | bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url, self._tls = url, tls
        self._exchanges = exchanges
        self._limits = limits or Limits()
        self._replies = replies
        self._clock = clock
        self._keys: set[str] = set()
        self._stopped = False
        self.queue = f"keel-tap-{uuid.uuid4().hex}"
        self.bound: set[str] = set()
        self.waiting = 0
        self.overflows = 0
        self.reconnects = 0

    def stop(self) -> None:
        """End ``copies`` at its next message or tick."""
        self._stopped = True

    def copies(self, tick: float = 0.25) -> Iterator[Copy | None]:
        """Messages as they come, and None every ``tick`` seconds without one. A lost broker is waited for.

        :raises NothingToSee: the user may not make a queue, or not read an exchange
        """
        attempt = 0
        while not self._stopped:
            try:
                with kombu.Connection(self._url, ssl=self._tls, heartbeat=30, connect_timeout=10) as connection:
                    for copy in self._watch(connection, tick):
                        attempt = 0
                        yield copy
            except (OperationalError, OSError, *_CONNECTION_ERRORS) as problem:
                if not self.reconnects and not self.bound:
                    raise NothingToSee(f"no broker: {problem}") from None
                self.reconnects += 1
                pause = _PATIENCE[min(attempt, len(_PATIENCE) - 1)]
                attempt += 1
                LOG.warning("the broker went away (%s); again in %d s", type(problem).__name__, pause)
                until = self._clock() + pause
                while self._clock() < until and not self._stopped:
                    time.sleep(min(tick, pause))
                    yield None

    def _watch(self, connection: kombu.Connection, tick: float) -> Iterator[Copy | None]:
        taken: list[Copy] = []
        channel = connection.channel()
        queue = self._queue(channel)
        self.bound = set()
        self._bind(connection, queue)
        channel.basic_qos(0, self._limits.prefetch, False)
        consumer = kombu.Consumer(channel, [queue], on_message=lambda message: self._take(message, taken))
        consumer.consume()
        looked = self._clock()
        while not self._stopped:
            try:
                connection.drain_events(timeout=tick)
            except TimeoutError:
                connection.heartbeat_check()
                yield None
            yield from taken
            taken.clear()
            if self._clock() - looked > _LOOK_AGAIN:
                looked = self._clock()
                self._bind(connection, queue)
                self._measure(queue)

    def _queue(self, channel: Any) -> kombu.Queue:
        queue = kombu.Queue(
            self.queue,
            channel=channel,
            exclusive=True,
            auto_delete=True,
            durable=False,
            max_length=self._limits.messages,
            max_length_bytes=self._limits.size,
        )
        try:
            queue.queue_declare()
        except _CHANNEL_ERRORS as problem:
            raise NothingToSee(f"no queue of its own: {problem}") from None
        return queue

    def _bind(self, connection: kombu.Connection, queue: kombu.Queue) -> None:
        """Bind what exists and is not bound yet."""
        wanted = [(name, "#") for name in self._exchanges]
        wanted += [(name, "") for name in sorted(fanout_exchanges(self._keys))]
        if self._replies:
            wanted.append((FIREHOSE, _REPLIES))
        for name, key in wanted:
            if name not in self.bound and self._exists(connection, name):
                try:
                    queue.channel.queue_bind(queue=queue.name, exchange=name, routing_key=key)
                except _CHANNEL_ERRORS as problem:
                    raise NothingToSee(f"exchange {name} may not be read: {problem}") from None
                self.bound.add(name)

    @staticmethod
    def _exists(connection: kombu.Connection, name: str) -> bool:
        """Whether the broker has the exchange. Asking for a missing one closes the channel, so each has its own."""
        kind = "fanout" if name.endswith(FANOUT) else "topic"
        channel = connection.channel()
        try:
            kombu.Exchange(name, type=kind, channel=channel, passive=True).declare()
        except _CHANNEL_ERRORS as problem:
            if getattr(problem, "code", None) == _NOT_FOUND:
                return False
            raise NothingToSee(f"exchange {name}: {problem}") from None
        channel.close()
        return True

    def _measure(self, queue: kombu.Queue) -> None:
        self.waiting = queue.queue_declare(passive=True).message_count
        if self.waiting >= self._limits.messages:
            self.overflows += 1

    def _take(self, message: Any, taken: list[Copy]) -> None:
        message.ack()
        info = message.delivery_info
        exchange, key = info.get("exchange") or "", info.get("routing_key") or ""
        if exchange == FIREHOSE:
            exchange, key = "", next(iter(message.headers.get("routing_keys") or [""]))
            if not key.startswith("reply_"):
                return
        self._keys.add(key)
        body = message.body
        taken.append(Copy(exchange, key, body.encode() if isinstance(body, str) else bytes(body)))


_CONNECTION_ERRORS = tuple(kombu.Connection("amqp://").connection_errors)
_CHANNEL_ERRORS = tuple(kombu.Connection("amqp://").channel_errors)
