"""Rows of the processes: who serves which host and queue, and when it was last heard of (source: cinder 29.0.0
services)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, alive, every, first, insert, new_id, now, one_of


def listing(conn: sa.Connection, binary: str | None = None, host: str | None = None) -> list[dict[str, Any]]:
    """Rows of a binary and host (host `h` also names its backends `h@b`), oldest id first."""
    table = TABLES["services"]
    where = [alive(table)]
    if binary:
        where.append(table.c.binary == binary)
    if host:
        where.append(sa.or_(table.c.host == host, table.c.host.startswith(host + "@", autoescape=True)))
    return every(conn, sa.select(table).where(*where).order_by(table.c.id))


def written(conn: sa.Connection, binary: str | None = None) -> list[dict[str, Any]]:
    """What the services of a binary (None: of all) have written down: host, binary, rpc_current_version,
    object_current_version. Rows of services that are down or disabled count (cinder 29.0.0 pinning, minimum)."""
    columns = ("host", "binary", "rpc_current_version", "object_current_version")
    table = TABLES["services"]
    query = sa.select(*(table.c[name] for name in columns)).where(alive(table)).order_by(table.c.id)
    return every(conn, query if binary is None else query.where(table.c.binary == binary))


def get(conn: sa.Connection, host: str, binary: str) -> dict[str, Any] | None:
    """The row of one process, or None."""
    table = TABLES["services"]
    return first(conn, sa.select(table).where(table.c.host == host, table.c.binary == binary, alive(table)))


def register(conn: sa.Connection, host: str, binary: str, *, enabled: bool = True, **values: Any) -> dict[str, Any]:
    """What a process does at its start: write its row or the versions into the row it has. Returns the row.

    values: availability_zone, rpc_current_version, object_current_version, cluster_name, replication_status.
    """
    row = get(conn, host, binary)
    table = TABLES["services"]
    if row is not None:
        conn.execute(table.update().where(table.c.id == row["id"]).values({"updated_at": now(), **values}))
        return {**row, **values}
    start = {"host": host, "binary": binary, "topic": binary, "report_count": 0, "uuid": new_id(), "frozen": False}
    return insert(conn, table, {**start, "disabled": not enabled, **values})


def beat(conn: sa.Connection, ids: Iterable[int]) -> int:
    """Heartbeat of every row a process owns with one statement; returns how many rows still exist."""
    table = TABLES["services"]
    change = {"report_count": table.c.report_count + 1, "updated_at": now()}
    return conn.execute(table.update().where(table.c.id.in_(list(ids)), alive(table)).values(change)).rowcount


def set_state(conn: sa.Connection, service_id: int, values: Mapping[str, Any]) -> None:
    """Write what an operator says about a service (disabled, disabled_reason, frozen ...): modified_at, never
    updated_at."""
    table = TABLES["services"]
    kept = {"modified_at": now(), "updated_at": table.c.updated_at}
    conn.execute(table.update().where(table.c.id == service_id).values({**kept, **values}))


def change_state(
    conn: sa.Connection, service_id: int, expected: Mapping[str, tuple], values: Mapping[str, Any]
) -> bool:
    """`set_state` where the row still holds one of the expected values of each column; False where it does not."""
    table = TABLES["services"]
    guards = [one_of(table.c[column], allowed) for column, allowed in expected.items()]
    kept = {"modified_at": now(), "updated_at": table.c.updated_at}
    change = table.update().where(table.c.id == service_id, alive(table), *guards)
    return conn.execute(change.values({**kept, **values})).rowcount > 0


def is_up(row: Mapping[str, Any], down_seconds: int, at: datetime | None = None) -> bool:
    """Whether the process was heard of within `down_seconds`; a row that never beat is down."""
    return row["updated_at"] is not None and row["updated_at"] >= (at or now()) - timedelta(seconds=down_seconds)


def zones(conn: sa.Connection) -> dict[str, bool]:
    """Availability zone of the volume services -> whether one of its rows is enabled."""
    table = TABLES["services"]
    query = sa.select(table.c.availability_zone, table.c.disabled).where(
        table.c.binary == "cinder-volume", alive(table)
    )
    result: dict[str, bool] = {}
    for zone, disabled in conn.execute(query.order_by(table.c.id)):
        result[zone] = result.get(zone, False) or not disabled
    return result


def is_frozen(conn: sa.Connection, backend: str) -> bool:
    """Whether an operator froze this backend (`host@backend`, no pool)."""
    table = TABLES["services"]
    where = [table.c.host == backend, table.c.binary == "cinder-volume", table.c.frozen == sa.true(), alive(table)]
    return conn.execute(sa.select(table.c.id).where(*where).limit(1)).first() is not None
