"""Rows of clusters: several volume services that serve the same backend under one name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder.rows import TABLES, alive, every, now, one_of

Row = dict[str, Any]
_NUMBERS = ("num_hosts", "num_down_hosts")


def find(conn: sa.Connection, down_seconds: int, filters: Mapping[str, Any] | None = None) -> list[Row]:
    """Live clusters with `num_hosts`, `num_down_hosts`, `last_heartbeat` and `is_up`, oldest first.

    filters: name, binary, disabled, is_up, num_hosts, num_down_hosts, replication_status, frozen, active_backend_id.
    Clusters without services match no number but are shown without that filter.
    """
    table, services = TABLES["clusters"], TABLES["services"]
    limit = now() - timedelta(seconds=down_seconds)
    mine = sa.and_(services.c.cluster_name == table.c.name, services.c.binary == table.c.binary, alive(services))
    down = sa.case((sa.or_(services.c.updated_at.is_(None), services.c.updated_at < limit), 1), else_=0)
    query = (
        sa.select(
            table,
            sa.func.count(services.c.id).label("num_hosts"),
            sa.func.coalesce(sa.func.sum(sa.case((services.c.id.is_not(None), down), else_=0)), 0).label(
                "num_down_hosts"
            ),
            sa.func.max(services.c.updated_at).label("last_heartbeat"),
        )
        .select_from(table.outerjoin(services, mine))
        .where(alive(table))
        .group_by(*table.c)
        .order_by(table.c.id)
    )
    rows = [
        {**row, "num_down_hosts": int(row["num_down_hosts"]), "is_up": _is_up(row["last_heartbeat"], limit)}
        for row in every(conn, query)
    ]
    return [row for row in rows if _matches(row, filters or {})]


def _is_up(heard: datetime | None, limit: datetime) -> bool:
    return heard is not None and heard >= limit


def _matches(row: Row, filters: Mapping[str, Any]) -> bool:
    for key, wanted in filters.items():
        if key in _NUMBERS:
            if not row["num_hosts"] or str(row[key]) != str(wanted):
                return False
        elif isinstance(wanted, bool):
            if bool(row[key]) != wanted:
                return False
        elif row[key] != wanted:
            return False
    return True


def guards(expected: Mapping[str, tuple]) -> list[sa.ColumnElement[bool]]:
    """Conditions: each column holds one of its values."""
    table = TABLES["clusters"]
    return [one_of(table.c[column], allowed) for column, allowed in expected.items()]


def change(conn: sa.Connection, cluster_id: int, values: Mapping[str, Any], where: list | None = None) -> bool:
    """Write columns of a cluster where the conditions hold; False when they do not."""
    table = TABLES["clusters"]
    return cas(conn, table, values, where=[table.c.id == cluster_id, alive(table), *(where or [])])
