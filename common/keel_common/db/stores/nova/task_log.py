"""Rows of task_log: which periodic audit ran where for which period."""

import datetime
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import TABLES, Row, every

TABLE = TABLES["task_log"]
RUNNING, DONE = "RUNNING", "DONE"


def begin(conn: sa.Connection, key: Mapping[str, Any], items: int, message: str) -> bool:
    """Notes that a task (task_name, host, period) runs; False when it was noted before."""
    if records.one(conn, TABLE, **key) is not None:
        return False
    try:
        add(conn, TABLE, {**key, "state": RUNNING, "message": message, "task_items": items, "errors": 0})
    except IntegrityError:
        return False
    return True


def end(conn: sa.Connection, key: Mapping[str, Any], errors: int, message: str) -> bool:
    """Notes that a task is over, also when that was noted before; False when it never began."""
    where = [TABLE.c[name] == value for name, value in key.items()]
    values = {"state": DONE, "message": message, "errors": errors}
    return cas(conn, TABLE, values, [*where, TABLE.c.deleted == 0])


def listing(
    conn: sa.Connection,
    task_name: str,
    begin: datetime.datetime,
    end: datetime.datetime,
    host: str | None = None,
    state: str | None = None,
) -> list[Row]:
    """Logs of a task for a period, by id."""
    where = [TABLE.c.task_name == task_name, TABLE.c.period_beginning == begin, TABLE.c.period_ending == end]
    where += [column == value for column, value in ((TABLE.c.host, host), (TABLE.c.state, state)) if value is not None]
    return every(conn, sa.select(TABLE).where(*where, TABLE.c.deleted == 0).order_by(TABLE.c.id))
