"""The answering side of the bus: endpoints, what may be called, and a server that ends without dropping work."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import oslo_messaging
from oslo_messaging.rpc import dispatcher

from keel_contract import errors
from keel_contract.context import Context
from keel_contract.interface import Interface, Method, incoming
from keel_contract.serializer import Serializer

LOG = logging.getLogger(__name__)

_BROKER_PORT = 5672
_PROBE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The methods of ``interface``, answered by the same named methods of ``target`` as ``method(context, **args)``."""

    interface: Interface
    target: Any


class DeclaredOnly(dispatcher.RPCAccessPolicyBase):
    """Access policy: a method must be declared; a name with a leading underscore never is."""

    def is_allowed(self, endpoint: Any, method: str) -> bool:
        return not method.startswith("_") and isinstance(endpoint, _Answering) and method in endpoint.interface.methods


class _Answering:
    """An Endpoint in the shape oslo.messaging dispatches to: its attributes are the declared methods of one major."""

    def __init__(self, endpoint: Endpoint, version: str, suite: str) -> None:
        self.interface = endpoint.interface
        self.target = oslo_messaging.Target(namespace=endpoint.interface.namespace, version=version)
        self._suite = suite
        self._handlers = endpoint.target

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = None if name.startswith("_") else self.__dict__["interface"].methods.get(name)
        if method is None:
            raise AttributeError(name)
        return lambda context, **args: self._answer(method, context, args)

    def _answer(self, method: Method, context: Context, args: dict[str, Any]) -> Any:
        handler = getattr(self._handlers, method.name, None)
        try:
            if handler is None:
                raise errors.UndeclaredMethod(f"{self.interface.name}.{method.name} is not answered here")
            return handler(context, **incoming(method, args))
        except errors.ExpectedFault as fault:
            try:
                raise errors.wire_exception(self._suite, fault) from fault
            except errors.PeerException:
                # ExpectedException takes the exception being handled: it is logged as an answer, not as an error.
                raise dispatcher.ExpectedException from None
        except Exception as fault:
            raise errors.wire_exception(self._suite, fault) from fault


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
        answering = [
            _Answering(endpoint, version, suite)
            for endpoint in endpoints
            for version in (endpoint.interface.version, *endpoint.interface.older)
        ]
        self._server = oslo_messaging.get_rpc_server(
            transport, target, answering, serializer=serializer, access_policy=DeclaredOnly
        )
        self._listening = False

    def start(self) -> None:
        """Listen. Each message is handled in a thread of ``executor_thread_pool_size``."""
        self._server.start()
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
