"""Server groups with their policy and members (API database)."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db.statements import add
from keel_common.db.stores.nova.rows import API_TABLES, Row, every

TABLE = API_TABLES["instance_groups"]
POLICIES = API_TABLES["instance_group_policy"]
MEMBERS = API_TABLES["instance_group_member"]
MAPPINGS = API_TABLES["instance_mappings"]


def listing(conn: sa.Connection, project_id: str | None = None, uuid: str | None = None) -> list[Row]:
    """Groups by id, each with ``policy`` (or None), ``rules`` and ``members``; of a project, by uuid, or all.

    Members that are being deleted are left out. Two statements.
    """
    query = (
        sa.select(TABLE, POLICIES.c.policy, POLICIES.c.rules)
        .outerjoin(POLICIES, POLICIES.c.group_id == TABLE.c.id)
        .order_by(TABLE.c.id)
    )
    if project_id is not None:
        query = query.where(TABLE.c.project_id == project_id)
    if uuid is not None:
        query = query.where(TABLE.c.uuid == uuid)
    found = {row["id"]: {**row, "rules": _rules(row["rules"]), "members": []} for row in every(conn, query)}
    members = (
        sa.select(MEMBERS.c.group_id, MEMBERS.c.instance_uuid)
        .join(MAPPINGS, MAPPINGS.c.instance_uuid == MEMBERS.c.instance_uuid)
        .where(MEMBERS.c.group_id.in_(list(found)))
        .where(sa.or_(MAPPINGS.c.queued_for_delete.is_(None), MAPPINGS.c.queued_for_delete == sa.false()))
        .order_by(MEMBERS.c.id)
    )
    for group_id, member in conn.execute(members) if found else ():
        found[group_id]["members"].append(member)
    return list(found.values())


def create(conn: sa.Connection, name: str, project_id: str, user_id: str, policy: str, rules: Mapping[str, Any]) -> Row:
    """Add an empty group."""
    uuid = str(uuids.uuid4())
    key = add(conn, TABLE, {"uuid": uuid, "name": name, "project_id": project_id, "user_id": user_id})
    text = orjson.dumps(dict(rules)).decode() if rules else None
    add(conn, POLICIES, {"group_id": key, "policy": policy, "rules": text})
    return listing(conn, uuid=uuid)[0]


def remove(conn: sa.Connection, group_id: int) -> bool:
    """Delete a group; its servers stay. False when it is gone already."""
    for table in (MEMBERS, POLICIES):
        conn.execute(sa.delete(table).where(table.c.group_id == group_id))
    return conn.execute(sa.delete(TABLE).where(TABLE.c.id == group_id)).rowcount > 0


def _rules(text: str | None) -> dict[str, Any]:
    return orjson.loads(text) if text else {}
