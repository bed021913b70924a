"""Count what a project really has, where a counter is missing or too old to be believed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, alive
from keel_common.domain.volume.quotas import GROUP_RESOURCES, RESOURCES


def count(conn: sa.Connection, project_id: str, resources: Iterable[str], snapshot_sizes_count: bool) -> dict[str, int]:
    """resource -> how much the project has now. One statement for all of them; rows that use no quota do not count."""
    names = list(resources)
    parts = [_of(name, project_id, snapshot_sizes_count).label(f"n{place}") for place, name in enumerate(names)]
    row = conn.execute(sa.select(*parts)).one()
    return {name: int(value or 0) for name, value in zip(names, row, strict=True)}


def _of(resource: str, project_id: str, snapshot_sizes_count: bool) -> sa.ColumnElement[int]:
    kind, type_name = resource, None
    if resource not in RESOURCES and resource not in GROUP_RESOURCES:
        kind, _, type_name = resource.partition("_")
    if kind == "volumes":
        return _scalar("volumes", sa.func.count(), project_id, type_name)
    if kind == "snapshots":
        return _scalar("snapshots", sa.func.count(), project_id, type_name)
    if kind == "gigabytes":
        sizes = _scalar("volumes", _sum("volumes", "size"), project_id, type_name)
        if not snapshot_sizes_count:
            return sizes
        return sizes + _scalar("snapshots", _sum("snapshots", "volume_size"), project_id, type_name)
    if kind == "backups":
        return _scalar("backups", sa.func.count(), project_id, None)
    if kind == "backup_gigabytes":
        return _scalar("backups", _sum("backups", "size"), project_id, None)
    if kind == "groups":
        return _scalar("groups", sa.func.count(), project_id, None)
    raise ValueError(f"{resource} is no quota resource that can be counted")


def _sum(table: str, column: str) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(TABLES[table].c[column]), 0)


def _scalar(name: str, what: Any, project_id: str, type_name: str | None) -> sa.ScalarSelect[int]:
    table = TABLES[name]
    where = [table.c.project_id == project_id, alive(table)]
    if "use_quota" in table.c:
        where.append(table.c.use_quota == sa.true())
    if type_name is not None:
        types = TABLES["volume_types"]
        named = sa.select(types.c.id).where(types.c.name == type_name, alive(types)).scalar_subquery()
        where.append(table.c.volume_type_id == named)
    return sa.select(what).select_from(table).where(*where).scalar_subquery()
