"""Host and instance mappings with the cell they point to, as Nova's objects show them (API database)."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import API_TABLES, Row, every, first

CELLS = API_TABLES["cell_mappings"]
HOSTS = API_TABLES["host_mappings"]
SERVERS = API_TABLES["instance_mappings"]


def hosts(conn: sa.Connection, **equal: Any) -> list[Row]:
    """Host mappings by id, each with `cell`: the row of its cell."""
    return _with_cells(conn, records.many(conn, HOSTS, **equal))


def create_host(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """Maps a host. IntegrityError when it is mapped already."""
    return _with_cell(conn, records.create(conn, HOSTS, values))


def change_host(conn: sa.Connection, mapping_id: int, values: Mapping[str, Any]) -> Row | None:
    """Changes a host mapping; None when it is not there."""
    row = records.change(conn, HOSTS, values, id=mapping_id)
    return None if row is None else _with_cell(conn, row)


def servers(conn: sa.Connection, **equal: Any) -> list[Row]:
    """Instance mappings by id, each with `cell` (None while the server is in none)."""
    return _with_cells(conn, records.many(conn, SERVERS, **equal))


def create_server(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """Maps a server. IntegrityError when it is mapped already."""
    return _with_cell(conn, records.create(conn, SERVERS, values))


def change_server(conn: sa.Connection, uuid: str, values: Mapping[str, Any]) -> Row | None:
    """Changes an instance mapping; None when it is not there."""
    row = records.change(conn, SERVERS, values, instance_uuid=uuid)
    return None if row is None else _with_cell(conn, row)


def count_servers(conn: sa.Connection, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    """{"project": {"instances": n}, "user": ...}: mappings that are not queued for deletion."""
    stays = sa.or_(SERVERS.c.queued_for_delete == sa.false(), SERVERS.c.queued_for_delete.is_(None))
    query = sa.select(sa.func.count()).select_from(SERVERS).where(SERVERS.c.project_id == project_id, stays)
    found = {"project": {"instances": int(conn.execute(query).scalar_one())}}
    if user_id is not None:
        found["user"] = {"instances": int(conn.execute(query.where(SERVERS.c.user_id == user_id)).scalar_one())}
    return found


def _with_cell(conn: sa.Connection, row: Row) -> Row:
    return row | {"cell": first(conn, sa.select(CELLS).where(CELLS.c.id == row["cell_id"]))}


def _with_cells(conn: sa.Connection, rows: list[Row]) -> list[Row]:
    wanted = {row["cell_id"] for row in rows} - {None}
    found = {cell["id"]: cell for cell in every(conn, sa.select(CELLS).where(CELLS.c.id.in_(wanted)))} if wanted else {}
    return [row | {"cell": found.get(row["cell_id"])} for row in rows]
