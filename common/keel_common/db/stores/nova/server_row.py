"""One living server with parts of other tables in one statement: what a save looks at and tells again."""

from collections.abc import Collection
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db.gathered import json_array_of, json_object_of
from keel_common.db.stores.nova.rows import TABLES, Row

INSTANCES = TABLES["instances"]
CACHE = TABLES["instance_info_caches"]
TAGS = TABLES["tags"]
PAIRS = {"metadata": TABLES["instance_metadata"], "system_metadata": TABLES["instance_system_metadata"]}
GATHERED = frozenset({"metadata", "system_metadata", "info_cache", "tags"})
_CACHE_COLUMNS = ("created_at", "updated_at", "deleted_at", "deleted", "instance_uuid", "network_info")


def read(conn: sa.Connection, uuid: str, parts: Collection[str] = ()) -> Row | None:
    """The columns of `instances` (`deleted`, `cleaned` as booleans) and `parts` of GATHERED; None: no such server."""
    wanted = frozenset(parts) & GATHERED
    found = conn.execute(_statement(wanted), {"server": uuid}).mappings().first()
    if found is None:
        return None
    row = dict(found)
    row["deleted"], row["cleaned"] = False, row["cleaned"] == 1
    for part in wanted & PAIRS.keys():
        row[part] = orjson.loads(row.pop(f"gathered_{part}") or "{}")
    if "tags" in wanted:
        names = orjson.loads(row.pop("gathered_tags") or "[]")
        row["tags"] = [{"resource_id": uuid, "tag": name} for name in sorted(names)]
    if "info_cache" in wanted:
        cached = {name: row.pop(f"cache_{name}") for name in _CACHE_COLUMNS}
        row["info_cache"] = cached if cached["instance_uuid"] else None
    return row


@cache
def _statement(parts: frozenset[str]) -> sa.Select[Any]:
    query: sa.Select[Any] = sa.select(INSTANCES)
    for part in sorted(parts & PAIRS.keys()):
        table = PAIRS[part]
        pairs = sa.select(json_object_of(table.c.key, table.c.value))
        mine = pairs.where(table.c.instance_uuid == INSTANCES.c.uuid, table.c.deleted == 0)
        query = query.add_columns(mine.correlate(INSTANCES).scalar_subquery().label(f"gathered_{part}"))
    if "tags" in parts:
        mine = sa.select(json_array_of(TAGS.c.tag)).where(TAGS.c.resource_id == INSTANCES.c.uuid)
        query = query.add_columns(mine.correlate(INSTANCES).scalar_subquery().label("gathered_tags"))
    if "info_cache" in parts:
        query = query.add_columns(*(CACHE.c[name].label(f"cache_{name}") for name in _CACHE_COLUMNS))
        query = query.outerjoin(CACHE, CACHE.c.instance_uuid == INSTANCES.c.uuid)
    return query.where(INSTANCES.c.uuid == sa.bindparam("server"), INSTANCES.c.deleted == 0)
