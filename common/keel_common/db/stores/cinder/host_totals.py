"""How much of each project lies on a host."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import volume_filters
from keel_common.db.stores.cinder.rows import TABLES, alive

KEYS = ("volume_count", "total_volume_gb", "snapshot_count", "total_snapshot_gb")


def by_project(conn: sa.Connection, host: str) -> dict[str, dict[str, int]]:
    """project -> counts and GiB of its volumes on the host (its backends and pools) and of their snapshots."""
    volumes, snapshots = TABLES["volumes"], TABLES["snapshots"]
    on_host = volume_filters.on_host(volumes.c.host, host)
    found: dict[str, dict[str, int]] = {}
    mine = sa.select(volumes.c.project_id, sa.func.count(), sa.func.coalesce(sa.func.sum(volumes.c.size), 0))
    _add(found, conn.execute(mine.where(on_host, alive(volumes)).group_by(volumes.c.project_id)), KEYS[:2])
    cut = sa.select(volumes.c.project_id, sa.func.count(), sa.func.coalesce(sa.func.sum(snapshots.c.volume_size), 0))
    cut = cut.join_from(snapshots, volumes, volumes.c.id == snapshots.c.volume_id)
    _add(
        found,
        conn.execute(cut.where(on_host, alive(volumes), alive(snapshots)).group_by(volumes.c.project_id)),
        KEYS[2:],
    )
    return dict(sorted(found.items()))


def _add(found: dict[str, dict[str, int]], rows: Any, keys: tuple[str, ...]) -> None:
    for project, number, size in rows:
        counts = found.setdefault(project, dict.fromkeys(KEYS, 0))
        counts[keys[0]], counts[keys[1]] = int(number), int(size)
