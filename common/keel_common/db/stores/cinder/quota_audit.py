"""Compare the counters of quotas with what there is, and set them right (source: cinder 29.0.0 quota rules)."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from keel_common.db.stores.cinder import quota_counts
from keel_common.db.stores.cinder.rows import TABLES, alive, every, now, update
from keel_common.domain.volume.quotas import GROUP_RESOURCES, RESOURCES


@dataclass(frozen=True)
class Difference:
    """A counter that is wrong. `column`: in_use or reserved."""

    project_id: str
    resource: str
    column: str
    kept: int
    real: int


def differences(conn: sa.Connection, counts_snapshots: bool, project_id: str | None = None) -> list[Difference]:
    """Every wrong counter (of one project), the rows locked until the transaction ends.

    Counted is what `quota_counts` counts for reservations, too: one definition. `reserved` is the sum of the
    reservations that stand. Counters of types that are gone are not looked at.
    """
    table = TABLES["quota_usages"]
    query = sa.select(table).where(alive(table)).order_by(table.c.id).with_for_update()
    if project_id is not None:
        query = query.where(table.c.project_id == project_id)
    by_project: dict[str, list] = {}
    for row in every(conn, query):
        by_project.setdefault(row["project_id"], []).append(row)
    promised = _promised(conn)
    return [
        difference
        for project, rows in by_project.items()
        for difference in _of_project(conn, project, rows, promised, counts_snapshots)
    ]


def _of_project(
    conn: sa.Connection, project: str, rows: list, promised: dict[int, int], counts_snapshots: bool
) -> list[Difference]:
    known = [row["resource"] for row in rows if _countable(row["resource"])]
    counted = quota_counts.count(conn, project, known, counts_snapshots) if known else {}
    found: list[Difference] = []
    for row in rows:
        real = {"in_use": counted.get(row["resource"], row["in_use"]), "reserved": promised.get(row["id"], 0)}
        found.extend(
            Difference(project, row["resource"], column, row[column], value)
            for column, value in real.items()
            if row[column] != value
        )
    return found


def _countable(resource: str) -> bool:
    kinds = ("volumes_", "gigabytes_", "snapshots_")
    return resource in RESOURCES or resource in GROUP_RESOURCES or resource.startswith(kinds)


def _promised(conn: sa.Connection) -> dict[int, int]:
    """usage id -> what live reservations promise; amounts that will come back promise nothing."""
    table = TABLES["reservations"]
    query = sa.select(table.c.usage_id, sa.func.sum(table.c.delta)).where(alive(table), table.c.delta > 0)
    return {usage: int(total) for usage, total in conn.execute(query.group_by(table.c.usage_id))}


def correct(conn: sa.Connection, counts_snapshots: bool, project_id: str | None = None) -> list[Difference]:
    """Write the real numbers; returns what was wrong."""
    table = TABLES["quota_usages"]
    found = differences(conn, counts_snapshots, project_id)
    for one in found:
        where = [table.c.project_id == one.project_id, table.c.resource == one.resource, alive(table)]
        update(conn, table, where, {one.column: one.real, "updated_at": now()})
    return found
