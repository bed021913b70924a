"""Servers as the API reads them: rows of one cell to dicts, exactly the columns asked for, in at most two statements.

A server is a dict: columns of `instances` under their own names and, when asked for, the parts of `PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db import schema
from keel_common.db.stores.nova import servers_parts
from keel_common.db.stores.nova.servers_filter import after_marker, ordering, where_clauses
from keel_common.domain.server.filters import Selection

TABLES = schema.nova_cell.tables
INSTANCES = TABLES["instances"]
COLUMNS = frozenset(INSTANCES.columns.keys())

# parts that are one decoded column of a joined table
_EXTRA = ("flavor", "trusted_certs", "keypairs", "pci_requests", "numa_topology")
_CACHE = ("network_info",)
PARTS = frozenset(_EXTRA) | frozenset(_CACHE) | servers_parts.PARTS


def page(
    conn: sa.Connection,
    selection: Selection,
    order: Sequence[tuple[str, str]],
    limit: int | None,
    columns: Collection[str],
    marker: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return the servers of a selection in this cell, in order, at most `limit`, after the marker row.

    Costs one statement, and a second one when a part of `servers_parts` is asked for and servers were found.
    """
    query = _query(frozenset(columns) | {column for column, _ in order})
    query = query.where(*where_clauses(selection, conn.dialect.name))
    if marker is not None:
        query = query.where(after_marker(order, marker))
    query = query.order_by(*ordering(order)).limit(limit)
    return _read(conn, query, columns)


def one(conn: sa.Connection, uuid: str, columns: Collection[str], deleted: bool = False) -> dict[str, Any] | None:
    """Return one server, or None; deleted records only when `deleted`."""
    found = many(conn, [uuid], columns, deleted)
    return found[0] if found else None


def many(
    conn: sa.Connection, uuids: Iterable[str], columns: Collection[str], deleted: bool = False
) -> list[dict[str, Any]]:
    """Return the servers with these uuids, in no order; missing ones are left out."""
    query = _query(frozenset(columns)).where(INSTANCES.c.uuid.in_(list(uuids)))
    if not deleted:
        query = query.where(INSTANCES.c.deleted == 0)
    return _read(conn, query, columns)


def marker_row(conn: sa.Connection, uuid: str, order: Sequence[tuple[str, str]]) -> dict[str, Any] | None:
    """Return the sort values of one server (a deleted one too), or None."""
    return one(conn, uuid, [column for column, _ in order], deleted=True)


@cache
def _query(columns: frozenset[str]) -> sa.Select:
    """The statement for a set of columns and parts, without conditions."""
    needed = columns & COLUMNS | {"uuid"}
    if columns & servers_parts.PARTS:
        needed |= {"host", "vm_state", "deleted"}
    chosen: list[Any] = [INSTANCES.c[name] for name in sorted(needed)]
    source: sa.FromClause = INSTANCES
    for table, names in (("instance_extra", _EXTRA), ("instance_info_caches", _CACHE)):
        wanted = columns & frozenset(names)
        if wanted:
            joined = TABLES[table]
            source = source.outerjoin(joined, joined.c.instance_uuid == INSTANCES.c.uuid)
            chosen += [joined.c[name] for name in sorted(wanted)]
    return sa.select(*chosen).select_from(source)


def _read(conn: sa.Connection, query: sa.Select, columns: Collection[str]) -> list[dict[str, Any]]:
    servers = [dict(row) for row in conn.execute(query).mappings().all()]
    for name, decode in _DECODERS.items():
        if name in columns:
            for server in servers:
                server[name] = decode(server[name])
    wanted = servers_parts.PARTS.intersection(columns)
    if wanted and servers:
        servers_parts.fill(conn, servers, wanted)
    return servers


@lru_cache(maxsize=512)
def _flavor(text: str | None) -> dict[str, Any] | None:
    """The flavor a server runs with; few texts are distinct, so each is parsed once. Treat it as read only."""
    current = orjson.loads(text)["cur"] if text else None
    return current["nova_object.data"] if current else None


def _json(text: str | None) -> Any:
    return orjson.loads(text) if text else None


def _network_info(text: str | None) -> list[dict[str, Any]]:
    return orjson.loads(text) if text else []


def _trusted_certs(text: str | None) -> list[str] | None:
    return orjson.loads(text)["nova_object.data"]["ids"] if text else None


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "flavor": _flavor,
    "network_info": _network_info,
    "trusted_certs": _trusted_certs,
    "keypairs": _json,
    "pci_requests": _json,
    "numa_topology": _json,
}
