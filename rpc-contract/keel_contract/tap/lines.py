"""What was seen as plain lines: for pipes, files and terminals without a screen."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from keel_contract.tap.addresses import Address
from keel_contract.tap.judge import Violation
from keel_contract.tap.senders import Sender
from keel_contract.tap.tally import Tally
from keel_contract.tap.text import word
from keel_contract.tap.wire import Message, Notification, Reply, objects_in

_OBJECTS = 3  # names of objects that a line shows


class Lines:
    """A line for each message, a line for each violation below it."""

    def __init__(self, out: TextIO | None = None, quiet: bool = False) -> None:
        self._out = out or sys.stdout
        self._quiet = quiet

    def message(self, message: Message, sender: Sender, violations: Sequence[Violation]) -> None:
        """``quiet`` shows only those with violations."""
        if self._quiet and not violations:
            return
        self._say(f"{clock(message)} {message.mode:<6} {str(sender):<24} > {str(message.to):<28} {spoken(message)}")
        for violation in violations:
            self._say(f"{'':>12} ! {violation}")

    def reply(self, reply: Reply, method: str | None) -> None:
        """Answers that are a failure; the others say nothing new."""
        if reply.failure:
            self._say(f"{clock(reply)} reply  {method or '?'} failed with {reply.failure}")

    def notification(self, seen: Notification) -> None:
        """A notification is shown by its event."""
        if not self._quiet:
            self._say(f"{clock(seen)} event  {seen.publisher:<24} {seen.event}")

    def undecodable(self, to: Address, why: str) -> None:
        """What is no message is a violation by itself."""
        self._say(f"{'':>12} ! unreadable message to {to}: {why}")

    def tick(self, tally: Tally) -> None:
        """Nothing to draw."""

    def close(self, summary: Callable[[], str]) -> None:
        """The end."""
        self._say(summary())

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class Json(Lines):
    """A JSON object for each message, and one with the summary at the end."""

    def message(self, message: Message, sender: Sender, violations: Sequence[Violation]) -> None:
        if self._quiet and not violations:
            return
        self._put(
            at=message.moment.isoformat(),
            mode=message.mode,
            sender=str(sender),
            to=str(message.to),
            method=message.method,
            version=message.version,
            namespace=message.namespace,
            request_id=message.context.get("request_id"),
            objects=[list(pair) for pair in objects_of(message)],
            violations=[str(one) for one in violations],
            bytes=message.size,
        )

    def reply(self, reply: Reply, method: str | None) -> None:
        if reply.failure:
            self._put(at=reply.moment.isoformat(), mode="reply", method=method, failure=reply.failure)

    def notification(self, seen: Notification) -> None:
        if not self._quiet:
            self._put(at=seen.moment.isoformat(), mode="notification", event=seen.event, publisher=seen.publisher)

    def undecodable(self, to: Address, why: str) -> None:
        self._put(mode="unreadable", to=str(to), why=why)

    def _put(self, **fields: Any) -> None:
        self._say(json.dumps(fields))


def clock(seen: Any) -> str:
    """The moment of a message, UTC, to the thousandth."""
    return seen.moment.strftime("%H:%M:%S.%f")[:-3]


def objects_of(message: Message) -> list[tuple[str, str]]:
    """(name, version) of each kind of object in the arguments."""
    suite = message.to.suite
    if suite is None:
        return []
    return list(dict.fromkeys((word(seen.name), word(seen.version)) for seen in objects_in(message.args, suite)))


def spoken(message: Message) -> str:
    """The method with its version, what it does to which object, and the objects it carries."""
    args = message.args if isinstance(message.args, dict) else {}
    detail = ""
    if "objmethod" in args:
        own = word(args["objname"]) if args.get("objname") else next(iter(name for name, _ in objects_of(message)), "?")
        detail = f" {own}.{word(args['objmethod'])}"
    carried = objects_of(message)
    shown = ", ".join(f"{name} {version}" for name, version in carried[:_OBJECTS])
    more = f" and {len(carried) - _OBJECTS} more" if len(carried) > _OBJECTS else ""
    space = f"{word(message.namespace)}." if message.namespace else ""
    return f"{space}{word(message.method)} {word(message.version)}{detail}" + (f"  [{shown}{more}]" if shown else "")
