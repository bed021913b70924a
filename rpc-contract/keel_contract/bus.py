"""The bus: clients that send declared methods, servers that answer declared methods and nothing else.

oslo.messaging carries the messages, so exchange, queues and envelope are those of the real services. With the transport
``fake:/`` everything stays in the process.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import oslo_messaging
from oslo_messaging._metrics import client as metrics
from oslo_messaging._tracing import client as tracing
from oslo_messaging.rpc import dispatcher
from oslo_messaging.transport import RPCTransport

from keel_contract import errors, pins, releases, versions
from keel_contract.context import Context
from keel_contract.inprocess import InProcessDriver
from keel_contract.interface import Interface, Level, Method, outgoing
from keel_contract.nova.interfaces import CONDUCTOR
from keel_contract.objects import VersionedObject
from keel_contract.pins import Kept, Pin
from keel_contract.serializer import ContextSerializer, Manifest, Serializer
from keel_contract.server import Endpoint, Part
from keel_contract.suites import SUITES
from keel_contract.unreadable import log_in_one_line

LOG = logging.getLogger(__name__)

LONG_RPC_TIMEOUT = 1800  # seconds; default of [DEFAULT]long_rpc_timeout
_MONITOR_ABOVE = 60  # seconds; a longer reply time-out makes compute calls monitored (nova 34.0.0 rpc_client router)
_UNSUPPORTED = "UnsupportedVersion"  # how a peer answers a version above its own
_REMOTE = "_Remote"  # oslo.messaging marks the exceptions it rebuilt with this ending
_TRACE = "\nTraceback (most recent call last):"

__all__ = ["Bus", "Client", "Endpoint", "Part", "Pin"]


class Bus:
    """A connection to the message bus of one suite.

    :param conf: oslo.config with the options of the suite; missing ones are registered with oslo.messaging's defaults
    :param suite: "nova" or "cinder"
    :param url: transport URL; None is ``[DEFAULT]transport_url``
    """

    def __init__(self, conf: Any, suite: str, url: str | None = None) -> None:
        self.conf = conf
        self.suite = SUITES[suite]
        # oslo.messaging reads these on every message but registers them on its global configuration alone.
        conf.register_opts(tracing.oslo_messaging_tracing, group="oslo_messaging_tracing")
        conf.register_opts(metrics.oslo_messaging_metrics, group="oslo_messaging_metrics")
        self._url = oslo_messaging.TransportURL.parse(conf, url)
        conf.set_default("control_exchange", self.suite.exchange)
        self.transport = _transport(conf, self._url)
        self.exchange: str = conf.control_exchange

    def client(self, interface: Interface, pin: Kept | Pin | str | None = None) -> Client:
        """A client of ``interface``; ``pin`` is a Kept pin (``pins.NovaPins.of``, ``pins.CinderPins.of``), which the
        client asks whenever it sends, a Pin, a version such as "6.4", or None for the newest."""
        if isinstance(pin, Kept):
            return Client(self, interface, pin)
        fixed = pin if isinstance(pin, Pin) else Pin(pin, why=f"fixed at {pin}") if pin else Pin()
        return Client(self, interface, Kept(interface.name, lambda: fixed))

    def server(self, topic: str, host: str, endpoints: Sequence[Endpoint], objects: Kept | None = None) -> Part:
        """A Part that answers ``endpoints`` on ``topic`` as server ``host``.

        :param objects: what peers read of the results, where they may be older (``pins.CinderPins.everybody``)
        """
        # A conductor asked itself for what it cannot read would ask without end.
        asks = all(endpoint.interface is not CONDUCTOR for endpoint in endpoints)
        target = oslo_messaging.Target(exchange=self.exchange, topic=topic, server=host)
        manifest = None if objects is None else lambda: objects().objects
        return Part(self.transport, self._url, target, endpoints, self.suite.name, self.serializer(manifest, asks=asks))

    def serializer(self, manifest: Manifest = None, with_objects: bool = True, asks: bool = True) -> Serializer:
        """The serializer of the suite. Nova asks a conductor when an object is too new; Cinder has nobody to ask."""
        backport = self._backport if asks and self.suite.name == "nova" else None
        return Serializer(self.suite.name, self.suite.registry if with_objects else None, manifest, backport)

    def close(self) -> None:
        """Release the connections. Clients and servers of this bus are dead afterwards."""
        self.transport.cleanup()

    def _backport(self, context: Context, primitive: Mapping[str, Any], manifest: Mapping[str, str]) -> Any:
        pin = pins.nova(self.conf, CONDUCTOR)
        return self.client(CONDUCTOR, pin).send(
            context, "object_backport_versions", objinst=primitive, object_versions=dict(manifest)
        )


def _transport(conf: Any, url: oslo_messaging.TransportURL) -> RPCTransport:
    if url.transport == "fake":
        return RPCTransport(InProcessDriver(conf, url, conf.control_exchange, []))
    log_in_one_line()
    return oslo_messaging.get_rpc_transport(conf, url)


class Client:
    """Sends the methods of one interface."""

    def __init__(self, bus: Bus, interface: Interface, kept: Kept) -> None:
        self._bus = bus
        self.interface = interface
        self._kept = kept
        self._rpc = oslo_messaging.get_rpc_client(
            bus.transport,
            oslo_messaging.Target(exchange=bus.exchange, topic=interface.topics[0], namespace=interface.namespace),
            serializer=ContextSerializer(bus.suite.name),
        )

    @property
    def pin(self) -> Pin:
        """The limits of what is sent now. Raises PeerTooOld, PeerTooNew, UnknownLevel when they cannot be told."""
        return self._kept()

    def can_send(self, version: str) -> bool:
        """Whether the pin lets peers receive ``version`` (same major, at most its minor)."""
        return versions.understands(self.pin.rpc or self.interface.version, version)

    def send(
        self,
        context: Context,
        method: str,
        /,
        *,
        server: str | None = None,
        topic: str | None = None,
        how: str | None = None,
        timeout: float | None = None,
        **args: Any,
    ) -> Any:
        """Send ``method`` with its arguments by wire name. A call returns the result, a cast None.

        :param server: destination host; None: the host of the declared argument, else any server of the topic
        :param topic: another topic than the interface's, for interfaces that every service answers
        :param how: "call" or "cast" where the method allows both
        :param timeout: seconds to wait for the reply; None: as declared
        :raises UndeclaredMethod, BadArguments: the interface does not have it
        :raises PeerTooOld: the pin allows no version that carries what was asked, and is no other when looked at again
        :raises PeerTooNew, UnknownLevel: the pin cannot be found out
        :raises RpcTimeout: no reply in time
        :raises RemoteFault: the peer raised
        :raises Unreadable: the answer holds what is no object
        :raises NotSent: the broker did not take the message
        """
        pin = self.pin
        declared = self.interface.method(method)
        once = partial(self._send, context, declared, args, server, topic, how, timeout)
        try:
            return once(pin)
        except errors.PeerTooOld as refused:
            if not self._kept.look_again(pin):
                raise self._told(refused, pin, server or _destination(declared, args)) from None
        except errors.RemoteFault as fault:
            # Whoever does not know the version of this method has not begun with the message.
            unknown = fault.class_name == _UNSUPPORTED and method in fault.message
            if not unknown or not self._kept.look_again(pin):
                raise
        pin = self.pin
        try:
            return once(pin)
        except errors.PeerTooOld as refused:
            raise self._told(refused, pin, server or _destination(declared, args)) from None

    def _send(
        self,
        context: Context,
        declared: Method,
        args: Mapping[str, Any],
        server: str | None,
        topic: str | None,
        how: str | None,
        timeout: float | None,
        pin: Pin,
    ) -> Any:
        level = self.interface.level(declared, pin.rpc)
        mode = self._mode(declared, level, how)
        # Values are converted here and not by oslo.messaging, so that what it raises comes from the peer or the broker.
        values = self._bus.serializer(pin.objects, self.interface.objects)
        wire = {key: values.serialize_entity(context, value) for key, value in outgoing(declared, level, args).items()}
        prepared = self._rpc.prepare(
            **self._target(declared, level, server or _destination(declared, args), topic, pin.rpc),
            version=level.version,
            fanout=declared.fanout or None,
            **(self._patience(declared, timeout) if mode == "call" else {}),
        )
        send = prepared.cast if mode == "cast" else prepared.call
        try:
            result = send(context, level.method or declared.name, **wire)
        except oslo_messaging.MessagingTimeout as late:
            raise errors.RpcTimeout(f"{self.interface.name}.{declared.name}: {late}") from None
        except Exception as fault:
            raise _bus_error(fault) from None
        return values.deserialize_entity(context, result)

    def _told(self, refused: errors.PeerTooOld, pin: Pin, host: str | None) -> errors.PeerTooOld:
        """A refusal with the host it was for, where one is known, and what an operator can do about it."""
        if refused.needs is None:
            return refused
        release = releases.first_with(self._bus.suite.name, self.interface.name, refused.needs)
        where = f"Not sent to {host}: " if host else ""
        return errors.PeerTooOld(
            f"{where}{refused}. The pin: {pin.rpc or self.interface.version} ({pin.why}). "
            f"{self.interface.name} {refused.needs} comes with {release}",
            refused.needs,
        )

    def _mode(self, method: Method, level: Level, how: str | None) -> str:
        if how is not None and how not in method.modes:
            raise errors.BadArguments(f"{method.name} is no {how}")
        return how or level.mode or method.modes[0]

    def _target(
        self, method: Method, level: Level, server: str | None, topic: str | None, pin: str | None
    ) -> dict[str, Any]:
        topic = topic or level.topic or self.interface.topics[0]
        if self.interface.address is not None:
            topic, server = self.interface.address(topic, server, pin)
        elif method.fanout:
            server = None
        return {"topic": topic, "server": server}

    def _patience(self, method: Method, timeout: float | None) -> dict[str, Any]:
        """Time-outs of a call: a long one lives as long as the peer sends signs of life every rpc_response_timeout."""
        conf = self._bus.conf
        monitor = None
        if method.long:
            monitor = conf.rpc_response_timeout
            timeout = timeout or getattr(conf, "long_rpc_timeout", LONG_RPC_TIMEOUT)
        elif self.interface.monitored and conf.rpc_response_timeout > _MONITOR_ABOVE:
            monitor = _MONITOR_ABOVE
        return {"timeout": timeout or conf.rpc_response_timeout, "call_monitor_timeout": monitor}


def _destination(method: Method, args: Mapping[str, Any]) -> str | None:
    """The host at the end of the declared path, such as ``instance.host`` or ``instances.0.host``.

    A path that ends at a Cinder resource means its cluster where it has one, else its host.
    """
    if method.to is None:
        return None
    first, *steps = method.to.split(".")
    value = args.get(first)
    for step in steps:
        if value is None:
            return None
        value = value[int(step)] if step.isdigit() else getattr(value, step)
    if isinstance(value, VersionedObject):
        return value.get("cluster_name") or value.get("host")
    return value


def _bus_error(fault: Exception) -> errors.BusError:
    """What the caller gets for an exception of oslo.messaging: the peer's fault by its recorded name, or NotSent."""
    name, module = type(fault).__name__, type(fault).__module__
    if isinstance(fault, oslo_messaging.RemoteError):
        return errors.RemoteFault(fault.exc_type, fault.value, traceback="".join(fault.traceback or ()))
    if isinstance(fault, dispatcher.RPCDispatcherError):
        return errors.RemoteFault(name, str(fault), module)
    if isinstance(fault, oslo_messaging.MessagingException):
        return errors.NotSent(str(fault))
    # A rebuilt exception has the peer's traceback in its text. KeyError alone would quote that text.
    text = str(fault.args[0]) if isinstance(fault, KeyError) and fault.args else str(fault)
    message, mark, trace = text.partition(_TRACE)
    if not mark:
        return errors.NotSent(f"{name}: {text}")
    return errors.RemoteFault(
        name.removesuffix(_REMOTE), message.rstrip(), module.removesuffix(_REMOTE), mark.lstrip() + trace
    )
