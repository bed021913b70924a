"""Reading the protobuf bodies that kubectl sends for some built-in types (create secret, namespace, evict...).

Only the messages of the table are known; others are refused with 415, and clients that send JSON lose nothing.
Field numbers are those of the published Kubernetes .proto files.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

MAGIC = b"k8s\x00"

# message -> field number -> (name, how to read it). "[x]" is a list of x, "{x}" a map from strings to x.
MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "ObjectMeta": {
        1: ("name", "text"),
        2: ("generateName", "text"),
        3: ("namespace", "text"),
        5: ("uid", "text"),
        6: ("resourceVersion", "text"),
        11: ("labels", "{text}"),
        12: ("annotations", "{text}"),
        14: ("finalizers", "[text]"),
    },
    "Secret": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "{bytes}"),
        3: ("type", "text"),
        4: ("stringData", "{text}"),
        5: ("immutable", "truth"),
    },
    "ConfigMap": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "{text}"),
        3: ("binaryData", "{bytes}"),
        4: ("immutable", "truth"),
    },
    "Namespace": {1: ("metadata", "ObjectMeta"), 2: ("spec", "Ignored"), 3: ("status", "Ignored")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta"), 4: ("automountServiceAccountToken", "truth")},
    "ResourceQuota": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ResourceQuotaSpec"), 3: ("status", "Ignored")},
    "ResourceQuotaSpec": {1: ("hard", "{Quantity}"), 2: ("scopes", "[text]")},
    "Quantity": {1: ("string", "text")},
    "Eviction": {1: ("metadata", "ObjectMeta"), 2: ("deleteOptions", "DeleteOptions")},
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "number"),
        2: ("preconditions", "Preconditions"),
        3: ("orphanDependents", "truth"),
        4: ("propagationPolicy", "text"),
        5: ("dryRun", "[text]"),
    },
    "Preconditions": {1: ("uid", "text"), 2: ("resourceVersion", "text")},
    "Ignored": {},
    "Unknown": {1: ("typeMeta", "TypeMeta"), 2: ("raw", "raw")},
    "TypeMeta": {1: ("apiVersion", "text"), 2: ("kind", "text")},
}


READABLE = ("ConfigMap", "DeleteOptions", "Eviction", "Namespace", "ResourceQuota", "Secret", "ServiceAccount")


class Unreadable(Exception):
    """The body is no message of the table."""


def read(body: bytes) -> dict[str, Any]:
    """The object in a protobuf body. Raises Unreadable."""
    if not body.startswith(MAGIC):
        raise Unreadable("the body does not begin as a Kubernetes protobuf object does")
    try:
        outer = _message(body[len(MAGIC) :], "Unknown")
        kind = outer["typeMeta"]["kind"]
        if kind not in READABLE:
            raise Unreadable(f"{kind} is not read from protobuf here")
        return {**outer["typeMeta"], **_message(outer.get("raw", b""), kind)}
    except (IndexError, KeyError, UnicodeDecodeError) as error:
        raise Unreadable(f"the body is cut short or damaged: {error}") from error


def _message(data: bytes, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, value in _fields(data):
        if number not in MESSAGES[name]:
            continue
        field, form = MESSAGES[name][number]
        if form.startswith("["):
            found.setdefault(field, []).append(_value(value, form[1:-1]))
        elif form.startswith("{"):
            entry = dict(_fields(value))
            found.setdefault(field, {})[entry.get(1, b"").decode()] = _value(entry.get(2, b""), form[1:-1])
        elif value != b"" or form not in ("text", "bytes"):  # empty texts are written out but mean absent
            found[field] = _value(value, form)
    return found


def _value(value: Any, form: str) -> Any:
    match form:
        case "text":
            return value.decode()
        case "bytes":
            return base64.b64encode(value).decode()
        case "raw":
            return value
        case "truth":
            return bool(value)
        case "number":
            return value
        case "Quantity":
            return _message(value, form).get("string", "0")
    return _message(value, form)


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """(field number, value): a number for varints, bytes for everything with a length."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                yield key >> 3, value
            case 2:
                length, at = _varint(data, at)
                if at + length > len(data):
                    raise Unreadable("the body is cut short")
                yield key >> 3, data[at : at + length]
                at += length
            case 1 | 5 as wire:
                at += 8 if wire == 1 else 4
            case _:
                raise Unreadable("the body has a field of an unknown form")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        result |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return result, at
