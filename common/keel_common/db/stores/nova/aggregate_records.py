"""Changes of host aggregates as Nova's Aggregate object makes them (API database)."""

import uuid as uuids
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova import aggregates, records
from keel_common.db.stores.nova.aggregates import METADATA, TABLE, NameTaken
from keel_common.db.stores.nova.rows import Row


def by_uuid(conn: sa.Connection, uuid: str) -> Row | None:
    """An aggregate with metadata and hosts."""
    row = records.one(conn, TABLE, uuid=uuid)
    return None if row is None else aggregates.find(conn, row["id"])


def create(conn: sa.Connection, values: Mapping[str, Any], metadata: Mapping[str, str]) -> Row:
    """A new aggregate; its uuid is made unless given. Raises NameTaken."""
    if records.one(conn, TABLE, name=values.get("name")) is not None:
        raise NameTaken
    try:
        row = records.create(conn, TABLE, {"uuid": str(uuids.uuid4()), **values})
    except IntegrityError as error:
        raise NameTaken from error
    _put(conn, row["id"], metadata)
    return aggregates.find(conn, row["id"]) or {}


def change(
    conn: sa.Connection, aggregate_id: int, values: Mapping[str, Any], metadata: Mapping[str, str] | None
) -> Row | None:
    """Changes columns and, unless None, replaces the metadata; None when there is no such aggregate. Raises
    NameTaken."""
    if records.one(conn, TABLE, id=aggregate_id) is None:
        return None
    try:
        records.change(conn, TABLE, values, id=aggregate_id)
    except IntegrityError as error:
        raise NameTaken from error
    if metadata is not None:
        gone = sa.delete(METADATA).where(METADATA.c.aggregate_id == aggregate_id, METADATA.c.key.not_in(list(metadata)))
        conn.execute(gone)
        _put(conn, aggregate_id, metadata)
    return aggregates.find(conn, aggregate_id)


def merge_metadata(conn: sa.Connection, aggregate_id: int, updates: Mapping[str, str | None]) -> None:
    """Adds or replaces keys, deletes those that are None. IntegrityError when there is no such aggregate."""
    for key, value in updates.items():
        if value is None:
            records.remove(conn, METADATA, aggregate_id=aggregate_id, key=key)
    _put(conn, aggregate_id, {key: value for key, value in updates.items() if value is not None})


def join(conn: sa.Connection, aggregate_id: int, host: str) -> bool:
    """Puts a host into it; False when there is no such aggregate. Raises HostThere."""
    if records.one(conn, TABLE, id=aggregate_id) is None:
        return False
    aggregates.join(conn, aggregate_id, host)
    return True


def leave(conn: sa.Connection, aggregate_id: int, host: str) -> bool | None:
    """Takes a host out; False when it is not in it, None when there is no such aggregate."""
    if records.one(conn, TABLE, id=aggregate_id) is None:
        return None
    return aggregates.leave(conn, aggregate_id, host)


def _put(conn: sa.Connection, aggregate_id: int, metadata: Mapping[str, str]) -> None:
    for key, value in metadata.items():
        where = [METADATA.c.aggregate_id == aggregate_id, METADATA.c.key == key]
        if not cas(conn, METADATA, {"value": value}, where):
            add(conn, METADATA, {"aggregate_id": aggregate_id, "key": key, "value": value})


def remove(conn: sa.Connection, aggregate_id: int) -> bool:
    """Deletes an aggregate with its metadata; IntegrityError while it has hosts, False when there is none."""
    records.remove(conn, METADATA, aggregate_id=aggregate_id)
    return records.remove(conn, TABLE, id=aggregate_id) > 0
