"""What the API database knows of a server that is being placed: build request, request spec, mapping, group."""

import datetime
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import now
from keel_common.db.stores.nova.rows import API_TABLES, Row, every, first, parse

BUILDS = API_TABLES["build_requests"]
SPECS = API_TABLES["request_specs"]
MAPPINGS = API_TABLES["instance_mappings"]
CELLS = API_TABLES["cell_mappings"]
GROUPS = API_TABLES["instance_groups"]
MEMBERS = API_TABLES["instance_group_member"]
POLICIES = API_TABLES["instance_group_policy"]


def build_requests_left(conn: sa.Connection, uuids: Iterable[str]) -> set[str]:
    """Those of the servers whose build request still stands (the user did not delete them)."""
    query = sa.select(BUILDS.c.instance_uuid).where(BUILDS.c.instance_uuid.in_(list(uuids)))
    return set(conn.execute(query).scalars())


def put_in_cell(conn: sa.Connection, uuid: str, cell_id: int) -> bool:
    """Maps a server to its cell and deletes its build request, in that order; False when the request was gone
    already."""
    values = {"cell_id": cell_id, "updated_at": now()}
    conn.execute(sa.update(MAPPINGS).where(MAPPINGS.c.instance_uuid == uuid).values(**values))
    return delete_build_request(conn, uuid)


def delete_build_request(conn: sa.Connection, uuid: str) -> bool:
    return conn.execute(sa.delete(BUILDS).where(BUILDS.c.instance_uuid == uuid)).rowcount > 0


def delete_mapping(conn: sa.Connection, uuid: str) -> bool:
    return conn.execute(sa.delete(MAPPINGS).where(MAPPINGS.c.instance_uuid == uuid)).rowcount > 0


def delete_spec(conn: sa.Connection, uuid: str) -> bool:
    return conn.execute(sa.delete(SPECS).where(SPECS.c.instance_uuid == uuid)).rowcount > 0


def spec(conn: sa.Connection, uuid: str) -> Row | None:
    """A request spec (id, instance_uuid, spec parsed)."""
    row = first(conn, sa.select(SPECS.c.id, SPECS.c.instance_uuid, SPECS.c.spec).where(SPECS.c.instance_uuid == uuid))
    return row and {**row, "spec": parse(row["spec"])}


def save_spec(conn: sa.Connection, uuid: str, text: str) -> bool:
    """Writes the stored form of a request spec; False when the server has none."""
    changed = sa.update(SPECS).where(SPECS.c.instance_uuid == uuid).values(spec=text, updated_at=now())
    return conn.execute(changed).rowcount > 0


def mapping(conn: sa.Connection, uuid: str) -> Row | None:
    """An instance mapping with its cell (`cell`: the row of cell_mappings, None while the server has none)."""
    row = first(conn, sa.select(MAPPINGS).where(MAPPINGS.c.instance_uuid == uuid))
    if row is not None:
        cell = sa.select(CELLS).where(CELLS.c.id == row["cell_id"])
        row["cell"] = first(conn, cell) if row["cell_id"] is not None else None
    return row


def cell_of(conn: sa.Connection, uuid: str) -> str | None:
    """uuid of the cell a server is mapped to."""
    query = sa.select(CELLS.c.uuid).join(MAPPINGS, MAPPINGS.c.cell_id == CELLS.c.id)
    return conn.execute(query.where(MAPPINGS.c.instance_uuid == uuid)).scalar()


def group(conn: sa.Connection, **equal: Any) -> Row | None:
    """A server group with `members` (uuids), `policy` and `rules`, by a column of instance_groups."""
    where = [GROUPS.c[name] == value for name, value in equal.items()]
    query = sa.select(GROUPS, POLICIES.c.policy, POLICIES.c.rules)
    row = first(conn, query.outerjoin(POLICIES, POLICIES.c.group_id == GROUPS.c.id).where(*where))
    if row is None:
        return None
    members = sa.select(MEMBERS.c.instance_uuid).where(MEMBERS.c.group_id == row["id"]).order_by(MEMBERS.c.id)
    rules = parse(row["rules"]) or {}
    return {**row, "rules": rules, "members": list(conn.execute(members).scalars())}


def group_of_instance(conn: sa.Connection, uuid: str) -> Row | None:
    """The group a server is a member of."""
    query = sa.select(MEMBERS.c.group_id).where(MEMBERS.c.instance_uuid == uuid)
    found = conn.execute(query.limit(1)).scalar()
    return None if found is None else group(conn, id=found)


def specs(conn: sa.Connection, uuids: Iterable[str]) -> list[Row]:
    """Request specs of several servers."""
    query = sa.select(SPECS.c.id, SPECS.c.instance_uuid, SPECS.c.spec).where(SPECS.c.instance_uuid.in_(list(uuids)))
    return [{**row, "spec": parse(row["spec"])} for row in every(conn, query)]


def keys(conn: sa.Connection, user_id: str) -> list[Row]:
    """Key pairs of a user by name."""
    table = API_TABLES["key_pairs"]
    return every(conn, sa.select(table).where(table.c.user_id == user_id).order_by(table.c.name))


def stale_build_requests(conn: sa.Connection, before: datetime.datetime) -> list[Row]:
    """Build requests older than `before` (instance_uuid, and instance, block_device_mappings, tags parsed)."""
    parts = ("instance", "block_device_mappings", "tags")
    query = sa.select(BUILDS.c.instance_uuid, *(BUILDS.c[name] for name in parts)).where(BUILDS.c.created_at < before)
    rows = every(conn, query.order_by(BUILDS.c.id).limit(100))
    return [{"instance_uuid": row["instance_uuid"]} | {name: parse(row[name]) for name in parts} for row in rows]
