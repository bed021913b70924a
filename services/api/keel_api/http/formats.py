"""String formats of the request schemas, by dialect (nova 34.0.0 and cinder 29.0.0 http formats).

A check takes a value of any JSON type and returns whether it fits; it raises Refused where clients are told the rule
instead of the value.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import netaddr
from oslo_utils import timeutils, uuidutils

Check = Callable[[Any], bool]


class Refused(ValueError):
    """The value does not fit; the text is the whole explanation for the client."""


def _strings(check: Callable[[str], bool]) -> Check:
    """A check that accepts everything but unfit strings."""
    return lambda value: not isinstance(value, str) or check(value)


def _uuid(value: Any) -> bool:
    return bool(uuidutils.is_uuid_like(value))


def _moment(value: str) -> bool:
    try:
        timeutils.parse_isotime(value)
    except ValueError:
        return False
    return True


def _base64(value: str) -> bool:
    try:
        base64.b64decode(value.encode())
    except (binascii.Error, ValueError):
        return False
    return True


def _cidr(value: str) -> bool:
    if "/" not in value or re.search(r"\s", value):
        return False
    try:
        netaddr.IPNetwork(value)
    except (netaddr.AddrFormatError, ValueError):
        return False
    return True


def _address(version: int) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        if "%" in value:
            return False
        try:
            return ipaddress.ip_address(value).version == version
        except ValueError:
            return False

    return check


def _regex(value: str) -> bool:
    try:
        re.compile(value)
    except re.error:
        return False
    return bool(value)


_URI_CHARS = re.compile(r"^(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$")


def _uri(value: str) -> bool:
    if not _URI_CHARS.match(value):
        return False
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return False
    return bool(parts.scheme and parts.hostname)


def printable(char: str) -> bool:
    """Below U+FFFF, no control character, no separator but the spaces (general category Zs)."""
    category = unicodedata.category(char)
    return char <= "\ufffe" and not category.startswith("C") and (not category.startswith("Z") or category == "Zs")


def _visible(char: str) -> bool:
    return printable(char) and unicodedata.category(char) != "Zs"


def _x_printable(value: str) -> bool:
    return all(map(printable, value.removesuffix("\n")))


def _name(value: Any, forbidden: str = "") -> bool:
    """Printable, without spaces at the ends; one line feed at the end slips through."""
    text = value.removesuffix("\n") if isinstance(value, str) else None
    if text is not None and (
        not text
        or (all(printable(c) and c not in forbidden for c in text) and _visible(text[0]) and _visible(text[-1]))
    ):
        return True
    extra = f" and must not contain '{forbidden}'" if forbidden else ""
    raise Refused(
        f"An invalid 'name' value was provided. The name must be printable characters{extra}; "
        "it can not start or end with whitespace."
    )


def _loose_name(value: Any, forbidden: str = "") -> bool:
    """As a name, outer spaces allowed, but not spaces alone (the legacy endpoint trims them)."""
    if isinstance(value, str) and any(_visible(c) for c in value):
        text = value.removesuffix("\n")
        if all(printable(c) and c not in forbidden for c in text):
            return True
    raise Refused(
        "An invalid 'name' value was provided. The name must be printable characters with at least one that is not "
        "whitespace."
    )


NOVA: dict[str, Check] = {
    "az_name": lambda value: _name(value, ":"),
    "az_name_with_leading_trailing_spaces": lambda value: _loose_name(value, ":"),
    "base64": _strings(_base64),
    "cidr": _strings(_cidr),
    "date-time": _strings(_moment),
    "ipv4": _strings(_address(4)),
    "ipv6": _strings(_address(6)),
    "name": _name,
    "name_with_leading_trailing_spaces": _loose_name,
    "regex": _strings(_regex),
    "uri": _strings(_uri),
    "uuid": _strings(_uuid),
    "x-printable": _strings(_x_printable),
}
"""``mac-address``, ``string`` and ``url`` stand in schemas but were never checked."""
