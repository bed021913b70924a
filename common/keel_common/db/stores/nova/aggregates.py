"""Host aggregates with their metadata and hosts, and the availability zones they make (API database)."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Mapping

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova.rows import API_TABLES, Row

TABLE = API_TABLES["aggregates"]
METADATA = API_TABLES["aggregate_metadata"]
HOSTS = API_TABLES["aggregate_hosts"]
ZONE = "availability_zone"


class NameTaken(Exception):
    """An aggregate of this name exists."""


class HostThere(Exception):
    """The host is in the aggregate already."""


def listing(conn: sa.Connection, ids: Iterable[int] | None = None) -> list[Row]:
    """Aggregates by id, each with ``metadata`` (dict) and ``hosts`` (in the order they joined); three statements."""
    query = sa.select(TABLE).order_by(TABLE.c.id)
    if ids is not None:
        query = query.where(TABLE.c.id.in_(list(ids)))
    found = {row["id"]: {**row, "metadata": {}, "hosts": []} for row in conn.execute(query).mappings()}
    if not found:
        return []
    for row in conn.execute(sa.select(METADATA).where(METADATA.c.aggregate_id.in_(list(found)))):
        found[row.aggregate_id]["metadata"][row.key] = row.value
    for row in conn.execute(sa.select(HOSTS).where(HOSTS.c.aggregate_id.in_(list(found))).order_by(HOSTS.c.id)):
        found[row.aggregate_id]["hosts"].append(row.host)
    return list(found.values())


def find(conn: sa.Connection, aggregate_id: int) -> Row | None:
    """One aggregate."""
    return next(iter(listing(conn, [aggregate_id])), None)


def create(conn: sa.Connection, name: str, metadata: Mapping[str, str]) -> Row:
    """Add an aggregate without hosts. Raises NameTaken."""
    if conn.execute(sa.select(TABLE.c.id).where(TABLE.c.name == name)).first():
        raise NameTaken
    try:
        key = add(conn, TABLE, {"name": name, "uuid": str(uuids.uuid4())})
    except IntegrityError as error:
        raise NameTaken from error
    _put(conn, key, metadata)
    row = find(conn, key)
    assert row is not None
    return row


def rename(conn: sa.Connection, aggregate_id: int, name: str) -> None:
    """Give it another name. Raises NameTaken."""
    taken = sa.select(TABLE.c.id).where(TABLE.c.name == name, TABLE.c.id != aggregate_id)
    if conn.execute(taken).first():
        raise NameTaken
    try:
        cas(conn, TABLE, {"name": name}, [TABLE.c.id == aggregate_id])
    except IntegrityError as error:
        raise NameTaken from error


def set_metadata(conn: sa.Connection, aggregate_id: int, metadata: Mapping[str, str | None]) -> None:
    """Add or replace keys; a key with None is deleted. ``updated_at`` moves."""
    gone = [key for key, value in metadata.items() if value is None]
    if gone:
        conn.execute(sa.delete(METADATA).where(METADATA.c.aggregate_id == aggregate_id, METADATA.c.key.in_(gone)))
    _put(conn, aggregate_id, {key: value for key, value in metadata.items() if value is not None})
    cas(conn, TABLE, {"uuid": TABLE.c.uuid}, [TABLE.c.id == aggregate_id])


def remove(conn: sa.Connection, aggregate_id: int) -> bool:
    """Delete an aggregate with its metadata and memberships; False when there is none."""
    for table in (METADATA, HOSTS):
        conn.execute(sa.delete(table).where(table.c.aggregate_id == aggregate_id))
    return conn.execute(sa.delete(TABLE).where(TABLE.c.id == aggregate_id)).rowcount > 0


def join(conn: sa.Connection, aggregate_id: int, host: str) -> None:
    """Put a host into it. Raises HostThere."""
    known = sa.select(HOSTS.c.id).where(HOSTS.c.aggregate_id == aggregate_id, HOSTS.c.host == host)
    if conn.execute(known).first():
        raise HostThere
    try:
        add(conn, HOSTS, {"aggregate_id": aggregate_id, "host": host})
    except IntegrityError as error:
        raise HostThere from error


def leave(conn: sa.Connection, aggregate_id: int, host: str) -> bool:
    """Take a host out; False when it is not in it."""
    query = sa.delete(HOSTS).where(HOSTS.c.aggregate_id == aggregate_id, HOSTS.c.host == host)
    return conn.execute(query).rowcount > 0


def leave_all(conn: sa.Connection, host: str) -> list[str]:
    """Take a host out of every aggregate; the uuids of those it was in."""
    query = sa.select(TABLE.c.uuid).join(HOSTS, HOSTS.c.aggregate_id == TABLE.c.id).where(HOSTS.c.host == host)
    uuids_left = list(conn.execute(query).scalars())
    conn.execute(sa.delete(HOSTS).where(HOSTS.c.host == host))
    return uuids_left


def zones(conn: sa.Connection) -> dict[str, str]:
    """Availability zone by host, for the hosts that an aggregate puts into one."""
    query = (
        sa.select(HOSTS.c.host, METADATA.c.value)
        .join(METADATA, METADATA.c.aggregate_id == HOSTS.c.aggregate_id)
        .where(METADATA.c.key == ZONE)
        .order_by(HOSTS.c.id)
    )
    return dict(conn.execute(query).tuples().all())


def _put(conn: sa.Connection, aggregate_id: int, metadata: Mapping[str, str]) -> None:
    for key, value in metadata.items():
        where = [METADATA.c.aggregate_id == aggregate_id, METADATA.c.key == key]
        if not cas(conn, METADATA, {"value": value}, where):
            add(conn, METADATA, {"aggregate_id": aggregate_id, "key": key, "value": value})
