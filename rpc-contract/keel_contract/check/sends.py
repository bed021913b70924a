"""Our clients against recorded ones: every send of every method at every pin, on a transport that keeps the messages.

What a real client sent to the newest peer is given to ours, which must then send the same bytes to that peer and to
every older one, or refuse where the real one raised.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from oslo_config import cfg

from keel_contract import errors, goldens
from keel_contract.bus import Bus
from keel_contract.context import Context
from keel_contract.interface import Interface, Method
from keel_contract.recorder.inside import wire

REF = "="  # a recorded value that starts so is the sample of that name
_COMPARED = ("mode", "topic", "server", "fanout", "namespace", "version", "method", "timeout", "monitor")


class Sends:
    """The recorded sends of one suite, to be done again by our clients.

    :param suite: "nova" or "cinder"
    :param recorded: the recording of the methods; None: that of the newest release
    """

    def __init__(self, suite: str, recorded: Mapping[str, Any] | None = None) -> None:
        self._recorded = recorded or goldens.load(suite, "methods")
        conf = cfg.ConfigOpts()
        conf.register_opt(cfg.IntOpt("long_rpc_timeout"))
        conf([], default_config_files=[], default_config_dirs=[])
        self._bus = Bus(conf, suite, "fake:/")
        self._bus.transport = wire.transport(conf)
        self._sent: list[dict[str, Any]] = self._bus.transport._driver.sent
        self._context = Context.admin(suite)
        self._values = self._bus.serializer(asks=False)
        self._hosts = sorted(_texts(self._recorded["samples"]), key=len, reverse=True)

    def methods(self, interface: str) -> dict[str, list[list[dict[str, Any]]]]:
        """Wire name -> groups of branches; a group is one way to call the method, its newest peer first."""
        found: dict[str, list[list[dict[str, Any]]]] = {}
        for sent in self._recorded["interfaces"][interface]["sends"].values():
            groups = [list(group) for _, group in itertools.groupby(sent["branches"], lambda b: json.dumps(b["when"]))]
            found.setdefault(groups[0][0]["method"], []).extend(groups)
        return found

    def differences(self, interface: Interface, name: str, groups: list[list[dict[str, Any]]]) -> Iterator[str]:
        """What our client does differently, one line each."""
        method = interface.methods[name]
        for group in groups:
            newest = group[0]
            given = {key: self._value(value) for key, value in newest["args"].items()}
            server = self._server(interface, method, newest)
            for branch in group:
                mine = given | self._only_older(method, branch)
                for cap in branch["caps"]:
                    where = f"at {cap or 'no pin'}{_told(branch['when'])}"
                    for line in self._compare(interface, method, branch, cap, mine, server):
                        yield f"{where}: {line}"

    def _compare(
        self,
        interface: Interface,
        method: Method,
        branch: Mapping[str, Any],
        cap: str | None,
        given: Mapping[str, Any],
        server: str | None,
    ) -> Iterator[str]:
        client = self._bus.client(interface, cap)
        self._sent.clear()
        try:
            client.send(
                self._context,
                method.name,
                server=server,
                topic="<topic>" if branch.get("topic") == "<topic>" else None,
                how=branch["mode"] if len(method.modes) > 1 and "mode" in branch else None,
                timeout=branch.get("timeout") if isinstance(branch.get("timeout"), int) else None,
                **given,
            )
        except errors.PeerTooOld as refused:
            if "raises" not in branch:
                yield f"sent, here refused: {refused}"
            return
        except (errors.BusError, TypeError, AttributeError) as problem:
            yield f"fails here: {type(problem).__name__}: {problem}"
            return
        if "raises" in branch:
            yield f"refused ({branch['raises']}), here sent"
            return
        yield from self._unequal(branch, self._sent[-1])

    def _unequal(self, recorded: Mapping[str, Any], mine: Mapping[str, Any]) -> Iterator[str]:
        for key in _COMPARED:
            wanted = self._plain(recorded[key])
            if wanted != mine[key]:
                yield f"{key} {wanted}, here {mine[key]}"
        args = {key: _unmarked(self._plain(value)) for key, value in recorded["args"].items()}
        own = _unmarked(mine["args"])
        for key in sorted(args.keys() | own.keys()):
            if key not in own:
                yield f"argument {key}, not here"
            elif key not in args:
                yield f"argument {key} here alone"
            elif args[key] != own[key]:
                yield f"argument {key} is {_short(args[key])}, here {_short(own[key])}"

    def _plain(self, value: Any) -> Any:
        """A recorded value as it travelled."""
        if isinstance(value, str) and value.startswith(REF):
            return self._recorded["samples"][value.removeprefix(REF)]
        return value

    def _value(self, value: Any) -> Any:
        """A recorded value as a caller of ours gives it: objects are objects."""
        return self._values.deserialize_entity(self._context, self._plain(value))

    def _only_older(self, method: Method, branch: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments that only older peers get, as a caller of ours gives them: not yet converted."""
        names = {arg.name for arg in method.args if arg.until is not None and arg.made is None}
        samples = self._recorded["samples"]
        return {
            key: self._value(f"{REF}{key}" if key in samples else value)
            for key, value in branch.get("args", {}).items()
            if key in names
        }

    def _server(self, interface: Interface, method: Method, newest: Mapping[str, Any]) -> str | None:
        """The destination that a caller of ours names: none where the declaration must find it in the arguments."""
        recorded = newest["server"]
        if recorded is None:
            return None
        if recorded.startswith(REF):
            return self._plain(recorded)
        if interface.address is None:
            seen = _texts([self._plain(value) for value in newest["args"].values()])
            return None if recorded in seen else recorded
        if method.to is not None:
            return None
        for host in self._hosts:
            if interface.address(interface.topics[0], host, newest["caps"][0]) == (newest["topic"], recorded):
                return host
        return None


def _unmarked(value: Any) -> Any:
    """A value without what objects in it say was changed: that is a matter of the object, not of the message."""
    if isinstance(value, dict):
        return {key: _unmarked(part) for key, part in value.items() if not key.endswith("object.changes")}
    return [_unmarked(part) for part in value] if isinstance(value, list) else value


def _texts(value: Any) -> set[str]:
    """Every text within a value."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return set().union(*map(_texts, parts))


def _told(when: Mapping[str, Any]) -> str:
    return f" ({', '.join(f'{key}={value}' for key, value in when.items())})" if when else ""


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) < 200 else f"{text[:200]}..."
