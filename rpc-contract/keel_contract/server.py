"""The answering side of the bus: a server of one topic that ends without dropping work."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence

import oslo_messaging
from oslo_messaging.rpc.server import RPCServer

from keel_contract import errors
from keel_contract.dispatch import Dispatcher, Endpoint
from keel_contract.letting_go import let_go_in_time
from keel_contract.serializer import Serializer
from keel_contract.unreadable import throw_away_what_cannot_be_taken

LOG = logging.getLogger(__name__)

_BROKER_PORT = 5672
_PROBE_SECONDS = 2.0


class Part:
    """A server of one topic, as a part of a process: ``name``, ``start``, ``stop``, ``checks``."""

    def __init__(
        self,
        transport: oslo_messaging.Transport,
        url: oslo_messaging.TransportURL,
        target: oslo_messaging.Target,
        endpoints: Sequence[Endpoint],
        suite: str,
        serializer: Serializer,
    ) -> None:
        self.name = f"bus {target.topic}"
        self._brokers = [(host.hostname, host.port or _BROKER_PORT) for host in url.hosts if host.hostname]
        self._server = RPCServer(transport, target, Dispatcher(suite, endpoints, serializer))
        self._listening = False

    def start(self) -> None:
        """Listen. Each message is handled in a thread of ``executor_thread_pool_size``."""
        self._server.start()
        let_go_in_time(self._server)
        throw_away_what_cannot_be_taken(self._server)
        self._listening = True

    def stop(self, deadline: float) -> None:
        """Take no more messages and finish those taken, until ``deadline`` (a ``time.monotonic()`` value).

        What is not finished by then is logged; its threads end with the process.
        """
        if not self._listening:
            return
        self._listening = False
        ending = threading.Thread(target=self._end, name=f"{self.name} ending", daemon=True)
        ending.start()
        ending.join(max(0.0, deadline - time.monotonic()))
        if ending.is_alive():
            LOG.warning("%s: messages were still being handled at the deadline", self.name)

    def _end(self) -> None:
        self._server.stop()
        self._server.wait()

    def checks(self) -> dict[str, Callable[[], None]]:
        """Readiness: the server listens and its broker takes connections."""
        return {self.name: self._check}

    def _check(self) -> None:
        if not self._listening:
            raise errors.NotReady(f"{self.name} is not listening")
        if not self._brokers:
            return
        problems = []
        for address in self._brokers:
            try:
                socket.create_connection(address, _PROBE_SECONDS).close()
                return
            except OSError as problem:
                problems.append(f"{address[0]}:{address[1]}: {problem}")
        raise errors.NotReady(f"{self.name}: no broker reachable ({'; '.join(problems)})")
