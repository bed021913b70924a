"""A peer below the level of oslo.messaging: it puts any bytes on a broker and reads the replies."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import kombu

from fakes import hostile


class RawPeer:
    """One connection with a reply queue of its own.

    :param url: an AMQP URL (``amqp://user:password@host:port/vhost``)
    """

    def __init__(self, url: str) -> None:
        self._connection = kombu.Connection(url)
        self._channel = self._connection.channel()
        self.reply_queue = f"reply_{uuid.uuid4().hex}"
        queue = kombu.Queue(self.reply_queue, channel=self._channel, exclusive=True, auto_delete=True, durable=False)
        queue.declare()
        self._replies: list[dict[str, Any]] = []
        self._consumer = kombu.Consumer(self._channel, [queue], on_message=self._got, no_ack=True)
        self._consumer.consume()

    def close(self) -> None:
        self._connection.close()

    def publish(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        content_type: str = "application/json",
        content_encoding: str = "utf-8",
    ) -> None:
        """Put ``body`` on an exchange as it is."""
        made = self._channel.prepare_message(
            body, 0, content_type, content_encoding, {}, {"delivery_mode": 2, "expiration": "60000"}
        )
        self._channel.basic_publish(made, exchange=exchange, routing_key=routing_key)

    def addressed(self, message: dict[str, Any], call: bool = True) -> tuple[dict[str, Any], str]:
        """``message`` with what a call carries, and its id."""
        own = {"_unique_id": uuid.uuid4().hex, "_msg_id": uuid.uuid4().hex, "_reply_q": self.reply_queue}
        if not call:
            own = {"_unique_id": own["_unique_id"]}
        whole = {**own, **message}
        ident = whole.get("_msg_id")
        return whole, ident if isinstance(ident, str) else json.dumps(ident)

    def wait(self, ident: str, seconds: float) -> dict[str, Any] | None:
        """The reply to ``ident``, None when none comes in time."""
        until = time.monotonic() + seconds
        while True:
            for reply in self._replies:
                if _ident(reply) == ident:
                    self._replies.remove(reply)
                    return reply
            left = until - time.monotonic()
            if left <= 0:
                return None
            try:
                self._connection.drain_events(timeout=left)
            except TimeoutError:
                continue

    def call(self, basis: hostile.Basis, server: str | None, message: dict[str, Any], seconds: float) -> Any:
        """Send a message in a good envelope to ``server`` (None: any) and wait for its reply."""
        whole, ident = self.addressed(message)
        key = f"{basis.topic}.{server}" if server else basis.topic
        self.publish(basis.exchange, key, hostile.wrap(whole))
        return self.wait(ident, seconds)

    def depth(self, queue: str) -> int:
        """Messages that wait in a queue."""
        return self._channel.queue_declare(queue, passive=True).message_count

    def _got(self, message: Any) -> None:
        body = json.loads(json.loads(message.body)["oslo.message"])
        if body.get("ending", True):
            self._replies.append(body)


def _ident(reply: dict[str, Any]) -> str:
    ident = reply.get("_msg_id")
    return ident if isinstance(ident, str) else json.dumps(ident)


def outcome(reply: dict[str, Any] | None) -> str:
    """A reply in one word: "silence", "result", or the class of the exception with its module."""
    if reply is None:
        return "silence"
    if reply.get("failure"):
        failure = json.loads(reply["failure"])
        return f"{failure['module']}.{failure['class']}"
    return "result"
