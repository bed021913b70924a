"""The compiled route table: path segments and method to operations.

Fixed segments win over parameters. Empty segments are skipped (both suites accept ``//``), a trailing slash is another
path, and an unknown path or method is the same plain 404: there is no 405 (nova 34.0.0 http discovery, measured).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from keel_api.http.ops import Op, StartupError

_PARAM = "{}"


@dataclass
class Endpoint:
    """What stands behind one path and method: a plain operation, or body actions by key."""

    plain: Op | None = None
    actions: dict[str, Op] = field(default_factory=dict)


@dataclass
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    methods: dict[str, Endpoint] = field(default_factory=dict)


class Routes:
    """Built once at start from the operations; raises StartupError when two claim the same place."""

    def __init__(self, ops: Iterable[Op]):
        self._root = _Node()
        for op in ops:
            node = self._root
            for part in _split(op.path):
                node = node.children.setdefault(_PARAM if part.startswith("{") else part, _Node())
            endpoint = node.methods.setdefault(op.method, Endpoint())
            if op.action is None:
                if endpoint.plain is not None:
                    raise StartupError(f"{op.id} and {endpoint.plain.id} share a route")
                endpoint.plain = op
            elif op.action in endpoint.actions:
                raise StartupError(f"{op.id} and {endpoint.actions[op.action].id} share a route")
            else:
                endpoint.actions[op.action] = op

    def find(self, method: str, path: str) -> tuple[Endpoint, tuple[str, ...]] | None:
        """The endpoint of a path below the version (and project) and the values of its parameters, or None."""
        if path.endswith("/") and path.strip("/"):
            return None
        return _match(self._root, _split(path), 0, method, ())


def _split(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _match(
    node: _Node, parts: list[str], at: int, method: str, values: tuple[str, ...]
) -> tuple[Endpoint, tuple[str, ...]] | None:
    if at == len(parts):
        endpoint = node.methods.get(method)
        return None if endpoint is None else (endpoint, values)
    fixed = node.children.get(parts[at])
    if fixed is not None:
        found = _match(fixed, parts, at + 1, method, values)
        if found is not None:
            return found
    param = node.children.get(_PARAM)
    return None if param is None else _match(param, parts, at + 1, method, (*values, parts[at]))
