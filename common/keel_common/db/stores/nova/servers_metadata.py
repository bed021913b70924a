"""Metadata and tags of servers in their cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from keel_common.db import add, cas, schema, soft_delete

TABLES = schema.nova_cell.tables
METADATA = TABLES["instance_metadata"]
TAGS = TABLES["tags"]
INSTANCES = TABLES["instances"]


def metadata(conn: sa.Connection, uuid: str) -> dict[str, str]:
    """Return the metadata of a server."""
    query = sa.select(METADATA.c.key, METADATA.c.value).where(METADATA.c.instance_uuid == uuid, METADATA.c.deleted == 0)
    return {row.key: row.value for row in conn.execute(query)}


def set_metadata(conn: sa.Connection, uuid: str, wanted: Mapping[str, str], replace: bool = False) -> None:
    """Write keys; `replace` removes every other key."""
    held = metadata(conn, uuid)
    gone = set(held) - set(wanted) if replace else set()
    if gone:
        delete_metadata(conn, uuid, gone)
    for key, value in wanted.items():
        if key in held and held[key] != value:
            cas(conn, METADATA, {"value": value}, [*_living(uuid), METADATA.c.key == key])
    fresh = [{"instance_uuid": uuid, "key": k, "value": v} for k, v in wanted.items() if k not in held]
    if fresh:
        add(conn, METADATA, *fresh)
    _touch(conn, uuid)


def delete_metadata(conn: sa.Connection, uuid: str, keys: Iterable[str]) -> int:
    """Remove keys; returns how many there were."""
    return soft_delete(conn, METADATA, [METADATA.c.instance_uuid == uuid, METADATA.c.key.in_(list(keys))])


def _living(uuid: str) -> list[sa.ColumnElement[bool]]:
    return [METADATA.c.instance_uuid == uuid, METADATA.c.deleted == 0]


def _touch(conn: sa.Connection, uuid: str) -> None:
    cas(conn, INSTANCES, {}, [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])


def tags(conn: sa.Connection, uuid: str) -> list[str]:
    """Return the tags of a server, sorted."""
    query = sa.select(TAGS.c.tag).where(TAGS.c.resource_id == uuid)
    return sorted(row.tag for row in conn.execute(query))


def replace_tags(conn: sa.Connection, uuid: str, wanted: Iterable[str]) -> list[str]:
    """Make the tags exactly these; returns them sorted, once each."""
    names = sorted(set(wanted))
    conn.execute(sa.delete(TAGS).where(TAGS.c.resource_id == uuid))
    if names:
        add(conn, TAGS, *[{"resource_id": uuid, "tag": name} for name in names])
    return names


def add_tag(conn: sa.Connection, uuid: str, tag: str) -> None:
    """Add one tag that is not there yet."""
    add(conn, TAGS, {"resource_id": uuid, "tag": tag})


def delete_tag(conn: sa.Connection, uuid: str, tag: str) -> bool:
    """Remove one tag; False when it was not there."""
    return conn.execute(sa.delete(TAGS).where(TAGS.c.resource_id == uuid, TAGS.c.tag == tag)).rowcount > 0
