"""What a list of servers is asked for, as conditions that both SQL and plain dicts can be tested by.

Rules: nova 34.0.0 list_rules (servers) and status_map. A `Condition` names an instances column or one of the special
keys: `deleted`, `tags`, `tags-any`, `not-tags`, `not-tags-any`, `ip`, `ip6`, `changes-since`, `changes-before`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from keel_common.domain.server.tables import table

EXACT = frozenset({"project_id", "user_id", "image_ref", "vm_state", "flavor", "uuid", "host", "task_state", "locked"})
_RENAMED = {"image": "image_ref", "name": "display_name", "tenant_id": "project_id"}
TAG_KEYS = frozenset({"tags", "tags-any", "not-tags", "not-tags-any"})
ADDRESS_KEYS = frozenset({"ip", "ip6"})
SOFT_DELETED = "soft-delete"
Found = Callable[[str, Any], bool]


@dataclass(frozen=True)
class Condition:
    """One condition: `op` is eq, in, regex, since, before, tag or address; `key` names what it is about."""

    op: str
    key: str
    value: Any


@dataclass(frozen=True)
class Selection:
    """Everything a list is narrowed by.

    `deleted` None = both alive and deleted records (changes-since and changes-before); True or False = only these.
    `soft_deleted` says whether servers waiting for reclaim belong to it.
    """

    conditions: tuple[Condition, ...]
    deleted: bool | None = False
    soft_deleted: bool = False

    def value(self, key: str) -> Any:
        """Return the value of the first condition about `key`, or None."""
        return next((c.value for c in self.conditions if c.key == key), None)

    def without(self, *ops: str) -> "Selection":
        """Return the same selection without the conditions of the given ops."""
        kept = tuple(c for c in self.conditions if c.op not in ops)
        return Selection(kept, self.deleted, self.soft_deleted)

    def plus(self, *conditions: Condition) -> "Selection":
        """Return the same selection with more conditions."""
        return Selection(self.conditions + conditions, self.deleted, self.soft_deleted)


def permitted(query: Mapping[str, Any], version: tuple[int, int], all_filters: bool) -> dict[str, Any]:
    """Return the filters of `query` that count: without `all_filters` every other key is dropped silently.

    ValueError with the sentence for the user on a key no one may filter by (joined tables, leading underscore).
    """
    rules = table("lists")
    filters = {k: v for k, v in query.items() if k not in rules["paging"]}
    if not all_filters:
        allowed = _since(rules["filters"], version)
        return {k: v for k, v in filters.items() if k in allowed}
    refused = sorted(k for k in filters if k in rules["joined"] or k.startswith("_"))
    if refused:
        raise ValueError("Invalid filters " + ", ".join(refused) + " are specified.")
    return filters


def compile_selection(
    filters: Mapping[str, Any], columns: frozenset[str], deleted: bool | None, soft_deleted: bool
) -> Selection:
    """Turn permitted filters into a selection; keys that are no column of `columns` are ignored.

    Values: `vm_state` and `task_state` may be lists; tag values are comma separated; dates are datetimes.
    """
    conditions = []
    for key, value in filters.items():
        conditions += _condition(_RENAMED.get(key, key), value, columns)
    return Selection(tuple(conditions), deleted, soft_deleted)


def _condition(key: str, value: Any, columns: frozenset[str]) -> list[Condition]:
    if key in TAG_KEYS:
        return [Condition("tag", key, tuple(t for t in str(value).split(",") if t))]
    if key in ADDRESS_KEYS:
        return [Condition("address", key, value)]
    if key == "changes-since":
        return [Condition("since", "updated_at", value)]
    if key == "changes-before":
        return [Condition("before", "updated_at", value)]
    if key == "flavor":
        return [Condition("eq", "instance_type_id", value)]
    if key == "deleted" or key not in columns:
        return []
    if isinstance(value, list | tuple | set | frozenset):
        return [Condition("in", key, tuple(sorted(value, key=str)))]
    if key in EXACT:
        return [Condition("eq", key, value)]
    return [Condition("regex", key, str(value))]


def matches(server: Mapping[str, Any], selection: Selection, found: Found) -> bool:
    """Say whether a server that is no row yet (a build request) belongs to a selection.

    `found(pattern, text)` searches a text for a pattern of the user (keel_common.patterns).
    """
    if selection.deleted:
        return False
    return all(_matches(server, condition, found) for condition in selection.conditions)


def _matches(server: Mapping[str, Any], c: Condition, found: Found) -> bool:
    if c.op == "tag":
        return _tags_match(c.key, set(c.value), set(server.get("tags", ())))
    if c.op == "address":
        return any(found(c.value, address) for address in addresses(server, 4 if c.key == "ip" else 6))
    value = server.get(c.key)
    if c.op == "eq":
        return value == c.value
    if c.op == "in":
        return value in c.value
    if c.op == "regex":
        return found(c.value, value)
    moved: datetime | None = value or server.get("created_at")
    if moved is None:
        return False
    return moved >= c.value if c.op == "since" else moved <= c.value


def _tags_match(key: str, wanted: set[str], tags: set[str]) -> bool:
    if key == "tags":
        return wanted <= tags
    if key == "tags-any":
        return bool(wanted & tags)
    if key == "not-tags":
        return not wanted <= tags
    return not wanted & tags


def addresses(server: Mapping[str, Any], family: int) -> list[str]:
    """Return the fixed addresses of one IP version in the cached network info of a server."""
    return [
        ip["address"]
        for vif in server.get("network_info", ())
        for subnet in vif["network"]["subnets"]
        for ip in subnet["ips"]
        if ip.get("version") == family
    ]


def sorting(keys: list[str], dirs: list[str], version: tuple[int, int]) -> list[tuple[str, str]]:
    """Return (column, direction) pairs for the asked keys; ignored keys fall out with their direction.

    ValueError with the sentence for the user. Without keys: newest first. created_at, id and uuid end every order.
    """
    ignored = _since(table("lists")["ignored_sort"], version)
    if len(dirs) > len(keys):
        raise ValueError("Invalid input received: Sort direction size exceeds sort key size")
    if any(d not in ("asc", "desc") for d in dirs):
        raise ValueError("Invalid input received: Unknown sort direction, must be 'desc' or 'asc'")
    unknown = [key for key in keys if key not in table("lists")["sort_keys"] and key not in ignored]
    if unknown:  # under /v2 no schema has looked at them
        raise ValueError(f"Invalid input received: Sort key supplied was not valid: {unknown[0]}")
    default = dirs[0] if dirs else "desc"
    padded = dirs + [default] * (len(keys) - len(dirs))
    pairs = [(k, d) for k, d in zip(keys, padded, strict=True) if k not in ignored]
    named = {k for k, _ in pairs}
    return pairs + [(k, default) for k in ("created_at", "id", "uuid") if k not in named]


def _since(by_version: Mapping[str, Any], version: tuple[int, int]) -> Any:
    steps = sorted((tuple(int(n) for n in since.split(".")), value) for since, value in by_version.items())
    return [value for since, value in steps if since <= version][-1]
