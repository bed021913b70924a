"""The request of an exchange, with the ids and dates of this run in place of the recorded ones."""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.scenario import collection
from conformance.tokens import TOKEN, Bindings, plain_time

_IDENTITY = frozenset(
    "X-Auth-Token X-Auth-User X-User-Id X-Auth-Project-Id X-Project-Id X-Roles X-Service-Token".split()
)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(T|[ ]|\+|%20)(\d\d)(:|%3A)(\d\d)(?::|%3A)(\d\d)(\.\d+)?(.*)$")
_NEAR = timedelta(days=2)


@dataclass(frozen=True)
class Message:
    """One HTTP request; `path` is percent-encoded."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes | None


class Clock:
    """Moves dates of the time of recording to now. Naive UTC."""

    def __init__(self, recorded_at: str | None):
        self.recorded = datetime.strptime(recorded_at, "%Y-%m-%dT%H:%M:%SZ") if recorded_at else None
        self._now = datetime.now(UTC).replace(tzinfo=None)

    def moved(self, token: str, bound: Bindings) -> str:
        """A date that was shown becomes the date shown now; another one near the recording moves by the difference."""
        found = _DATE.match(token)
        if found is None or self.recorded is None:
            return token
        new = self._known(plain_time(token), bound) or self._shifted(plain_time(token), found.group(7) or "")
        if new is None:
            return token
        date, clock = new.split("T")
        if not found.group(7):
            clock = clock.split(".")[0]
        elif "." not in clock:
            clock += found.group(7)
        return date + found.group(2) + clock.replace(":", found.group(4)) + (found.group(8) or "")

    def _known(self, plain: str, bound: Bindings) -> str | None:
        second = plain.split(".", maxsplit=1)[0]
        near = [new for old, new in bound.times.items() if old.split(".")[0] == second]
        return bound.times.get(plain) or bound.times.get(second) or next(iter(near), None)

    def _shifted(self, plain: str, fraction: str) -> str | None:
        try:
            moment = datetime.strptime(plain.split(".", maxsplit=1)[0], "%Y-%m-%dT%H:%M:%S")
        except ValueError:
            return None
        if self.recorded is None or abs(moment - self.recorded) > _NEAR:
            return None  # a date the test chose
        return (moment + (self._now - self.recorded)).strftime("%Y-%m-%dT%H:%M:%S") + fraction


def substituted(text: str, bound: Bindings, clock: Clock | None = None) -> str:
    """A text with the tokens of this run."""

    def one(found: re.Match[str]) -> str:
        token = found.group()
        if token in bound.forward:
            return bound.forward[token]
        return clock.moved(token, bound) if found.lastgroup == "time" and clock else token

    return TOKEN.sub(one, text)


def _body(value: Any, bound: Bindings, clock: Clock) -> Any:
    if isinstance(value, dict):
        return {substituted(key, bound): _body(inner, bound, clock) for key, inner in value.items()}
    if isinstance(value, list):
        return [_body(inner, bound, clock) for inner in value]
    if not isinstance(value, str):
        return value
    generated = next((new for (_, old), new in bound.whole.items() if old == value), None)
    return generated if generated is not None else substituted(value, bound, clock)


def _path(exchange: dict[str, Any], bound: Bindings) -> str:
    segments = substituted(exchange["path"], bound).split("/")
    template = [each for each in exchange["template"].split("/") if each]
    places = [index for index, each in enumerate(segments) if each]
    if len(places) == len(template):
        for index, part in enumerate(template):
            place, segment = places[index], segments[places[index]]
            key = (collection("/".join(template[:index])), int(segment) if segment.isdigit() else -1)
            if part.startswith("{") and key in bound.numbers:
                segments[place] = str(bound.numbers[key])
    return "/".join(segments)


def _caller(identity: dict[str, Any]) -> dict[str, str]:
    """Headers as keystonemiddleware leaves them."""
    user, project = identity["user"], identity["project"]
    return {
        "X-Identity-Status": "Confirmed",
        "X-User-Id": user,
        "X-User-Name": user,
        "X-Project-Id": project,
        "X-Project-Name": project,
        "X-Roles": ",".join(identity.get("roles") or ()),
        "X-User-Domain-Id": "default",
        "X-Project-Domain-Id": "default",
        "X-Auth-Token": f"token-of-{user}",
        "X-Service-Catalog": "[]",
    }


def message(exchange: dict[str, Any], bound: Bindings, clock: Clock) -> Message:
    """What to send for an exchange."""
    request = exchange["request"]
    headers = {name: value for name, value in request["headers"].items() if name not in _IDENTITY}
    headers = {name: substituted(value, bound) for name, value in headers.items()}
    if identity := exchange.get("identity"):
        headers |= _caller(identity)
    body = None
    if "body" in request:
        body = json.dumps(_body(request["body"], bound, clock)).encode()
    elif request.get("body_text") is not None:
        body = substituted(request["body_text"], bound, clock).encode()
    path = urllib.parse.quote(_path(exchange, bound), safe="/:@!$&'()*+,;=~-._%")
    return Message(exchange["method"], path, substituted(exchange["query"], bound, clock), headers, body)
