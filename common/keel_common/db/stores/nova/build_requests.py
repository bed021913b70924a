"""Build requests with their parsed columns, as Nova's BuildRequest object shows them (API database)."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import API_TABLES, Row, parse

TABLE = API_TABLES["build_requests"]
PARSED = ("instance", "block_device_mappings", "tags")


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new request. IntegrityError when the server has one."""
    return _parsed(records.create(conn, TABLE, values))


def change(conn: sa.Connection, request_id: int, values: Mapping[str, Any]) -> Row | None:
    """Changes a request; None when it is gone."""
    row = records.change(conn, TABLE, values, id=request_id)
    return None if row is None else _parsed(row)


def of_server(conn: sa.Connection, uuid: str) -> Row | None:
    """The request of a server."""
    row = records.one(conn, TABLE, instance_uuid=uuid)
    return None if row is None else _parsed(row)


def listing(conn: sa.Connection) -> list[Row]:
    """Every request that has a server, oldest first."""
    return [_parsed(row) for row in records.many(conn, TABLE) if row["instance"]]


def _parsed(row: Row) -> Row:
    return row | {name: parse(row[name]) for name in PARSED}
