"""Which servers of build requests match filters: in memory, because the server is one JSON text in its row.

Source: nova 34.0.0, answers of BuildRequestList.get_by_filters.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cmp_to_key
from typing import Any

_ALL, _ANY, _NOT_ALL, _NOT_ANY = "tags", "tags-any", "not-tags", "not-tags-any"
_IGNORED = {"changes-since", "changes-before", "cleaned", "soft_deleted"}
_PATTERNS = {"display_name", "display_description", "name", "ip", "ip6"}


def matching(server: Any, filters: Mapping[str, Any]) -> bool:
    """Whether a server (an object with `get`) is as the filters say. A planned server is never deleted."""
    return all(_matches(server, name, wanted) for name, wanted in filters.items())


def _matches(server: Any, name: str, wanted: Any) -> bool:
    if name == "deleted":
        return not wanted
    if name in _IGNORED:
        return True
    if name in (_ALL, _ANY, _NOT_ALL, _NOT_ANY):
        return _tagged({tag.tag for tag in server.get("tags") or ()}, name, set(wanted))
    if name in ("metadata", "system_metadata"):
        pairs = wanted if isinstance(wanted, list | tuple) else [wanted]
        held = server.get(name) or {}
        return all(held.get(key) == value for one in pairs for key, value in one.items())
    held = server.get(name) if name in server.fields else None
    if isinstance(wanted, list | tuple | set):
        return held in wanted
    if name in _PATTERNS and isinstance(wanted, str):
        return held is not None and re.search(wanted, str(held)) is not None
    return held == wanted if not isinstance(wanted, str) else str(held) == wanted


def _tagged(held: set[str], how: str, wanted: set[str]) -> bool:
    if how == _ALL:
        return wanted <= held
    if how == _ANY:
        return bool(wanted & held)
    return not wanted <= held if how == _NOT_ALL else not wanted & held


def page(
    requests: list[Any],
    marker: str | None,
    limit: int | None,
    sort_keys: Sequence[str] | None,
    sort_dirs: Sequence[str] | None,
) -> list[Any] | None:
    """Requests in order, behind the one of server `marker`; None when no request is of that server."""
    keys = list(sort_keys or ["created_at"])
    ways = list(sort_dirs or ["desc"] * len(keys))
    ordered = sorted(
        requests, key=cmp_to_key(lambda one, other: _compare(one, other, list(zip(keys, ways, strict=False))))
    )
    if marker is not None:
        uuids = [request.instance_uuid for request in ordered]
        if marker not in uuids:
            return None
        ordered = ordered[uuids.index(marker) + 1 :]
    return ordered if limit is None else ordered[:limit]


def _compare(one: Any, other: Any, order: list[tuple[str, str]]) -> int:
    for key, way in order:
        first, second = one.instance.get(key), other.instance.get(key)
        if first == second:
            continue
        less = first is None or (second is not None and first < second)
        return -1 if less == (way == "asc") else 1
    return 0
