"""From the bytes on a broker to a message, without trusting anything in them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from keel_contract.tap.addresses import Address
from keel_contract.tap.text import word

ENVELOPE_VERSION = "2.0"
_CONTEXT = "_context_"
_PREFIXES = {"nova": "nova_object", "cinder": "versioned_object"}


class Undecodable(ValueError):
    """The bytes are no message of oslo.messaging; the text says why."""


@dataclass(slots=True)
class Message:
    """A request that was seen.

    :ivar mode: "call" (somebody waits), "cast", or "fanout"
    :ivar reply_queue: where the caller waits; the same for all calls of one process to this broker
    :ivar envelope: version of the envelope; None when there was none
    """

    moment: datetime.datetime
    to: Address
    method: Any
    version: Any
    namespace: Any
    args: Any
    context: dict[str, Any]
    mode: str
    message_id: Any
    reply_queue: Any
    size: int
    envelope: str | None
    raw: dict[str, Any] = field(repr=False)


@dataclass(slots=True)
class Reply:
    """An answer; only seen where the broker's firehose is on.

    :ivar failure: class name of the exception that was answered with
    :ivar ending: False for a sign of life
    """

    moment: datetime.datetime
    message_id: Any
    result: Any
    failure: str | None
    ending: bool
    size: int
    raw: dict[str, Any] = field(repr=False)


@dataclass(slots=True)
class Notification:
    """An event for whom it may concern; it is counted and not checked."""

    moment: datetime.datetime
    to: Address
    event: str
    publisher: str
    size: int
    raw: dict[str, Any] = field(repr=False)


Seen = Message | Reply | Notification


def decode(body: bytes | str, to: Address, moment: datetime.datetime | None = None) -> Seen:
    """What stands in ``body``.

    :raises Undecodable: nothing can be made of it
    """
    moment = moment or datetime.datetime.now(datetime.UTC)
    envelope, raw = _open(body)
    if to.is_notification:
        event, publisher = (word(raw.get(key)) for key in ("event_type", "publisher_id"))
        return Notification(moment, to, event, publisher, len(body), raw)
    if "method" not in raw and "_msg_id" in raw and ("result" in raw or "failure" in raw):
        failure = _failure(raw.get("failure"))
        return Reply(moment, raw["_msg_id"], raw.get("result"), failure, bool(raw.get("ending", True)), len(body), raw)
    waits = raw.get("_msg_id") is not None
    return Message(
        moment=moment,
        to=to,
        method=raw.get("method"),
        version=raw.get("version", "1.0"),
        namespace=raw.get("namespace"),
        args=raw.get("args", {}),
        context={key[len(_CONTEXT) :]: value for key, value in raw.items() if key.startswith(_CONTEXT)},
        mode="fanout" if to.fanout else "call" if waits else "cast",
        message_id=raw.get("_msg_id"),
        reply_queue=raw.get("_reply_q"),
        size=len(body),
        envelope=envelope,
        raw=raw,
    )


def _open(body: bytes | str) -> tuple[str | None, dict[str, Any]]:
    """The version of the envelope and the message in it."""
    outer = _loads(body, "body")
    if not isinstance(outer, dict):
        raise Undecodable(f"the body is a {type(outer).__name__}")
    if "oslo.version" not in outer or "oslo.message" not in outer:
        return None, outer
    if not isinstance(outer["oslo.message"], str):
        raise Undecodable("the message in the envelope is no text")
    inner = _loads(outer["oslo.message"], "message in the envelope")
    if not isinstance(inner, dict):
        raise Undecodable(f"the message in the envelope is a {type(inner).__name__}")
    return str(outer["oslo.version"]), inner


def _loads(text: bytes | str, what: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise Undecodable(f"the {what} is nested too deep") from None
    except ValueError as problem:
        raise Undecodable(f"the {what} is no JSON ({type(problem).__name__})") from None


def _failure(text: Any) -> str | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
        return word(found["class"])
    except (TypeError, ValueError, KeyError, RecursionError):
        return "unreadable failure"


@dataclass(frozen=True, slots=True)
class Primitive:
    """The wire form of an object, wherever it stands in a message. ``path`` names the place."""

    path: str
    name: Any
    version: Any
    namespace: Any
    data: Any
    changes: Any
    whole: Mapping[str, Any]


def objects_in(value: Any, suite: str, path: str = "") -> Iterator[Primitive]:
    """Every object in ``value``, those inside objects included, outermost first. No depth is too deep."""
    prefix = _PREFIXES[suite]
    keys = [f"{prefix}.{part}" for part in ("name", "version", "namespace", "data", "changes")]
    waiting = [(path, value)]
    while waiting:
        where, current = waiting.pop()
        if isinstance(current, dict):
            if keys[0] in current:
                name, version, namespace, data, changes = (current.get(key) for key in keys)
                yield Primitive(where, name, version, namespace, data, changes, current)
                current = data
            if isinstance(current, dict):
                waiting += [(f"{where}.{key}" if where else str(key), inner) for key, inner in current.items()][::-1]
        elif isinstance(current, list):
            waiting += [(f"{where}[{number}]", inner) for number, inner in enumerate(current)][::-1]
