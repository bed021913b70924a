"""Turn a row of the state machine into one guarded UPDATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db import cas
from keel_common.db.stores.cinder.rows import TABLES, alive, one_of, other_than
from keel_common.domain.volume.states import Transition


def apply(
    conn: sa.Connection,
    transition: Transition,
    row_id: str,
    values: Mapping[str, Any] | None = None,
    where: Sequence[sa.ColumnElement[bool]] = (),
) -> bool:
    """Make the transition when the row (and `where`) allows it; True when it was made.

    `values` adds to or replaces the values of the transition. Deleted rows never match, nor does anything a transition
    without an accepted value.
    """
    if not all(transition.expected.values()):
        return False
    table = TABLES[transition.table]
    guards = [table.c.id == row_id, alive(table)]
    guards.extend(one_of(table.c[column], allowed) for column, allowed in transition.expected.items())
    guards.extend(other_than(table.c[column], value) for column, value in transition.forbidden.items())
    return cas(conn, table, {**transition.values, **(values or {})}, where=[*guards, *where])
