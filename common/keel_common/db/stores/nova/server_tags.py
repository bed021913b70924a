"""Tags and shares of servers, as Nova's objects change them."""

import uuid as uuids
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import cas
from keel_common.db.stores.nova import extras, records
from keel_common.db.stores.nova.extras import SHARES, TAGS
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, every

SERVERS = TABLES["instances"]


def tags(conn: sa.Connection, server: str) -> list[str] | None:
    """Tags of a server; None when it is not there."""
    return extras.tags(conn, server) if _is_there(conn, server) else None


def add_tag(conn: sa.Connection, server: str, tag: str) -> bool:
    """Adds a tag unless it is there; False when the server is not."""
    if not _is_there(conn, server):
        return False
    if tag not in extras.tags(conn, server):
        conn.execute(sa.insert(TAGS).values(resource_id=server, tag=tag))
    return True


def remove_tag(conn: sa.Connection, server: str, tag: str) -> bool | None:
    """Deletes a tag: whether it was there; None when the server is not."""
    if not _is_there(conn, server):
        return None
    return conn.execute(sa.delete(TAGS).where(TAGS.c.resource_id == server, TAGS.c.tag == tag)).rowcount > 0


def replace_tags(conn: sa.Connection, server: str, wanted: Iterable[str]) -> bool:
    """Makes the tags of a server equal `wanted`; False when it is not there."""
    if not _is_there(conn, server):
        return False
    extras.replace_tags(conn, server, wanted)
    return True


def save_share(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """The mapping of a server and share with these values: the one there is, or a new one."""
    known = {name: value for name, value in columns_of(SHARES, values).items() if name not in ("id", "created_at")}
    key = {name: known[name] for name in ("instance_uuid", "share_id")}
    row = records.one(conn, SHARES, **key)
    if row is None:
        return records.create(conn, SHARES, {"uuid": str(uuids.uuid4()), **known})
    changes = {name: value for name, value in known.items() if name not in ("uuid", "updated_at")}
    cas(conn, SHARES, changes, [SHARES.c.id == row["id"]])
    return records.one(conn, SHARES, id=row["id"]) or {}


def remove_share(conn: sa.Connection, server: str, share: str) -> bool:
    """Deletes the mapping; False when there is none."""
    return records.remove(conn, SHARES, instance_uuid=server, share_id=share) > 0


def shares_of_host(conn: sa.Connection, host: str) -> list[Row]:
    """Mappings of the living servers of a host, whatever state they are in."""
    query = sa.select(SHARES).join(SERVERS, SERVERS.c.uuid == SHARES.c.instance_uuid)
    query = query.where(SERVERS.c.host == host, SERVERS.c.deleted == 0)
    return every(conn, query.order_by(SHARES.c.id))


def _is_there(conn: sa.Connection, server: str) -> bool:
    query = sa.select(SERVERS.c.id).where(SERVERS.c.uuid == server, SERVERS.c.deleted == 0)
    return conn.execute(query).first() is not None
