"""Notes of periodic tasks about the periods they have worked through (table task_log)."""

from __future__ import annotations

import datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.schema import nova_cell

TABLE = nova_cell.tables["task_log"]


def of_period(conn: sa.Connection, task: str, begin: datetime.datetime, end: datetime.datetime) -> list[dict[str, Any]]:
    """The notes of one task about one period, one for each host, by host."""
    query = sa.select(TABLE).where(
        TABLE.c.deleted == 0,
        TABLE.c.task_name == task,
        TABLE.c.period_beginning == begin,
        TABLE.c.period_ending == end,
    )
    return [dict(row) for row in conn.execute(query.order_by(TABLE.c.host)).mappings()]
