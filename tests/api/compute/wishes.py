"""Fair requests for each of the 211 live operations: whom in the world the path names, the version, query and body.

Names in braces stand for ids of the world (world.build). An operation has one wish or, where the recording checks
another rule under a condition, one for each; `holds` are the recorded conditions that are true of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from fakes.api import PROJECT

from api.compute import recorded, world
from api.compute.wish_bodies import ACTIONS, BODIES, QUERIES, SERVER_OF, VALUES, VARIANTS

_ACTION_ROOTS = ("/servers/{id}/action", "/os-volumes_boot/{id}/action")


@dataclass(frozen=True)
class Wish:
    """One request, `name` tells it from others of its operation."""

    op_id: str
    name: str
    version: str
    query: str = ""
    body: Any = None
    values: dict[str, str] = field(default_factory=dict, hash=False)
    holds: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return f"{self.op_id} ({self.name})" if self.name else self.op_id

    def request(self, made: dict[str, str]) -> tuple[str, str, Any]:
        """(method, path with its query, body)."""
        method, _, rest = self.op_id.partition(" ")
        path = rest.partition(" #")[0] if rest != "/" else f"/{PROJECT}/"  # without a project it is open to all
        for name, value in self.values.items():
            path = path.replace("{" + name + "}", _filled(value, made))
        body = json.loads(_filled(json.dumps(self.body), made))
        return method, path + (f"?{_filled(self.query, made)}" if self.query else ""), body

    def rules(self) -> list[dict[str, Any]]:
        """The recorded policies that are checked on its way, in order."""
        version = recorded.parsed(self.version)
        rows = recorded.live()[self.op_id].get("policies", [])
        return [row for row in rows if all(self._holds(condition, version) for condition in row.get("when", ()))]

    def _holds(self, condition: str, version: recorded.Version) -> bool:
        sign, _, rest = condition.partition(" ")
        if condition in self.holds:
            return True
        if sign == ">=" and " " not in rest:
            return version >= recorded.parsed(rest)
        return sign == "<" and " " not in rest and version < recorded.parsed(rest)


def _filled(text: str, made: dict[str, str]) -> str:
    for name, value in made.items():
        text = text.replace("{" + name + "}", value)
    return text


def _plain(row: dict[str, Any]) -> Wish:
    op_id = row["id"]
    path, _, action = op_id.partition(" ")[2].partition(" #")
    body = BODIES.get(op_id)
    if action and body is None:
        known = path in _ACTION_ROOTS
        body = {action: ACTIONS.get(action) if known else None}
    return Wish(op_id, "", row["until"], QUERIES.get(op_id, ""), body, _values(op_id, path, action))


def _values(op_id: str, path: str, action: str) -> dict[str, str]:
    """Path parameter -> what it names."""
    collection = path.split("/")[1]
    found = {"server_id": SERVER_OF.get(op_id, "{server}")}
    if collection in ("servers", "os-volumes_boot") and "{server_id}" not in path:
        found["id"] = SERVER_OF.get(op_id) or SERVER_OF.get(action, "{server}")
    else:
        found |= VALUES.get(op_id) or VALUES.get(path) or VALUES.get("/" + collection, {})
    return found


def all_wishes() -> list[Wish]:
    """Every wish, in the order of the recording."""
    found = []
    for op_id, row in recorded.live().items():
        plain = _plain(row)
        first, *more = VARIANTS.get(op_id, [{}])
        for changes in ({"name": "", **first}, *more):
            holds = frozenset(changes.get("holds", ()))
            found.append(replace(plain, **{**changes, "holds": holds}))
    return found


def first_wishes() -> list[Wish]:
    """One wish for each operation."""
    seen: dict[str, Wish] = {}
    for wish in all_wishes():
        seen.setdefault(wish.op_id, wish)
    return list(seen.values())


__all__ = ["PROJECT", "Wish", "all_wishes", "first_wishes", "world"]
