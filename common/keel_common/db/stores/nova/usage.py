"""How much a project uses and may use: counts in the cells, limits in the API database.

Source: nova 34.0.0 quota rules: limit of the project, else of the quota class `default`, else of the configuration; a
limit of the user of the project narrows it.
"""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import API_TABLES, TABLES

INSTANCES = TABLES["instances"]
RESOURCES = ("instances", "cores", "ram")


def counts(conn: sa.Connection, project_id: str, user_id: str | None = None) -> dict[str, int]:
    """Living servers, vCPUs and MiB of memory of a project (or of one user in it) in one cell."""
    where = [INSTANCES.c.project_id == project_id, INSTANCES.c.deleted == 0]
    where.append(sa.or_(INSTANCES.c.hidden == sa.false(), INSTANCES.c.hidden.is_(None)))
    where.append(sa.or_(INSTANCES.c.vm_state != "soft-delete", INSTANCES.c.vm_state.is_(None)))
    if user_id is not None:
        where.append(INSTANCES.c.user_id == user_id)
    columns = sa.func.count(INSTANCES.c.id), sa.func.sum(INSTANCES.c.vcpus), sa.func.sum(INSTANCES.c.memory_mb)
    row = conn.execute(sa.select(*columns).where(*where)).one()
    return {name: int(value or 0) for name, value in zip(RESOURCES, row, strict=True)}


def limits(conn: sa.Connection, project_id: str, user_id: str, names: Iterable[str] = RESOURCES) -> dict[str, Any]:
    """Stored limits as {resource: {"user": n, "project": n, "class": n}}, only those that are stored; one statement."""
    users, projects, classes = (API_TABLES[name] for name in ("project_user_quotas", "quotas", "quota_classes"))
    wanted = list(names)

    def part(table: sa.Table, level: str, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
        columns = sa.literal(level).label("level"), table.c.resource, table.c.hard_limit
        return sa.select(*columns).where(table.c.resource.in_(wanted), *where)

    query = sa.union_all(
        part(users, "user", users.c.project_id == project_id, users.c.user_id == user_id),
        part(projects, "project", projects.c.project_id == project_id),
        part(classes, "class", classes.c.class_name == "default"),
    )
    found: dict[str, Any] = {name: {} for name in wanted}
    for level, resource, limit in conn.execute(query):
        found[resource][level] = limit
    return found
