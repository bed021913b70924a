"""Hostile messages, as a table: what a broken or malicious peer may put on the bus.

A row changes a good call of a service (its Basis). Most rows change the message; those of ENVELOPES make the bytes
around it and exist on a broker only.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Basis:
    """A harmless call that a service answers, with an argument (``free``) that may be anything."""

    suite: str
    topic: str
    method: str
    args: dict[str, Any]
    free: str
    version: str
    namespace: str | None = None
    needs: str = "ping"
    """A method with an argument that has no default."""

    @property
    def exchange(self) -> str:
        return {"nova": "nova", "cinder": "openstack"}[self.suite]

    @property
    def prefix(self) -> str:
        """The first part of the keys of an object."""
        return {"nova": "nova_object", "cinder": "versioned_object"}[self.suite]

    def message(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "args": dict(self.args),
            "version": self.version,
            **({"namespace": self.namespace} if self.namespace else {}),
            **{f"_context_{key}": value for key, value in CONTEXT.items()},
        }


CONTEXT = {
    "user_id": "eve",
    "project_id": "eves",
    "roles": ["member"],
    "is_admin": True,
    "read_deleted": "no",
    "request_id": "req-0000000e-0000-4000-8000-00000000000e",
    "timestamp": "2026-01-02T03:04:05.000000",
    "service_catalog": [],
    "auth_token": "secret-of-eve",
}
SECRET = CONTEXT["auth_token"]

_PING = {"method": "ping", "args": {"arg": "x"}, "free": "arg", "version": "1.0", "namespace": "baseapi"}
_SECURE = "secure_file_operations_enabled"
BASES = {
    "conductor": Basis("nova", "conductor", **_PING),
    "compute": Basis("nova", "compute", **_PING),
    "compute-scheduler": Basis("nova", "scheduler", **_PING),
    "volume-scheduler": Basis(
        "cinder", "cinder-scheduler", "get_pools", {"filters": None}, "filters", "3.0", None, "get_log_levels"
    ),
    "volume": Basis("cinder", "cinder-volume", _SECURE, {"volume": None}, "volume", "3.0", None, _SECURE),
}

Change = Callable[[Basis], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """One hostile message.

    :ivar change: the top of the message that differs; a value ``GONE`` removes the key
    :ivar seconds: how long an answer may take
    """

    name: str
    change: Change
    seconds: float = 5.0
    tags: frozenset[str] = field(default_factory=frozenset)


GONE = object()


def _say(**changes: Any) -> Change:
    return lambda basis: changes


def _context(key: str, value: Any) -> Change:
    return lambda basis: {f"_context_{key}": value}


def _arg(make: Callable[[Basis], Any]) -> Change:
    return lambda basis: {"args": {**basis.args, basis.free: make(basis)}}


def _object(**changes: Any) -> Change:
    """The free argument is an object of a known name unless told otherwise; ``changes`` by the second part of keys."""

    def make(basis: Basis) -> Any:
        known, version = {"nova": ("Flavor", "1.2"), "cinder": ("VolumeType", "1.3")}[basis.suite]
        parts = {
            "name": known,
            "namespace": basis.suite,
            "version": version,
            "data": {"name": "x"},
            "changes": ["name"],
            **changes,
        }
        return {f"{basis.prefix}.{key}": value for key, value in parts.items() if value is not GONE}

    return _arg(make)


def nested(depth: int, opening: str = "[", closing: str = "]") -> Any:
    """A structure too deep for ``json.dumps``: placed as text into the message when it is encoded."""
    return _Text(opening * depth + "1" + closing * depth)


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text


METHODS = [
    Row("unknown method", _say(method="no_such_method")),
    Row("private method", _say(method="_x")),
    Row("constructor", _say(method="__init__")),
    Row("class of the endpoint", _say(method="__class__")),
    Row("attribute of the endpoint", _say(method="target")),
    Row("method with a NUL", lambda basis: {"method": basis.method + "\0"}),
    Row("method ending in _ignore_errors", _say(method="x_ignore_errors")),
    Row("no method", _say(method=GONE)),
    Row("method null", _say(method=None)),
    Row("method a number", _say(method=7)),
    Row("method a list", _say(method=["ping"])),
    Row("method a dict", _say(method={"ping": 1})),
    Row("method with watched time-out", _say(method="no_such_method", _timeout=4)),
]
VERSIONS = [
    Row("unknown namespace", _say(namespace="nowhere")),
    Row("namespace a list", _say(namespace=["baseapi"])),
    Row("newer minor", lambda basis: {"version": basis.version.partition(".")[0] + ".99"}),
    Row("newer major", _say(version="99.0")),
    Row("version a word", _say(version="newest")),
    Row("version empty", _say(version="")),
    Row("version of three numbers", lambda basis: {"version": basis.version + ".0"}),
    Row("version with a NUL", lambda basis: {"version": basis.version + "\0"}),
    Row("version null", _say(version=None)),
    Row("version a number", _say(version=1.0)),
    Row("version a list", _say(version=[1, 0])),
    Row("version huge", _say(version="1" * 10000 + ".0")),
]
ARGUMENTS = [
    Row("missing argument", lambda basis: {"method": basis.needs, "args": {}}),
    Row("extra argument", lambda basis: {"args": {**basis.args, "extra": 1}}),
    Row("argument named self", lambda basis: {"args": {**basis.args, "self": 1}}),
    Row("argument named context", lambda basis: {"args": {**basis.args, "context": 1}}),
    Row("argument without a name", lambda basis: {"args": {**basis.args, "": 1}}),
    Row("no arguments at all", lambda basis: {"method": basis.needs, "args": GONE}),
    Row("arguments null", _say(args=None)),
    Row("arguments a list", _say(args=[1, 2])),
    Row("arguments a text", _say(args="ping")),
    Row("argument with a NUL", _arg(lambda basis: {"a\0b": "\0"})),
    Row("argument with a lone surrogate", _arg(lambda basis: {"a": "\ud800"})),
    Row("argument of 4000 digits", _arg(lambda basis: {"a": _Text("9" * 4000)})),
    Row("argument of 5000 digits", _arg(lambda basis: {"a": _Text("9" * 5000)})),
    Row("argument infinite", _arg(lambda basis: {"a": float("inf")})),
    Row("argument no number", _arg(lambda basis: {"a": float("nan")})),
    Row("argument of 20 MB", _arg(lambda basis: {"a": "x" * (20 * MEGABYTE)}), seconds=30),
    Row("argument of 200000 keys", _arg(lambda basis: {str(n): n for n in range(200000)}), seconds=30),
]
NESTING = [
    Row(f"{kind} nested {depth} deep", _arg(lambda basis, d=depth, o=opening, c=closing: {"a": nested(d, o, c)}))
    for kind, opening, closing in (("lists", "[", "]"), ("dicts", '{"a":', "}"))
    for depth in (100, 800, 5000, 100_000)
]
OBJECTS = [
    Row("object of unknown name", _object(name="NoSuchObject")),
    Row("object of an empty name", _object(name="")),
    Row("object name a list", _object(name=["Flavor"])),
    Row("object name null", _object(name=None)),
    Row("object of a newer minor", _object(version="1.999")),
    Row("object of a newer major", _object(version="9.0")),
    Row("object version a word", _object(version="newest")),
    Row("object version a number", _object(version=1)),
    Row("object version null", _object(version=None)),
    Row("object without a version", _object(version=GONE)),
    Row("object of another namespace", _object(namespace="elsewhere")),
    Row("object without a namespace", _object(namespace=GONE)),
    Row("object without data", _object(data=GONE)),
    Row("object data a list", _object(data=[1])),
    Row("object data null", _object(data=None)),
    Row("object with an unknown field", _object(data={"nosuch": 1}, changes=[])),
    Row("object with a wrong field", _object(data={"is_public": {"a": []}, "extra_specs": 7}, changes=[])),
    Row("object with a bad date", _object(data={"created_at": "yesterday"}, changes=[])),
    Row("object changes a number", _object(changes=7)),
    Row("object changes of unknown fields", _object(changes=["nosuch", "__class__"])),
    Row("object in an object", lambda basis: _object(data={"name": _object()(basis)["args"][basis.free]})(basis)),
]
CONTEXTS = [
    Row("context request id a number", _context("request_id", 5)),
    Row("context request id a dict", _context("request_id", {"a": 1})),
    Row("context timestamp a word", _context("timestamp", "yesterday")),
    Row("context timestamp a number", _context("timestamp", 5)),
    Row("context roles a text", _context("roles", "admin")),
    Row("context roles a number", _context("roles", 5)),
    Row("context roles of dicts", _context("roles", [{"a": 1}])),
    Row("context read_deleted unknown", _context("read_deleted", "maybe")),
    Row("context read_deleted a list", _context("read_deleted", ["no"])),
    Row("context is_admin a text", _context("is_admin", "yes")),
    Row("context catalog a text", _context("service_catalog", "x")),
    Row("context catalog of numbers", _context("service_catalog", [5])),
    Row("context user of 4000 digits", _context("user_id", _Text("9" * 4000))),
    Row("context user a list", _context("user_id", [1])),
    Row("context project with a NUL", _context("project_id", "a\0b")),
    Row("context with unknown keys", _context("nosuch", {"a": [1]})),
    Row("context key self", _context("self", 1)),
    Row("context key of nothing", _context("", 1)),
    Row("context nested 600 deep", _context("user_id", nested(600))),
    Row("context wholly absent", lambda basis: {f"_context_{key}": GONE for key in CONTEXT}),
]
REPLIES = [
    Row("time-out a word", _say(_timeout="soon")),
    Row("time-out negative", _say(_timeout=-1)),
    Row("time-out a list", _say(_timeout=[1])),
    Row("time-out of 400 digits", _say(_timeout=_Text("9" * 400))),
    Row("time-out infinite", _say(_timeout=float("inf"))),
    Row("unique id a list", _say(_unique_id=[1])),
    Row("message id a dict", _say(_msg_id={"a": 1})),
]
MESSAGES = [*METHODS, *VERSIONS, *ARGUMENTS, *NESTING, *OBJECTS, *CONTEXTS, *REPLIES]


@dataclass(frozen=True)
class Envelope:
    """The bytes of a message. ``make`` gets the good message and answers the body."""

    name: str
    make: Callable[[dict[str, Any]], bytes]
    content_type: str = "application/json"
    content_encoding: str = "utf-8"


def wrap(message: dict[str, Any]) -> bytes:
    """The envelope as the real services make it."""
    return json.dumps({"oslo.version": "2.0", "oslo.message": encode(message)}).encode()


def encode(message: Any) -> str:
    """JSON, with the parts that were given as text put in as they are."""
    texts: dict[str, str] = {}

    def keep(value: Any) -> str:
        if not isinstance(value, _Text):
            raise TypeError(type(value))
        mark = uuid.uuid4().hex
        texts[mark] = value.text
        return mark

    text = json.dumps(message, default=keep)
    for mark, real in texts.items():
        text = text.replace(f'"{mark}"', real)
    return text


def _envelope(version: Any, inner: Callable[[dict], Any] = encode) -> Callable[[dict], bytes]:
    return lambda message: json.dumps({"oslo.version": version, "oslo.message": inner(message)}).encode()


def _fixed(body: bytes) -> Callable[[dict], bytes]:
    return lambda message: body


ENVELOPES = [
    Envelope("no envelope", lambda message: json.dumps(message).encode()),
    Envelope("envelope 1.0", _envelope("1.0")),
    Envelope("envelope 2.1", _envelope("2.1")),
    Envelope("envelope 3.0", _envelope("3.0")),
    Envelope("envelope version a word", _envelope("newest")),
    Envelope("envelope version a number", _envelope(2.0)),
    Envelope("envelope version null", _envelope(None)),
    Envelope("message not text", _envelope("2.0", lambda message: message)),
    Envelope("message not JSON", _envelope("2.0", lambda message: "{ping")),
    Envelope("message a list", _envelope("2.0", lambda message: "[1, 2]")),
    Envelope("message a number", _envelope("2.0", lambda message: "7")),
    Envelope("message null", _envelope("2.0", lambda message: "null")),
    Envelope("message a text", _envelope("2.0", lambda message: '"ping"')),
    Envelope("body a list", _fixed(b"[1, 2]")),
    Envelope("body a number", _fixed(b"7")),
    Envelope("body null", _fixed(b"null")),
    Envelope("body empty", _fixed(b"")),
    Envelope("body not JSON", _fixed(b"{ping")),
    Envelope("body NUL bytes", _fixed(b"\0" * 100)),
    Envelope("body not UTF-8", _fixed(b'{"oslo.version": "2.0", "oslo.message": "\xff\xfe\xc3"}')),
    Envelope("body UTF-16", lambda message: wrap(message).decode().encode("utf-16"), content_encoding="utf-16"),
    Envelope("body nested 100000 deep", _fixed(b"[" * 100_000 + b"]" * 100_000)),
    Envelope("content type unknown", wrap, content_type="application/x-unknown"),
    Envelope("content type pickle", _fixed(b"\x80\x04N."), content_type="application/x-python-serialize"),
    Envelope("content type text", wrap, content_type="text/plain"),
    Envelope("content type empty", wrap, content_type=""),
    Envelope("encoding unknown", wrap, content_encoding="x-nowhere"),
    Envelope("encoding binary", wrap, content_encoding="binary"),
]


def message(basis: Basis, row: Row) -> dict[str, Any]:
    """The message of a row."""
    made = {**basis.message(), **row.change(basis)}
    return {key: value for key, value in made.items() if value is not GONE}
