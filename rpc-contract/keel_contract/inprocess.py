"""A message transport within one process, for ``transport_url = fake:/``.

The queues are those of the broker: one per topic, one per topic and server, one per listener for fan-out. Every message
is JSON on its way and every exception travels as it does through the broker, so what works here works there.
oslo.messaging's own driver of this name looks for messages twenty times a second; this one hands them over at once.
"""

from __future__ import annotations

import collections
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import oslo_messaging
from oslo_messaging._drivers import base, common
from oslo_serialization import jsonutils

from keel_contract import errors

_Key = tuple[str, str | None]


class _Exchange:
    """Queues of messages that wait for a listener."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._queues: dict[_Key, collections.deque[_Incoming]] = collections.defaultdict(collections.deque)
        self._listeners: list[_Listener] = []

    def deliver(self, target: oslo_messaging.Target, message: _Incoming) -> None:
        with self.changed:
            if target.fanout:
                for listener in self._listeners:
                    if listener.topic == target.topic:
                        listener.own.append(message.copy())
            else:
                self._queues[target.topic, target.server].append(message)
            self.changed.notify_all()

    def join(self, listener: _Listener) -> None:
        with self.changed:
            self._listeners.append(listener)

    def leave(self, listener: _Listener) -> None:
        with self.changed:
            self._listeners.remove(listener)

    def take(self, listener: _Listener) -> _Incoming | None:
        """The next message for ``listener``; the caller holds ``changed``."""
        for waiting in (listener.own, *(self._queues[listener.topic, server] for server in (listener.server, None))):
            if waiting:
                return waiting.popleft()
        return None


_exchanges: dict[str, _Exchange] = collections.defaultdict(_Exchange)
_exchanges_lock = threading.Lock()


def _exchange(name: str) -> _Exchange:
    with _exchanges_lock:
        return _exchanges[name]


_Seen = list[tuple[oslo_messaging.Target, str, dict[str, Any]]]
_watchers: list[_Seen] = []


@contextmanager
def count_messages() -> Iterator[_Seen]:
    """Collects every message sent while the block runs: its target, "call" or "cast", and the message (for tests)."""
    seen: _Seen = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        # by identity: two empty lists are equal
        _watchers[:] = [other for other in _watchers if other is not seen]


class _Incoming(base.RpcIncomingMessage):
    """A message that was taken, and the way back to its sender."""

    def __init__(
        self, ctxt: str, message: str, replies: queue.SimpleQueue | None, client_timeout: float | None, again: Any
    ) -> None:
        super().__init__(jsonutils.loads(ctxt), jsonutils.loads(message))
        self.client_timeout = client_timeout
        self._parts = (ctxt, message, replies, client_timeout, again)
        self._replies = replies
        self._again = again

    def copy(self) -> _Incoming:
        return _Incoming(*self._parts)

    def reply(self, reply: Any = None, failure: Any = None) -> None:
        if self._replies is not None:
            told = common.serialize_remote_exception(failure) if failure else None
            self._replies.put((jsonutils.dumps(reply), told))

    def heartbeat(self) -> None:
        if self._replies is not None:
            self._replies.put(None)

    def requeue(self) -> None:
        self._again(self.copy())


class _Listener(base.PollStyleListener):
    """What one server of one topic receives."""

    def __init__(self, exchange: _Exchange, topic: str, server: str) -> None:
        super().__init__()
        self.topic, self.server = topic, server
        self.own: collections.deque[_Incoming] = collections.deque()
        self._exchange = exchange
        self._stopped = False
        exchange.join(self)

    @base.batch_poll_helper
    def poll(self, timeout: float | None = None) -> _Incoming | None:
        until = None if timeout is None else time.monotonic() + timeout
        with self._exchange.changed:
            while not self._stopped:
                message = self._exchange.take(self)
                if message is not None:
                    return message
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return None
                self._exchange.changed.wait(left)
        return None

    def stop(self) -> None:
        """Wake the poller. What still waits in the shared queues is for the next server, as at a broker."""
        with self._exchange.changed:
            self._stopped = True
            self._exchange.changed.notify_all()
        self._exchange.leave(self)


class InProcessDriver(base.BaseDriver):
    """oslo.messaging driver; nothing of it leaves the process."""

    def require_features(self, requeue: bool = False) -> None:
        """Requeueing works."""

    def send(
        self,
        target: oslo_messaging.Target,
        ctxt: dict[str, Any],
        message: dict[str, Any],
        wait_for_reply: bool | None = None,
        timeout: float | None = None,
        call_monitor_timeout: float | None = None,
        retry: int | None = None,
        transport_options: Any = None,
    ) -> Any:
        exchange = _exchange(target.exchange or self._default_exchange)
        replies: queue.SimpleQueue | None = queue.SimpleQueue() if wait_for_reply else None

        def again(incoming: _Incoming) -> None:
            exchange.deliver(target, incoming)

        for seen in _watchers:
            seen.append((target, "call" if wait_for_reply else "cast", message))
        again(_Incoming(jsonutils.dumps(ctxt), jsonutils.dumps(message), replies, call_monitor_timeout, again))
        return None if replies is None else self._await(replies, target, timeout, call_monitor_timeout)

    def _await(
        self, replies: queue.SimpleQueue, target: oslo_messaging.Target, timeout: float | None, monitor: float | None
    ) -> Any:
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            limits = [] if until is None else [until - time.monotonic()]
            if monitor is not None:
                limits.append(monitor)
            try:
                answer = replies.get(timeout=max(0.0, min(limits)) if limits else None)
            except queue.Empty:
                raise oslo_messaging.MessagingTimeout(f"no reply on topic {target.topic}") from None
            if answer is None:  # a sign of life
                continue
            result, failure = answer
            if failure is not None:
                raise common.deserialize_remote_exception(failure, self._allowed_remote_exmods)
            return jsonutils.loads(result)

    def listen(self, target: oslo_messaging.Target, batch_size: int, batch_timeout: float) -> base.Listener:
        exchange = _exchange(target.exchange or self._default_exchange)
        listener = _Listener(exchange, target.topic, target.server)
        return base.PollStyleListenerAdapter(listener, batch_size, batch_timeout)

    def send_notification(self, *args: Any, **kwargs: Any) -> None:
        raise errors.NotSent("the in-process transport carries calls and casts only")

    def listen_for_notifications(self, *args: Any, **kwargs: Any) -> base.Listener:
        raise errors.NotReady("the in-process transport carries calls and casts only")

    def cleanup(self) -> None:
        """Nothing to release: the queues belong to the process, not to one bus."""
