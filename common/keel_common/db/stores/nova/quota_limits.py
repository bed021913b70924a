"""Single limits of projects and of users in them (API database)."""

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import API_TABLES

PROJECTS = API_TABLES["quotas"]
USERS = API_TABLES["project_user_quotas"]


def create(conn: sa.Connection, project_id: str, resource: str, limit: int, user_id: str | None = None) -> bool:
    """A new limit; False when there is one."""
    table, key = _key(project_id, resource, user_id)
    if records.one(conn, table, **key) is not None:
        return False
    try:
        add(conn, table, {**key, "hard_limit": limit})
    except IntegrityError:
        return False
    return True


def change(conn: sa.Connection, project_id: str, resource: str, limit: int, user_id: str | None = None) -> bool:
    """Another value of a limit; False when there is none."""
    table, key = _key(project_id, resource, user_id)
    return cas(conn, table, {"hard_limit": limit}, [table.c[name] == value for name, value in key.items()])


def _key(project_id: str, resource: str, user_id: str | None) -> tuple[sa.Table, dict[str, str]]:
    key = {"project_id": project_id, "resource": resource}
    return (PROJECTS, key) if user_id is None else (USERS, {**key, "user_id": user_id})
