"""What can go wrong on the bus, and how an exception crosses it.

A failure travels as the name of its class, the module of that class, its text, args and kwargs. A real peer builds the
exception again from a module it allows (nova.exception, cinder.exception); this side never imports a peer's modules and
hands the caller a RemoteFault that carries the recorded names.
"""

from __future__ import annotations

from typing import Any

EXCEPTION_MODULES = {"nova": "nova.exception", "cinder": "cinder.exception"}


class BusError(Exception):
    """Base of everything this package raises about messages."""


class RpcTimeout(BusError):
    """No reply came in time. The peer may still have done the work."""


class NotSent(BusError):
    """The broker did not take the message."""


class PeerTooOld(BusError):
    """The pin does not allow any version of the method that carries what was asked, or a service is too old to pin to.

    :ivar needs: the version a peer must understand, None where the message says it all
    """

    def __init__(self, message: str, needs: str | None = None) -> None:
        super().__init__(message)
        self.needs = needs


class PeerTooNew(BusError):
    """A service reports versions that this contract does not know: this side must be upgraded first."""


class UnknownLevel(BusError, ValueError):
    """A value of ``[upgrade_levels]`` that is no version, no release, and nothing that can be found out."""


class UndeclaredMethod(BusError):
    """The method is not part of the interface."""


class BadArguments(BusError):
    """An argument is missing, or is not part of the declaration."""


class Unreadable(BusError, ValueError):
    """What came is no wire form of an object or a context. The cause is what was found; the text quotes nothing."""


class NotReady(BusError):
    """A bus server is not listening, or its broker cannot be reached."""


class RemoteFault(BusError):
    """An exception that a peer raised while it handled a call.

    :ivar class_name: the bare class name, such as ``InstanceNotFound``
    :ivar message: the text of the exception
    :ivar module: "builtins" for an exception of Python, None for one of the peer's own (the transport does not tell)
    :ivar traceback: the peer's traceback as text, "" when it was not sent
    """

    def __init__(self, class_name: str, message: str, module: str | None = None, traceback: str = "") -> None:
        super().__init__(f"{class_name}: {message}")
        self.class_name = class_name
        self.message = message
        self.module = module
        self.traceback = traceback


class ExpectedFault(Exception):
    """Raised in an endpoint to answer a caller with a recorded exception class.

    ``ExpectedFault("InstanceNotFound", "Instance x could not be found.", instance_id="x")`` reaches a real Nova as
    ``nova.exception.InstanceNotFound``. The keyword arguments travel as the kwargs of the exception, from which a
    peer makes its own instance; ``code`` (HTTP) need not be told, the peer's class has it.

    :param module: module of the class; None is the suite's own exception module, "builtins" a Python exception.
    """

    def __init__(self, class_name: str, message: str, *, module: str | None = None, **kwargs: Any) -> None:
        super().__init__(message)
        self.class_name = class_name
        self.module = module
        self.kwargs = kwargs


class PeerException(Exception):
    """Base of the classes that stand in, on the wire, for an exception of the recorded name."""

    kwargs: dict[str, Any]


def wire_exception(suite: str, fault: BaseException) -> PeerException:
    """The exception to raise so that oslo.messaging writes the class, module, args and kwargs a peer expects."""
    text = str(fault)
    if isinstance(fault, ExpectedFault):
        name, module, kwargs = fault.class_name, fault.module or EXCEPTION_MODULES[suite], fault.kwargs
    elif isinstance(fault, RemoteFault):
        name, module, kwargs, text = fault.class_name, fault.module or EXCEPTION_MODULES[suite], {}, fault.message
    else:
        name, module, kwargs = type(fault).__name__, type(fault).__module__, {}
    exception = type(name, (PeerException,), {"__module__": module})(text)
    exception.kwargs = kwargs
    return exception
