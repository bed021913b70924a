"""Rows of `cell_mappings` and `host_mappings` in the API database: which cells there are and which host is in which."""

import uuid as uuids
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from keel_common.db.schema import nova_api, nova_cell
from keel_common.db.statements import add, cas

CELLS = nova_api.tables["cell_mappings"]
HOSTS = nova_api.tables["host_mappings"]
NODES = nova_cell.tables["compute_nodes"]
SERVICES = nova_cell.tables["services"]
Row = dict[str, Any]


def cells(conn: sa.Connection) -> list[Row]:
    """Every cell by id."""
    return [dict(row) for row in conn.execute(sa.select(CELLS).order_by(CELLS.c.id)).mappings()]


def add_cell(
    conn: sa.Connection, name: str | None, transport_url: str, database: str, disabled: bool = False, uuid: str = ""
) -> str:
    """Adds a cell; returns its uuid (a new one unless told)."""
    uuid = uuid or str(uuids.uuid4())
    add(
        conn,
        CELLS,
        {
            "uuid": uuid,
            "name": name,
            "transport_url": transport_url,
            "database_connection": database,
            "disabled": disabled,
        },
    )
    return uuid


def hosts(conn: sa.Connection, cell_id: int | None = None) -> list[Row]:
    """Mapped hosts with the name and uuid of their cell, by host name."""
    query = sa.select(HOSTS.c.host, CELLS.c.name, CELLS.c.uuid, CELLS.c.id.label("cell_id")).join(
        CELLS, CELLS.c.id == HOSTS.c.cell_id
    )
    if cell_id is not None:
        query = query.where(HOSTS.c.cell_id == cell_id)
    return [dict(row) for row in conn.execute(query.order_by(CELLS.c.id, HOSTS.c.host)).mappings()]


def cell_of_host(conn: sa.Connection, host: str) -> str | None:
    """uuid of the cell that a host is mapped to; None for an unmapped host."""
    query = sa.select(CELLS.c.uuid).join(HOSTS, CELLS.c.id == HOSTS.c.cell_id).where(HOSTS.c.host == host)
    return conn.execute(query).scalar()


def map_hosts(conn: sa.Connection, cell_id: int, names: Iterable[str]) -> list[str]:
    """Maps the hosts that are not mapped yet; returns those. IntegrityError when another process maps one now."""
    wanted = sorted(set(names))
    known = set(conn.execute(sa.select(HOSTS.c.host).where(HOSTS.c.host.in_(wanted))).scalars())
    new = [host for host in wanted if host not in known]
    for host in new:
        add(conn, HOSTS, {"host": host, "cell_id": cell_id})
    return new


def unmapped_nodes(conn: sa.Connection) -> list[Row]:
    """Living compute nodes of a cell that discovery has not seen yet (id, host)."""
    query = sa.select(NODES.c.id, NODES.c.host).where(NODES.c.deleted == 0, NODES.c.mapped == 0)
    return [dict(row) for row in conn.execute(query.order_by(NODES.c.id)).mappings()]


def all_node_hosts(conn: sa.Connection) -> list[str]:
    """Hosts of every living compute node of a cell."""
    query = sa.select(NODES.c.host).where(NODES.c.deleted == 0, NODES.c.host.is_not(None)).distinct()
    return sorted(conn.execute(query).scalars())


def compute_service_hosts(conn: sa.Connection) -> list[str]:
    """Hosts of the living nova-compute services of a cell."""
    query = sa.select(SERVICES.c.host).where(SERVICES.c.deleted == 0, SERVICES.c.binary == "nova-compute").distinct()
    return sorted(conn.execute(query).scalars())


def mark_mapped(conn: sa.Connection, node_ids: Iterable[int]) -> bool:
    """Notes that discovery has seen these nodes."""
    return cas(conn, NODES, {"mapped": 1}, [NODES.c.id.in_(list(node_ids))])


def host(conn: sa.Connection, name: str) -> Row | None:
    """The mapping of a host with its cell (`cell`: the row of cell_mappings)."""
    row = conn.execute(sa.select(HOSTS).where(HOSTS.c.host == name)).mappings().first()
    if row is None:
        return None
    cell = conn.execute(sa.select(CELLS).where(CELLS.c.id == row["cell_id"])).mappings().first()
    return {**row, "cell": None if cell is None else dict(cell)}


def unmap_host(conn: sa.Connection, host: str) -> bool:
    """Forgets which cell a host is in; False when nobody knew."""
    return conn.execute(sa.delete(HOSTS).where(HOSTS.c.host == host)).rowcount > 0
