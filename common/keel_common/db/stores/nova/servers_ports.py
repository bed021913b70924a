"""What a cell knows of the ports and moves of its servers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import sqlalchemy as sa

from keel_common.db import schema

TABLES = schema.nova_cell.tables
_OVER = ("confirmed", "reverted", "error", "failed", "completed", "cancelled", "done")


def tags(conn: sa.Connection, uuid: str) -> dict[str, str]:
    """Return port id -> device tag of a server's tagged ports."""
    table = TABLES["virtual_interfaces"]
    query = sa.select(table.c.uuid, table.c.tag).where(
        table.c.instance_uuid == uuid, table.c.deleted == 0, table.c.tag.is_not(None)
    )
    return {row.uuid: row.tag for row in conn.execute(query)}


def moving_hosts(conn: sa.Connection, uuids: Iterable[str]) -> dict[str, set[str]]:
    """Return both ends of the unfinished moves of servers that have a migration context, by server."""
    moves, extra = TABLES["migrations"], TABLES["instance_extra"]
    query = (
        sa.select(moves.c.instance_uuid, moves.c.source_compute, moves.c.dest_compute)
        .select_from(moves.join(extra, extra.c.instance_uuid == moves.c.instance_uuid))
        .where(
            moves.c.instance_uuid.in_(list(uuids)),
            moves.c.deleted == 0,
            moves.c.status.not_in(_OVER),
            extra.c.migration_context.is_not(None),
        )
    )
    found: dict[str, set[str]] = defaultdict(set)
    for row in conn.execute(query):
        found[row.instance_uuid] |= {host for host in (row.source_compute, row.dest_compute) if host}
    return dict(found)
