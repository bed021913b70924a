"""Rows of `services` in a cell: who runs where, at which version, and when it was last heard of.

Source: nova 34.0.0 db semantics (services).
"""

import datetime
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db.schema import nova_cell
from keel_common.db.statements import add, cas, now, soft_delete
from keel_contract.pins import Lowest

TABLE = nova_cell.tables["services"]
NODES = nova_cell.tables["compute_nodes"]
Row = dict[str, Any]


def by_id(conn: sa.Connection, service_id: int) -> Row | None:
    return _first(conn, TABLE.c.id == service_id)


def by_uuid(conn: sa.Connection, service_uuid: str) -> Row | None:
    return _first(conn, TABLE.c.uuid == service_uuid)


def by_host_and_binary(conn: sa.Connection, host: str, binary: str) -> Row | None:
    return _first(conn, TABLE.c.host == host, TABLE.c.binary == binary)


def by_host_and_topic(conn: sa.Connection, host: str, topic: str) -> Row | None:
    """The enabled row of a topic."""
    return _first(conn, TABLE.c.host == host, TABLE.c.topic == topic, TABLE.c.disabled == sa.false())


def listing(conn: sa.Connection, where: Sequence[sa.ColumnElement[bool]] = ()) -> list[Row]:
    """Living rows by id; `where` narrows (conditions on `TABLE`)."""
    query = sa.select(TABLE).where(TABLE.c.deleted == 0, *where).order_by(TABLE.c.id)
    return [dict(row) for row in conn.execute(query).mappings()]


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new row; uuid made when absent. IntegrityError when the host has this binary or topic already."""
    defaults = {"uuid": str(uuid.uuid4()), "report_count": 0, "disabled": False, "forced_down": False}
    key = add(conn, TABLE, defaults | dict(values))
    return _first(conn, TABLE.c.id == key) or {}


def update(conn: sa.Connection, service_id: int, values: Mapping[str, Any]) -> bool:
    """Changes a living row. Raising `report_count` sets `last_seen_up` (that is what a heartbeat is)."""
    changes = dict(values)
    if "report_count" in changes:
        changes.setdefault("last_seen_up", now())
    return cas(conn, TABLE, changes, [TABLE.c.id == service_id, TABLE.c.deleted == 0])


def destroy(conn: sa.Connection, service_id: int) -> bool:
    """Soft-deletes a service and, for nova-compute, its nodes (mapped = 0, so that they can be discovered again)."""
    row = by_id(conn, service_id)
    if row is None:
        return False
    soft_delete(conn, TABLE, [TABLE.c.id == service_id])
    if row["binary"] == "nova-compute":
        of_host = sa.or_(NODES.c.host == row["host"], NODES.c.service_id == service_id)
        soft_delete(conn, NODES, [of_host], mapped=0)
    return True


def beat(conn: sa.Connection, ids: Iterable[int], version: int) -> int:
    """Heartbeat of all `ids` in one statement; how many rows are still there."""
    when = now()
    values = {"report_count": TABLE.c.report_count + 1, "last_seen_up": when, "version": version, "updated_at": when}
    query = sa.update(TABLE).where(TABLE.c.id.in_(list(ids)), TABLE.c.deleted == 0).values(**values)
    return conn.execute(query).rowcount


def minimum_versions(conn: sa.Connection, binaries: Iterable[str]) -> dict[str, int]:
    """Lowest version of each binary over rows that are neither deleted nor forced down; binaries without rows are left
    out."""
    query = (
        sa.select(TABLE.c.binary, sa.func.min(TABLE.c.version))
        .where(TABLE.c.binary.in_(list(binaries)), TABLE.c.deleted == 0, TABLE.c.forced_down == sa.false())
        .group_by(TABLE.c.binary)
    )
    return {binary: version or 0 for binary, version in conn.execute(query)}


def oldest(conn: sa.Connection, binary: str) -> Lowest | None:
    """The service of a binary with the lowest version, over the rows that count for `minimum_versions`; None without
    rows."""
    where = [TABLE.c.binary == binary, TABLE.c.deleted == 0, TABLE.c.forced_down == sa.false()]
    query = sa.select(TABLE.c.version, TABLE.c.host).where(*where, TABLE.c.version.is_not(None))
    row = conn.execute(query.order_by(TABLE.c.version, TABLE.c.id).limit(1)).first()
    return Lowest(row.version, row.host) if row else None


def versions(conn: sa.Connection) -> list[Row]:
    """What every living service has written down: host, binary, version, forced_down; by binary and host."""
    columns = (TABLE.c.host, TABLE.c.binary, TABLE.c.version, TABLE.c.forced_down)
    query = sa.select(*columns).where(TABLE.c.deleted == 0).order_by(TABLE.c.binary, TABLE.c.host)
    return [dict(row) for row in conn.execute(query).mappings()]


def is_up(row: Mapping[str, Any], down_seconds: int, at: datetime.datetime | None = None) -> bool:
    """Heard of (or created) within `down_seconds`, and not forced down."""
    heard = row["last_seen_up"] or row["created_at"]
    if row["forced_down"] or heard is None:
        return False
    return abs(((at or now()) - heard).total_seconds()) <= down_seconds


def _first(conn: sa.Connection, *where: sa.ColumnElement[bool]) -> Row | None:
    row = conn.execute(sa.select(TABLE).where(TABLE.c.deleted == 0, *where).limit(1)).mappings().first()
    return dict(row) if row else None
