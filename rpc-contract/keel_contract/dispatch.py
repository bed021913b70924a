"""From a received message to the method that answers it, and nothing else.

What a peer may send is decided here: the method must be declared in the namespace and version it names, its arguments
must be those of the declaration, and everything in them must be readable. A message that is not is refused with the
class of exception that the real services answer with (observed on nova 34.0.0 and cinder 29.0.0), told in one log line
that quotes no value of the message. Only what goes wrong in a handler is logged with its traceback.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from oslo_messaging import exceptions
from oslo_messaging._utils import version_is_compatible
from oslo_messaging.dispatcher import DispatcherBase
from oslo_messaging.rpc import dispatcher

from keel_contract import errors, objects
from keel_contract.context import Context
from keel_contract.interface import Interface, Method, incoming
from keel_contract.serializer import Serializer

LOG = logging.getLogger(__name__)

_QUOTED = 60  # characters of a name that a log line shows
# Their texts name methods, arguments, versions and objects; those of others may quote what was sent.
_TELLING = (
    dispatcher.RPCDispatcherError,
    errors.BadArguments,
    errors.UndeclaredMethod,
    errors.Unreadable,
    objects.IncompatibleVersion,
    objects.UnknownObject,
    exceptions.MessagingTimeout,
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The methods of ``interface``, answered by the same named methods of ``target`` as ``method(context, **args)``."""

    interface: Interface
    target: Any

    def accepts(self, namespace: Any, version: Any) -> bool:
        """Whether a message of this namespace and version is for this endpoint.

        :raises ValueError, AttributeError: ``version`` is none
        """
        if namespace != self.interface.namespace:
            return False
        return any(version_is_compatible(own, version) for own in (self.interface.version, *self.interface.older))


class Dispatcher(DispatcherBase):
    """Answers messages by the declared methods of ``endpoints``; an undeclared one cannot be reached by any name."""

    def __init__(self, suite: str, endpoints: Sequence[Endpoint], serializer: Serializer) -> None:
        self.endpoints = endpoints
        self.serializer = serializer
        self._suite = suite

    def dispatch(self, incoming: Any) -> Any:
        """The result of the method that the message names, in its wire form.

        :raises ExpectedException: holds the exception to answer with when that is nothing to look into here
        """
        with _signs_of_life(incoming):
            try:
                handler, context, args = self._read(incoming.message, incoming.ctxt)
            except Exception as refusal:
                self._refuse(incoming, refusal)
            return self.serializer.serialize_entity(context, self._answer(handler, context, args))

    def _read(
        self, message: Mapping[str, Any], wire_context: dict[str, Any]
    ) -> tuple[Callable[..., Any] | None, Context, dict[str, Any]]:
        endpoint, method = self._find(message)
        context = self.serializer.deserialize_context(wire_context)
        given = {
            name: self.serializer.deserialize_entity(context, value) for name, value in message.get("args", {}).items()
        }
        doubled = given.keys() & {"self", "context"}
        if doubled:
            raise errors.BadArguments(f"{method.name} does not take {', '.join(sorted(doubled))}")
        args = incoming_args(endpoint, method, given, message.get("version", "1.0"))
        return getattr(endpoint.target, method.name, None), context, args

    def _find(self, message: Mapping[str, Any]) -> tuple[Endpoint, Method]:
        name, version = message.get("method"), message.get("version", "1.0")
        if not isinstance(name, str):
            raise TypeError("the name of a method is a text")
        fitting = [endpoint for endpoint in self.endpoints if endpoint.accepts(message.get("namespace"), version)]
        for endpoint in fitting:
            if not name.startswith("_") and name in endpoint.interface.methods:
                return endpoint, endpoint.interface.methods[name]
        if fitting:
            raise dispatcher.NoSuchMethod(name)
        raise dispatcher.UnsupportedVersion(version, method=name)

    def _refuse(self, incoming: Any, refusal: Exception) -> NoReturn:
        text = f"{type(refusal).__name__}: {refusal}" if isinstance(refusal, _TELLING) else type(refusal).__name__
        LOG.warning(
            "Refused %s, version %s, namespace %s: %s",
            *(quoted(incoming.message.get(key)) for key in ("method", "version", "namespace")),
            quoted(text, 4 * _QUOTED),
        )
        try:
            raise _as_answered(refusal)
        except Exception:
            # ExpectedException takes the exception being handled: it is logged as an answer, not as an error.
            raise dispatcher.ExpectedException from None

    def _answer(self, handler: Callable[..., Any] | None, context: Context, args: dict[str, Any]) -> Any:
        try:
            if handler is None:
                raise errors.UndeclaredMethod("the method is declared but not answered here")
            return handler(context, **args)
        except errors.ExpectedFault as fault:
            try:
                raise errors.wire_exception(self._suite, fault) from fault
            except errors.PeerException:
                raise dispatcher.ExpectedException from None
        except Exception as fault:
            raise errors.wire_exception(self._suite, fault) from fault


def incoming_args(endpoint: Endpoint, method: Method, given: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The arguments of a message of ``version`` as the handler takes them.

    :raises BadArguments: with the interface in the text
    """
    try:
        return incoming(method, given, not version_is_compatible(endpoint.interface.version, version))
    except errors.BadArguments as problem:
        raise errors.BadArguments(f"{endpoint.interface.name}.{problem}") from None


def _as_answered(refusal: Exception) -> Exception:
    """Wrong arguments are a TypeError for a peer, as if it had called the function; what is unreadable is its cause."""
    if isinstance(refusal, errors.BadArguments):
        return TypeError(str(refusal))
    if isinstance(refusal, errors.Unreadable) and isinstance(refusal.__cause__, Exception):
        return refusal.__cause__
    return refusal


def quoted(value: Any, limit: int = _QUOTED) -> str:
    """A part of a message as one short line: no control characters, no end of line, no more than ``limit``."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else f"({type(value).__name__})"
    shown = "".join(sign if sign.isprintable() else "?" for sign in text[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "..."


@contextlib.contextmanager
def _signs_of_life(incoming: Any) -> Iterator[None]:
    """While the block runs, the caller hears twice in its ``_timeout`` seconds that its call is being worked on.

    A time-out that is no number of seconds is none. The thread ends with the block, whatever happens in it.
    """
    try:
        seconds = min(int(incoming.client_timeout or 0) / 2, threading.TIMEOUT_MAX)
    except (TypeError, ValueError, OverflowError):
        seconds = 0
    if seconds < 1:
        yield
        return
    done = threading.Event()
    watch = threading.Thread(target=_tell, args=(incoming, done, seconds), name="signs of life", daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def _tell(incoming: Any, done: threading.Event, seconds: float) -> None:
    while not done.wait(seconds):
        try:
            incoming.heartbeat()
        except Exception as problem:
            # The caller or the broker is gone; the call times out there, as it must.
            LOG.debug("no sign of life could be sent: %s", problem)
            return
