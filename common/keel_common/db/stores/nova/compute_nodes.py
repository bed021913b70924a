"""Rows of compute_nodes: what the nodes of a cell reported about themselves."""

import uuid as uuids
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import Refused, not_found
from keel_common.db.statements import add, cas, soft_delete
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, many, one

TABLE = TABLES["compute_nodes"]


def find(conn: sa.Connection, **equal: Any) -> Row | None:
    """The first living node whose columns have these values."""
    return one(conn, TABLE, *(TABLE.c[name] == value for name, value in equal.items()))


def listing(conn: sa.Connection, **equal: Any) -> list[Row]:
    """Living nodes whose columns have these values (a list means any of them)."""
    where = [
        TABLE.c[name].in_(list(value)) if isinstance(value, list | tuple | set) else TABLE.c[name] == value
        for name, value in equal.items()
    ]
    return many(conn, TABLE, *where)


def matching(conn: sa.Connection, part: str) -> list[Row]:
    """Living nodes whose hypervisor hostname contains `part`."""
    return many(conn, TABLE, TABLE.c.hypervisor_hostname.contains(part, autoescape=True))


def not_mapped(conn: sa.Connection, less_than: int) -> list[Row]:
    """Living nodes that discovery has seen fewer than `less_than` times."""
    return many(conn, TABLE, TABLE.c.mapped < less_than)


def page(conn: sa.Connection, limit: int | None, marker: int | None) -> list[Row]:
    """Living nodes by id after the node whose id is `marker`. Raises Refused MarkerNotFound."""
    where = []
    if marker is not None:
        if find(conn, id=marker) is None:
            raise Refused("MarkerNotFound", f"Marker {marker} could not be found.", 400, marker=marker)
        where.append(TABLE.c.id > marker)
    query = sa.select(TABLE).where(TABLE.c.deleted == 0, *where).order_by(TABLE.c.id).limit(limit)
    return [dict(row) for row in conn.execute(query).mappings()]


def create(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new node; one with a uuid that is known takes over that row, deleted or not. IntegrityError for a node of the
    same host and name."""
    row = {"uuid": str(uuids.uuid4()), "mapped": 0, **columns_of(TABLE, values)}
    known = one(conn, TABLE, TABLE.c.uuid == row["uuid"], read_deleted="yes")
    if known is None:
        return find(conn, id=add(conn, TABLE, row)) or {}
    row.pop("mapped")
    cas(conn, TABLE, row | {"deleted": 0, "deleted_at": None}, [TABLE.c.id == known["id"]])
    return find(conn, id=known["id"]) or {}


def update(conn: sa.Connection, node_id: int, values: Mapping[str, Any]) -> Row:
    """Changes a living node; its row afterwards. Raises Refused ComputeHostNotFound."""
    cas(conn, TABLE, columns_of(TABLE, values), [TABLE.c.id == node_id, TABLE.c.deleted == 0])
    row = find(conn, id=node_id)
    if row is None:
        raise not_found("ComputeHostNotFound", f"Compute node {node_id}", host=node_id)
    return row


def destroy(conn: sa.Connection, node_id: int, host: str | None) -> None:
    """Soft-deletes a node. Raises Refused ComputeHostNotFound, or ObjectActionError when it is of another host now."""
    where = [TABLE.c.id == node_id] + ([TABLE.c.host == host] if host else [])
    if soft_delete(conn, TABLE, where):
        return
    if host and find(conn, id=node_id) is not None:
        raise Refused("ObjectActionError", f"Node {node_id} changed.", action="destroy", reason="host changed")
    raise not_found("ComputeHostNotFound", f"Compute node {node_id}", host=node_id)


def hosts(conn: sa.Connection, names: Iterable[str]) -> list[Row]:
    """Living nodes of several hosts."""
    return listing(conn, host=list(names))
