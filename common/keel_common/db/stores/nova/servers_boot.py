"""What the API database must know before a server can be made: flavor, key, group, zones, quota limits."""

from __future__ import annotations

from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db import schema

API = schema.nova_api.tables
CELL = schema.nova_cell.tables
FLAVORS = API["flavors"]


def flavor(conn: sa.Connection, flavorid: str, project_id: str | None, is_admin: bool) -> dict[str, Any] | None:
    """Return an enabled flavor that the project may use, with extra_specs; None when there is none (one statement)."""
    specs, access = API["flavor_extra_specs"], API["flavor_projects"]
    query = (
        sa.select(FLAVORS, specs.c.key, specs.c.value)
        .select_from(FLAVORS.outerjoin(specs, specs.c.flavor_id == FLAVORS.c.id))
        .where(FLAVORS.c.flavorid == flavorid)
    )
    if not is_admin:
        shared = sa.exists().where(access.c.flavor_id == FLAVORS.c.id, access.c.project_id == project_id)
        query = query.where(sa.or_(FLAVORS.c.is_public == sa.true(), shared))
    rows = list(conn.execute(query).mappings())
    if not rows or rows[0]["disabled"] or rows[0]["flavorid"] != flavorid:
        return None
    found = {column.name: rows[0][column.name] for column in FLAVORS.columns}
    found["extra_specs"] = {row["key"]: row["value"] for row in rows if row["key"] is not None}
    return found


def flavor_key(conn: sa.Connection, flavorid: str) -> int | None:
    """Return the database id behind a flavor id, whoever may see it; None when there is no such flavor."""
    return conn.execute(sa.select(FLAVORS.c.id).where(FLAVORS.c.flavorid == flavorid)).scalar()


def keypair(conn: sa.Connection, user_id: str, name: str) -> dict[str, Any] | None:
    """Return a key of a user, or None."""
    keys = API["key_pairs"]
    row = conn.execute(sa.select(keys).where(keys.c.user_id == user_id, keys.c.name == name)).mappings().first()
    return dict(row) if row is not None else None


def group(conn: sa.Connection, uuid: str, project_id: str) -> dict[str, Any] | None:
    """Return a server group of a project with policy, rules and member uuids; None when there is none."""
    groups, policies, members = API["instance_groups"], API["instance_group_policy"], API["instance_group_member"]
    query = (
        sa.select(groups, policies.c.policy, policies.c.rules, members.c.instance_uuid)
        .select_from(
            groups.outerjoin(policies, policies.c.group_id == groups.c.id).outerjoin(
                members, members.c.group_id == groups.c.id
            )
        )
        .where(groups.c.uuid == uuid, groups.c.project_id == project_id)
    )
    rows = list(conn.execute(query).mappings())
    if not rows:
        return None
    found = {name: rows[0][name] for name in (*(column.name for column in groups.columns), "policy")}
    found["rules"] = orjson.loads(rows[0]["rules"]) if rows[0]["rules"] else {}
    found["members"] = [row["instance_uuid"] for row in rows if row["instance_uuid"]]
    return found


def zones_of_hosts(conn: sa.Connection) -> dict[str, str]:
    """Return host -> availability zone for the hosts that an aggregate puts into one."""
    hosts, metadata = API["aggregate_hosts"], API["aggregate_metadata"]
    query = (
        sa.select(hosts.c.host, metadata.c.value)
        .select_from(hosts.join(metadata, metadata.c.aggregate_id == hosts.c.aggregate_id))
        .where(metadata.c.key == "availability_zone")
    )
    return {row.host: row.value for row in conn.execute(query)}


def enabled_hosts(conn: sa.Connection) -> list[str]:
    """Return the hosts of a cell whose nova-compute is enabled."""
    services = CELL["services"]
    query = sa.select(services.c.host).where(
        services.c.binary == "nova-compute", services.c.disabled == sa.false(), services.c.deleted == 0
    )
    return [row.host for row in conn.execute(query)]
