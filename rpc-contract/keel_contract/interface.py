"""The declaration of an RPC interface, from which client and server side both derive.

An Interface lists Methods; a Method lists its Args and its Levels. A Level says: a peer that understands ``needs`` gets
the message at ``version`` (on ``topic`` where that differs). Levels stand newest first; the client takes the first one
the pin allows. An Arg says since which level a peer knows it and what happens to it below: that is the whole language
of downgrades.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_contract import errors, versions


class _Word:
    """A value that no argument can have by accident."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __repr__(self) -> str:
        return self._word


REQUIRED: Any = _Word("required")
_SAME: Any = _Word("same as the default")


@dataclass(frozen=True, slots=True)
class Below:
    """What becomes of an argument for a peer that does not know it."""

    action: str
    name: str | None = None
    convert: Callable[[Any], Any] | None = None


DROP = Below("drop")
REFUSE = Below("refuse")  # dropped while it says nothing (false, empty, None), PeerTooOld otherwise


def rename(name: str) -> Below:
    """Sent under an older name."""
    return Below("rename", name)


def convert(fn: Callable[[Any], Any]) -> Below:
    """Sent in an older form."""
    return Below("convert", convert=fn)


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument as it is called on the wire.

    :ivar default: value when the caller (or an older peer) leaves it out; REQUIRED has none
    :ivar since: first level whose peers know it; None is all
    :ivar until: first level whose peers do not know it any more; None is none
    :ivar absent: value on the receiving side when a message lacks it, where that is not the default; REQUIRED: it may
        not lack it. With ``until``: what older peers send is handed on; without, it is of no use any more
    :ivar before: the same for messages of an older major, where that differs
    :ivar sent: False for one that servers accept though no current client sends it
    :ivar made: for peers below ``until`` made of the other arguments, not given by the caller
    :ivar read: when a message lacks it, made of the arguments that older peers send instead
    """

    name: str
    default: Any = REQUIRED
    since: str | None = None
    below: Below = DROP
    until: str | None = None
    absent: Any = _SAME
    sent: bool = True
    before: Any = _SAME
    made: Callable[[Mapping[str, Any]], Any] | None = None
    read: Callable[[Mapping[str, Any]], Any] | None = None

    def when_absent(self, older: bool) -> Any:
        """The value where a message lacks it, REQUIRED when it may not."""
        if older and self.before is not _SAME:
            return self.before
        return self.default if self.absent is _SAME else self.absent


@dataclass(frozen=True, slots=True)
class Level:
    """A way to send a method: a peer that understands ``needs`` takes ``version``.

    :ivar until: peers that understand this are not sent to at this level (nor at an older one)
    :ivar topic: another topic than the interface's
    :ivar method: the older name of the method
    :ivar mode: the mode of this level where it does not follow the method's first
    """

    needs: str
    version: str
    topic: str | None = None
    method: str | None = None
    mode: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """One RPC method.

    :ivar modes: "cast" and "call"; the first is the one used unless the caller says how
    :ivar to: path to the destination in the arguments (``instance.host``) when the caller names no server
    :ivar long: a call may take ``long_rpc_timeout`` seconds while the peer shows signs of life
    :ivar extra: the server accepts arguments that are not declared
    :ivar sent: False for a method that servers answer though no client sends it
    """

    name: str
    modes: tuple[str, ...]
    args: tuple[Arg, ...]
    levels: tuple[Level, ...]
    to: str | None = None
    long: bool = False
    fanout: bool = False
    extra: bool = False
    sent: bool = True


@dataclass(frozen=True)
class Interface:
    """The methods of one topic and namespace.

    :ivar version: newest version; a server accepts it and every lower minor
    :ivar older: newest versions of older majors a server still accepts
    :ivar address: (topic, server, pin) -> (topic, server): where a suite puts the host into the topic
    :ivar topics: every topic a server of this interface listens on; the first is the client's
    :ivar monitored: calls carry a call-monitor time-out when the reply time-out is above 60 s
    :ivar objects: arguments and results may hold versioned objects
    """

    name: str
    suite: str
    version: str
    topics: tuple[str, ...]
    methods: Mapping[str, Method]
    namespace: str | None = None
    older: tuple[str, ...] = ()
    address: Callable[[str, str | None, str | None], tuple[str, str | None]] | None = None
    monitored: bool = False
    objects: bool = True

    def method(self, name: str) -> Method:
        """The declaration of ``name``; UndeclaredMethod when there is none."""
        try:
            return self.methods[name]
        except KeyError:
            raise errors.UndeclaredMethod(f"{self.name} has no method {name!r}") from None

    def level(self, method: Method, cap: str | None) -> Level:
        """The newest level of ``method`` that a peer of version ``cap`` understands; no cap is the newest of all.

        :raises PeerTooOld: when no level fits
        """
        for level in method.levels:
            if cap is None or versions.understands(cap, level.needs):
                if cap is not None and level.until is not None and versions.understands(cap, level.until):
                    break
                return level
        newer = [level.needs for level in method.levels if cap is not None and versions.older(cap, level.needs)]
        needs = min(newer, key=versions.parse, default=self.version)
        raise errors.PeerTooOld(f"{self.name}.{method.name} needs {needs}, the peer is pinned to {cap}", needs)


def outgoing(method: Method, level: Level, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a message at ``level``: defaults filled in, newer ones dropped, renamed, converted or refused.

    :raises BadArguments: an argument is missing or not declared
    :raises PeerTooOld: an argument that may not be lost is unknown to the peer
    """
    unknown = given.keys() - {arg.name for arg in method.args}
    if unknown and not method.extra:
        raise errors.BadArguments(f"{method.name} does not take {', '.join(sorted(unknown))}")
    wire = {name: given[name] for name in unknown}
    for arg in method.args:
        if not arg.sent or (arg.until is not None and not versions.older(level.needs, arg.until)):
            continue
        if arg.made is not None:
            wire[arg.name] = arg.made(given)
            continue
        value = given.get(arg.name, arg.default)
        if value is REQUIRED:
            raise errors.BadArguments(f"{method.name} needs {arg.name}")
        if arg.until is not None and arg.below.convert is not None:
            wire[arg.name] = arg.below.convert(value)
        elif arg.since is None or not versions.older(level.needs, arg.since):
            wire[arg.name] = value
        elif arg.below.action == "rename":
            wire[str(arg.below.name)] = value
        elif arg.below.action == "convert" and arg.below.convert is not None:
            wire[arg.name] = arg.below.convert(value)
        elif arg.below.action == "refuse" and value:
            raise errors.PeerTooOld(
                f"{method.name}: {arg.name} needs {arg.since}, the peer takes {level.needs}", arg.since
            )
    return wire


