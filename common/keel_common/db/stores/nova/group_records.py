"""Server groups as Nova's InstanceGroup object shows and changes them (API database)."""

import json
import uuid as uuids
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova import placed, quotas
from keel_common.db.stores.nova.rows import API_TABLES, TABLES, Row, columns_of, parse

GROUPS = API_TABLES["instance_groups"]
POLICIES = API_TABLES["instance_group_policy"]
MEMBERS = API_TABLES["instance_group_member"]
BUILDS = API_TABLES["build_requests"]
SERVERS = TABLES["instances"]


class IdTaken(Exception):
    """A group with this uuid exists."""


def listing(conn: sa.Connection, project_id: str | None = None) -> list[Row]:
    """Groups by id with policy, rules and members; of one project when that is given."""
    query = sa.select(GROUPS.c.id).order_by(GROUPS.c.id)
    if project_id is not None:
        query = query.where(GROUPS.c.project_id == project_id)
    found = (placed.group(conn, id=key) for key in list(conn.execute(query).scalars()))
    return [row for row in found if row is not None]


def create(
    conn: sa.Connection,
    values: Mapping[str, Any],
    policy: str | None,
    rules: Mapping[str, str] | None,
    members: Iterable[str],
) -> Row:
    """A new group; its uuid is made unless given. Raises IdTaken."""
    row = {"uuid": str(uuids.uuid4()), **columns_of(GROUPS, values)}
    if conn.execute(sa.select(GROUPS.c.id).where(GROUPS.c.uuid == row["uuid"])).first():
        raise IdTaken
    try:
        key = add(conn, GROUPS, row)
    except IntegrityError as error:
        raise IdTaken from error
    if policy is not None:
        add(conn, POLICIES, {"group_id": key, "policy": policy, "rules": json.dumps(dict(rules or {}))})
    _add(conn, key, members)
    return placed.group(conn, id=key) or {}


def change(
    conn: sa.Connection, uuid: str, values: Mapping[str, Any], members: Iterable[str] | None = None
) -> Row | None:
    """Changes columns and adds members; None when there is no such group."""
    row = placed.group(conn, uuid=uuid)
    if row is None:
        return None
    known = columns_of(GROUPS, values)
    if known:
        cas(conn, GROUPS, known, [GROUPS.c.id == row["id"]])
    _add(conn, row["id"], [one for one in members or () if one not in row["members"]])
    return placed.group(conn, id=row["id"])


def add_members(conn: sa.Connection, uuid: str, members: Iterable[str]) -> list[str] | None:
    """Adds members that are not there yet; those added, None when there is no such group."""
    row = placed.group(conn, uuid=uuid)
    if row is None:
        return None
    new = [one for one in members if one not in row["members"]]
    _add(conn, row["id"], new)
    return new


def _add(conn: sa.Connection, group_id: int, members: Iterable[str]) -> None:
    for member in members:
        add(conn, MEMBERS, {"group_id": group_id, "instance_uuid": member})


def counts(conn: sa.Connection, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    """{"project": {"server_groups": n}, "user": ...}."""
    found = {"project": {"server_groups": quotas.count_groups(conn, project_id)}}
    if user_id is not None:
        found["user"] = {"server_groups": quotas.count_groups(conn, project_id, user_id)}
    return found


def servers_of_user(conn: sa.Connection, uuids_: Iterable[str], user_id: str) -> list[str]:
    """Those of the servers that live in this cell and are of the user."""
    query = sa.select(SERVERS.c.uuid).where(SERVERS.c.uuid.in_(list(uuids_)), SERVERS.c.user_id == user_id)
    return list(conn.execute(query.where(SERVERS.c.deleted == 0)).scalars())


def planned_of_user(conn: sa.Connection, uuids_: Iterable[str], user_id: str) -> list[str]:
    """Those of the servers that are still to be built and are of the user."""
    query = sa.select(BUILDS.c.instance_uuid, BUILDS.c.instance).where(BUILDS.c.instance_uuid.in_(list(uuids_)))
    return [
        row.instance_uuid
        for row in conn.execute(query)
        if (parse(row.instance) or {}).get("nova_object.data", {}).get("user_id") == user_id
    ]
