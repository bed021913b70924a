"""Turns the recorded option rows into oslo.config options.

A row is `[group, name, type, default, extras]`; extras may hold choices, min, max, regex, schemes, max_length, item,
secret, mutable, was (deprecated names as [group, name]) and deprecated (release or true).
Source of the rows: nova 34.0.0 and cinder 29.0.0 config.
"""

import json
import os
import socket
import sys
from importlib import resources
from typing import Any

from oslo_config import cfg, types
from oslo_utils import netutils

_SCALARS = {
    "String": types.String,
    "Integer": types.Integer,
    "Float": types.Float,
    "Boolean": types.Boolean,
    "Port": types.Port,
    "HostAddress": types.HostAddress,
    "HostDomain": types.HostDomain,
    "URI": types.URI,
}
_LIMITS = ("choices", "min", "max", "regex", "schemes", "max_length", "ignore_case")


class RecordedOpt(cfg.Opt):
    """An option known from the recording.

    A library that registers the same name later meets this one and leaves it: oslo.config compares the two with `!=`.
    So the recorded default (control_exchange of nova, say) wins over the one of the library.
    """

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, cfg.Opt) or other.dest != self.dest

    def __eq__(self, other: object) -> bool:
        return not self != other

    __hash__ = object.__hash__


class RecordedMultiOpt(RecordedOpt):
    """A recorded option that may stand several times in a file."""

    multi = True


def _type(kind: str, extras: dict[str, Any]) -> Any:
    if kind == "List":
        item = dict(extras.get("item") or {"type": "String"})
        return types.List(item_type=_type(item.pop("type"), item))
    if kind == "Dict":
        return types.Dict()
    return _SCALARS[kind](**{name: extras[name] for name in _LIMITS if name in extras})


def _default(value: Any) -> Any:
    """Defaults that the recording could only name, because they depend on the machine."""
    if value == "<hostname>":
        return socket.gethostname()
    if value == "<ipv4>":
        return netutils.get_my_ipv4()
    if value == "<prefix>":
        return sys.prefix
    if value == "<cpus>":
        return os.cpu_count()
    return value


def option(row: list[Any]) -> tuple[str, RecordedOpt]:
    """(group, option) of one recorded row."""
    group, name, kind, default = row[:4]
    extras = row[4] if len(row) > 4 else {}
    cls: type[RecordedOpt] = RecordedOpt
    if kind.startswith("Multi"):
        cls, kind = RecordedMultiOpt, kind.removeprefix("Multi") or "String"
    since = extras.get("deprecated")
    return group, cls(
        name,
        type=_type(kind, extras),
        default=_default(default),
        secret=extras.get("secret", False),
        mutable=extras.get("mutable", False),
        deprecated_opts=[cfg.DeprecatedOpt(old, group=where) for where, old in extras.get("was", ())],
        deprecated_for_removal=bool(since),
        deprecated_since=since if isinstance(since, str) else None,
    )


def recorded(project: str) -> list[tuple[str, RecordedOpt]]:
    """Every recorded option of `nova` or `cinder` as (group, option)."""
    text = resources.files(__package__).joinpath(f"data/{project}.json").read_text()
    return [option(row) for row in json.loads(text)]