def incoming(method: Method, wire: Mapping[str, Any], older: bool = False) -> dict[str, Any]:
    """The arguments of a received message in their newest names, absent ones filled with their defaults.

    :param older: the message is of an older major
    :raises BadArguments: an argument is missing or not declared
    """
    left = dict(wire)
    found = {}
    for arg in method.args:
        if arg.until is not None and arg.absent is _SAME:
            if left.pop(arg.name, _SAME) is _SAME and older and arg.before is REQUIRED:
                raise errors.BadArguments(f"{method.name} needs {arg.name}")
            continue
        old = left.pop(arg.below.name, _SAME) if arg.since and arg.below.name else _SAME
        value = left.pop(arg.name, old)
        if value is _SAME:
            value = arg.read(wire) if arg.read is not None else arg.when_absent(older)
        if value is REQUIRED:
            raise errors.BadArguments(f"{method.name} needs {arg.name}")
        found[arg.name] = value
    if left and not method.extra:
        raise errors.BadArguments(f"{method.name} does not take {', '.join(sorted(left))}")
    return {**found, **left}


def told(name: str, default: Any = None, **more: Any) -> Arg:
    """An argument that a caller may leave out and a message may not: real servers give it no default."""
    return Arg(name, default, absent=REQUIRED, **more)


def newer(name: str, since: str, **more: Any) -> Arg:
    """An argument without which no message of this major goes; of the major before, those below ``since`` have none."""
    return Arg(name, None, since=since, absent=REQUIRED, before=None, **more)


def takes(*names: str | Arg, **defaults: Any) -> tuple[Arg, ...]:
    """Arguments: plain names are required, keywords have a default, an Arg stands for itself."""
    given = [name if isinstance(name, Arg) else Arg(name) for name in names]
    return (*given, *(Arg(name, default) for name, default in defaults.items()))


def levels(*texts: str) -> tuple[Level, ...]:
    """Levels from "needs", "needs:version" or "needs:version@topic", newest first."""
    found = []
    for text in texts:
        text, _, topic = text.partition("@")
        needs, _, version = text.partition(":")
        found.append(Level(needs, version or needs, topic or None))
    return tuple(found)


def cast(
    name: str, args: tuple[Arg, ...], sends: tuple[Level, ...], modes: tuple[str, ...] = ("cast",), **more: Any
) -> Method:
    """A method nobody waits for."""
    return Method(name, modes, args, sends, **more)


def call(
    name: str, args: tuple[Arg, ...], sends: tuple[Level, ...], modes: tuple[str, ...] = ("call",), **more: Any
) -> Method:
    """A method with an answer."""
    return Method(name, modes, args, sends, **more)


def fanout(name: str, args: tuple[Arg, ...], sends: tuple[Level, ...], **more: Any) -> Method:
    """A cast to every server of the topic."""
    return Method(name, ("cast",), args, sends, fanout=True, **more)


def table(methods: Iterable[Method]) -> dict[str, Method]:
    """Methods by name; a name twice is an error of the declaration."""
    found: dict[str, Method] = {}
    for method in methods:
        if method.name in found:
            raise ValueError(f"{method.name} is declared twice")
        found[method.name] = method
    return found
