"""Rows of migrations: moves of servers between hosts (resize, cold and live migration, evacuation)."""

import datetime
import uuid as uuids
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import not_found
from keel_common.db.statements import add, cas, now
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, every, living, many, one

TABLE = TABLES["migrations"]

# Three queries with three lists of states (nova 34.0.0 flows 22).
_OVER = ("confirmed", "reverted", "error", "failed", "completed", "cancelled", "done")
_OVER_BUT_ERROR = tuple(state for state in _OVER if state != "error")
_LIVE = ("queued", "preparing", "running", "post-migrating")


def find(conn: sa.Connection, **equal: Any) -> Row | None:
    """The first living migration whose columns have these values."""
    return one(conn, TABLE, *(TABLE.c[name] == value for name, value in equal.items()))


def by_instance_and_status(conn: sa.Connection, uuid: str, status: str) -> Row | None:
    return find(conn, instance_uuid=uuid, status=status)


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new migration; its uuid is made unless given."""
    row = {"uuid": str(uuids.uuid4()), "hidden": False, "cross_cell_move": False, **columns_of(TABLE, values)}
    return find(conn, id=add(conn, TABLE, row)) or {}


def update(conn: sa.Connection, migration_id: int, values: Mapping[str, Any]) -> Row:
    """Changes a migration; its row afterwards. Raises Refused MigrationNotFound."""
    cas(conn, TABLE, columns_of(TABLE, values), [TABLE.c.id == migration_id, TABLE.c.deleted == 0])
    row = find(conn, id=migration_id)
    if row is None:
        raise not_found("MigrationNotFound", f"Migration {migration_id}", migration_id=migration_id)
    return row


def in_progress(conn: sa.Connection, host: str, node: str, with_errors: bool = False) -> list[Row]:
    """Moves from or to a node that are not over; with those in error too when asked."""
    over = _OVER_BUT_ERROR if with_errors else _OVER
    going = [_touches(host, node), TABLE.c.status.not_in(over)]
    return many(conn, TABLE, *going)


def live_of_instance(conn: sa.Connection, uuid: str, kind: str | None = None) -> list[Row]:
    """Live migrations of a server that go on."""
    kinds = [TABLE.c.migration_type == kind] if kind else []
    return many(conn, TABLE, TABLE.c.instance_uuid == uuid, TABLE.c.status.in_(_LIVE), *kinds)


def unconfirmed(conn: sa.Connection, window: int, dest_compute: str) -> list[Row]:
    """Finished resizes to a host that nobody confirmed for `window` seconds."""
    before = now() - datetime.timedelta(seconds=window)
    where = [TABLE.c.status == "finished", TABLE.c.dest_compute == dest_compute, TABLE.c.updated_at <= before]
    return many(conn, TABLE, *where)


def listing(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    order: Sequence[tuple[str, str]] = (),
    limit: int | None = None,
) -> list[Row]:
    """Migrations by column values; `host` means source or destination, `node` needs `host`. Newest first unless
    told. Names that are no column are ignored."""
    where = living(TABLE)
    for name, value in filters.items():
        if name in ("host", "node") or (name not in TABLE.c and name not in ("changes-since", "changes-before")):
            continue
        column = TABLE.c["updated_at" if name in ("changes-since", "changes-before") else name]
        if name == "changes-since":
            where.append(column >= value)
        elif name == "changes-before":
            where.append(column <= value)
        else:
            where.append(column.in_(value) if isinstance(value, list | tuple | set) else column == value)
    if "host" in filters:
        where.append(_touches(filters["host"], filters.get("node")))
    ways = [TABLE.c[key].asc() if way == "asc" else TABLE.c[key].desc() for key, way in order]
    query = sa.select(TABLE).where(*where).order_by(*(ways or [TABLE.c.created_at.desc(), TABLE.c.id.desc()]))
    return every(conn, query.limit(limit))


def _touches(host: str, node: str | None) -> sa.ColumnElement[bool]:
    source, target = [TABLE.c.source_compute == host], [TABLE.c.dest_compute == host]
    if node is not None:
        source.append(TABLE.c.source_node == node)
        target.append(TABLE.c.dest_node == node)
    return sa.or_(sa.and_(*source), sa.and_(*target))
