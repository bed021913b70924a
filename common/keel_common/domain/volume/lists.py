"""Rules of the lists: which filters a caller may use, how sorting and paging are asked for (source: cinder 29.0.0
list rules).

Everything here raises `ListRefused` (a 400) with a text for the caller.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_INT = 2147483647
Version = tuple[int, int]

_TRUE = {"true", "t", "yes", "y", "on", "1"}
_FALSE = {"false", "f", "no", "n", "off", "0"}
_LIKE_SINCE = (3, 31)
_COUNT_SINCE = (3, 45)
ANY = ("any key",)
_PAGING_KEYS = ("limit", "offset", "marker", "sort", "sort_key", "sort_dir")


class ListRefused(ValueError):
    """The query cannot be answered; the text says why."""


@dataclass(frozen=True)
class ListRules:
    """Rules of one kind of list.

    resource: name in the resource filter file. before: keys a member may use below `strict_since` (None: those of the
    file).
    since: keys that are dropped below a microversion. alias: key -> column. booleans: columns compared as booleans.
    keep_text: columns whose value is never read as a literal. sort_alias: key -> (column, since). no_column_before:
    keys
    that below `strict_since` are kept although no column has their name, so that they match nothing. countable: the
    total
    can be asked for (elsewhere with_count is an unknown filter).
    """

    resource: str
    sort_keys: frozenset[str]
    alias: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, Version] = field(default_factory=dict)
    before: tuple[str, ...] | None = None
    booleans: frozenset[str] = frozenset()
    keep_text: frozenset[str] = frozenset()
    sort_alias: Mapping[str, tuple[str, Version]] = field(default_factory=dict)
    strict_since: Version = (3, 31)
    strict_booleans_since: Version = (3, 0)
    always: tuple[str, ...] = ()
    no_column_before: frozenset[str] = frozenset()
    countable: bool = False


@dataclass(frozen=True)
class Paging:
    """What part of a list is wanted and in which order. `sort`: (column, "asc" | "desc") pairs, unique at the end."""

    limit: int
    offset: int
    marker: str | None
    sort: tuple[tuple[str, str], ...]
    limit_given: bool


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BASE = "created_at updated_at deleted_at deleted id "

VOLUMES = ListRules(
    "volume",
    _keys(
        _BASE
        + "_name_id attach_status availability_zone bootable cluster_name consistencygroup_id display_description "
        "display_name ec2_id encryption_key_id group_id host launched_at migration_status multiattach previous_status "
        "project_id provider_auth provider_geometry provider_id provider_location replication_driver_data "
        "replication_extended_status replication_status scheduled_at service_uuid shared_targets size snapshot_id "
        "source_volid status terminated_at use_quota user_id volume_type_id"
    ),
    alias={
        "name": "display_name",
        "name~": "display_name~",
        "description~": "display_description~",
        "consumes_quota": "use_quota",
    },
    since={
        "glance_metadata": (3, 4),
        "group_id": (3, 10),
        "created_at": (3, 31),
        "updated_at": (3, 31),
        "consumes_quota": (3, 65),
        "use_quota": (3, 65),
    },
    booleans=_keys("bootable multiattach deleted use_quota shared_targets"),
    keep_text=_keys("display_name display_name~ created_at updated_at"),
    sort_alias={"name": ("display_name", (3, 0))},
    strict_booleans_since=(3, 2),
    no_column_before=_keys("consumes_quota"),
    countable=True,
)

SNAPSHOTS = ListRules(
    "snapshot",
    _keys(
        _BASE
        + "cgsnapshot_id display_description display_name encryption_key_id group_snapshot_id progress project_id "
        "provider_auth provider_id provider_location scheduled_at status use_quota user_id volume_id volume_size "
        "volume_type_id"
    ),
    alias={"name": "display_name", "name~": "display_name~", "consumes_quota": "use_quota"},
    since={"metadata": (3, 22), "consumes_quota": (3, 65), "use_quota": (3, 65)},
    before=("status", "volume_id", "name", "metadata"),
    booleans=_keys("deleted use_quota"),
    keep_text=_keys("display_name display_name~"),
    sort_alias={"name": ("display_name", (3, 30))},
    no_column_before=_keys("consumes_quota"),
    countable=True,
)

ATTACHMENTS = ListRules(
    "attachment",
    _keys(
        _BASE
        + "attach_mode attach_status attach_time attached_host connection_info connector detach_time instance_uuid "
        "mountpoint volume_id"
    ),
    alias={"instance_id": "instance_uuid"},
    before=("volume_id", "status", "instance_id", "attach_status"),
    booleans=_keys("deleted"),
)

TYPES = ListRules(
    "volume_type",
    _keys(_BASE + "description is_public name qos_specs_id"),
    before=("is_public",),
    strict_since=(3, 52),
    always=("is_public",),
    keep_text=_keys("name description"),
)

MESSAGES = ListRules(
    "message",
    _keys(
        _BASE
        + "action_id detail_id event_id expires_at message_level project_id request_id resource_type resource_uuid"
    ),
    before=ANY,
    booleans=_keys("deleted"),
    keep_text=_keys("event_id request_id message_level resource_type resource_uuid action_id detail_id"),
)

BACKUPS = ListRules(
    "backup",
    _keys(
        _BASE
        + "availability_zone container data_timestamp display_description display_name encryption_key_id fail_reason "
        "host num_dependent_backups object_count parent_id project_id restore_volume_id service service_metadata size "
        "snapshot_id status temp_snapshot_id temp_volume_id user_id volume_id"
    ),
    alias={"name": "display_name", "name~": "display_name~"},
    before=("name", "status", "volume_id"),
    booleans=_keys("deleted"),
    keep_text=_keys("display_name display_name~"),
    sort_alias={"name": ("display_name", (3, 37))},
    countable=True,
)

_GROUP_KEYS = _keys(
    _BASE + "availability_zone cluster_name description group_snapshot_id group_type_id host name project_id "
    "replication_status source_group_id status user_id"
)
GROUPS = ListRules(
    "group",
    _GROUP_KEYS,
    before=ANY,
    booleans=_keys("deleted"),
    keep_text=_keys("name name~ description"),
)

#: The old list of consistency groups knows no filter file.
CONSISTENCY_GROUPS = ListRules(
    "consistencygroup",
    _GROUP_KEYS,
    before=ANY,
    strict_since=(9, 0),
    booleans=_keys("deleted"),
    keep_text=_keys("name description"),
)

GROUP_SNAPSHOTS = ListRules(
    "group_snapshot",
    _keys(_BASE + "description group_id group_type_id name project_id status user_id"),
    before=("name", "status", "group_id"),
    booleans=_keys("deleted"),
    keep_text=_keys("name name~ description"),
)

GROUP_TYPES = ListRules(
    "group_type",
    _keys(_BASE + "description is_public name"),
    before=("is_public",),
    strict_since=(9, 0),
    keep_text=_keys("name description"),
)

QOS_SPECS = ListRules(
    "qos_specs",
    _keys("created_at updated_at deleted_at deleted id specs_id key value"),
    before=("id", "name", "consumer"),
    always=("id", "name", "consumer"),
    keep_text=_keys("id key value specs_id"),
)

TRANSFERS = ListRules(
    "transfer",
    _keys(
        _BASE
        + "accepted crypt_hash destination_project_id display_name expires_at no_snapshots salt source_project_id "
        "volume_id"
    ),
    alias={"name": "display_name"},
    before=ANY,
    strict_since=(9, 0),
    booleans=_keys("deleted no_snapshots accepted"),
    keep_text=_keys("display_name id volume_id source_project_id destination_project_id"),
)


def strict_boolean(name: str, value: Any) -> bool:
    """True or False of a spelled boolean; anything else is refused."""
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ListRefused(f"Invalid value '{value}' for {name}: not a boolean.")


def lenient_boolean(value: Any) -> bool:
    """True for a spelled true, False for anything else."""
    return str(value).strip().lower() in _TRUE


def _whole(name: str, value: Any, top: int | None = None) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise ListRefused(f"{name} param must be an integer") from None
    if number < 0:
        raise ListRefused(f"{name} param must be positive")
    if top is not None and number > top:
        raise ListRefused(f"{name} param is too large")
    return number


def _sort_pairs(rules: ListRules, query: Mapping[str, Any]) -> list[tuple[str, str]]:
    keys, text = query.get("sort_key"), query.get("sort")
    if text is not None and (keys is not None or query.get("sort_dir") is not None):
        raise ListRefused("The 'sort_key' and 'sort_dir' parameters cannot be used with the 'sort' parameter.")
    if text is None:
        return [((keys or "created_at").strip(), (query.get("sort_dir") or "desc").strip())]
    pairs = []
    for part in str(text).split(","):
        key, _, direction = part.strip().partition(":")
        pairs.append((key or "created_at", direction or "desc"))
    return pairs


def paging(rules: ListRules, query: Mapping[str, Any], version: Version, top: int) -> Paging:
    """Sort order, limit, offset and marker of a query. `top`: osapi_max_limit, which cuts the limit."""
    sort = []
    for key, direction in _sort_pairs(rules, query):
        column, since = rules.sort_alias.get(key, (key, (3, 0)))
        if column not in rules.sort_keys or version < since:
            raise ListRefused(f"Invalid sort key '{key}'.")
        if direction not in ("asc", "desc"):
            raise ListRefused(f"Unknown sort direction '{direction}', must be 'asc' or 'desc'.")
        sort.append((column, direction))
    named = {column for column, _ in sort}
    sort.extend((column, sort[0][1]) for column in ("created_at", "id") if column not in named)
    limit = query.get("limit")
    return Paging(
        limit=top if limit is None else min(_whole("limit", limit), top),
        offset=_whole("offset", query.get("offset", 0), MAX_INT),
        marker=query.get("marker"),
        sort=tuple(sort),
        limit_given=limit is not None,
    )


def with_count(rules: ListRules, query: Mapping[str, Any], version: Version) -> bool:
    """Whether the total is asked for (3.45 and above)."""
    if not rules.countable or version < _COUNT_SINCE or "with_count" not in query:
        return False
    return strict_boolean("with_count", query["with_count"])


def oldest_first(top: int) -> Paging:
    """Everything in the order of creation (lists that hear no paging keys)."""
    return Paging(limit=top, offset=0, marker=None, sort=(("created_at", "asc"), ("id", "asc")), limit_given=False)


def newest_first(limit: int, offset: int = 0) -> Paging:
    """A part of a list without sort keys, links or markers."""
    sort = (("created_at", "desc"), ("id", "desc"))
    return Paging(limit=limit, offset=offset, marker=None, sort=sort, limit_given=True)


def _not_filters(rules: ListRules, version: Version) -> set[str]:
    keys = {*_PAGING_KEYS, "all_tenants"}
    return keys | {"with_count"} if rules.countable and version >= _COUNT_SINCE else keys


def _member_filters(rules: ListRules, filters: dict[str, Any], version: Version, declared: Collection[str]) -> dict:
    if version >= rules.strict_since:
        wrong = sorted(key for key in filters if key not in declared and key not in rules.always)
        if wrong:
            raise ListRefused(f"Invalid filters {', '.join(wrong)} are found in query options.")
        return filters
    if rules.before == ANY:
        return filters
    allowed = declared if rules.before is None else rules.before
    return {key: value for key, value in filters.items() if key in allowed}


def _literal(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _value(rules: ListRules, key: str, value: Any, version: Version) -> Any:
    if key in rules.booleans:
        if version >= rules.strict_booleans_since:
            return strict_boolean(key, value)
        return bool(value) if value not in ("False", "false", "FALSE") else False
    return value if key in rules.keep_text else _literal(value)


def filters(
    rules: ListRules, query: Mapping[str, Any], version: Version, is_admin: bool, declared: Collection[str]
) -> dict[str, Any]:
    """Column -> value of the filters in force for this caller.

    `declared`: keys of the resource filter file. Members are refused (or, at old versions, not heard) when they use
    others;
    administrators never are: a key that is no column gives them an empty list. `key~` (3.31 for them, 3.34 for
    members) asks for a part of the
    value.
    """
    hidden = _not_filters(rules, version)
    asked = {key: value for key, value in query.items() if key not in hidden}
    for key in asked:
        if not key.isascii():
            raise ListRefused(f"Filter key {key} contains non-ASCII characters.")
    unknown = rules.no_column_before if version < rules.strict_since else frozenset()
    asked = {key: value for key, value in asked.items() if version >= rules.since.get(key, (3, 0)) or key in unknown}
    if version < _LIKE_SINCE:
        asked = {key: value for key, value in asked.items() if not key.endswith("~")}
    if not is_admin:
        asked = _member_filters(rules, asked, version, declared)
    named = {key if key in unknown else rules.alias.get(key, key): value for key, value in asked.items()}
    return {key: _value(rules, key, value, version) for key, value in named.items()}
