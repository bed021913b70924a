"""Where a server is: its cell, or its build request while it has none, with what the API database knows of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db import schema

TABLES = schema.nova_api.tables
MAPPINGS = TABLES["instance_mappings"]
BUILDS = TABLES["build_requests"]
SPECS = TABLES["request_specs"]
CELLS = TABLES["cell_mappings"]
MEMBERS = TABLES["instance_group_member"]
GROUPS = TABLES["instance_groups"]


@dataclass
class Found:
    """What the API database says about one server.

    `cell` is the uuid of its cell, None while it has none; `build` the stored build request then. `groups` are uuids
    of server groups, `spec` the fields of its request spec ({} when there is none).
    """

    uuid: str
    project_id: str
    user_id: str | None
    cell: str | None
    created_at: datetime | None = None
    build: dict[str, Any] | None = None
    spec: dict[str, Any] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)


def locate(conn: sa.Connection, uuid: str, with_spec: bool = False, with_groups: bool = False) -> Found | None:
    """Return where a server is, in one statement; None when nothing is known of it (any other spelling included)."""
    columns = [
        MAPPINGS.c.instance_uuid,
        MAPPINGS.c.project_id,
        MAPPINGS.c.user_id,
        MAPPINGS.c.created_at.label("mapped_at"),
        CELLS.c.uuid.label("cell"),
        BUILDS.c.instance,
        BUILDS.c.tags,
        BUILDS.c.created_at,
        BUILDS.c.updated_at,
    ]
    source = MAPPINGS.outerjoin(CELLS, CELLS.c.id == MAPPINGS.c.cell_id).outerjoin(
        BUILDS, BUILDS.c.instance_uuid == MAPPINGS.c.instance_uuid
    )
    if with_spec:
        columns.append(SPECS.c.spec)
        source = source.outerjoin(SPECS, SPECS.c.instance_uuid == MAPPINGS.c.instance_uuid)
    if with_groups:
        columns.append(GROUPS.c.uuid.label("server_group"))
        source = source.outerjoin(MEMBERS, MEMBERS.c.instance_uuid == MAPPINGS.c.instance_uuid).outerjoin(
            GROUPS, GROUPS.c.id == MEMBERS.c.group_id
        )
    rows = list(
        conn.execute(sa.select(*columns).select_from(source).where(MAPPINGS.c.instance_uuid == uuid)).mappings()
    )
    if not rows or rows[0]["instance_uuid"] != uuid:
        return None
    row = rows[0]
    return Found(
        uuid=uuid,
        project_id=row["project_id"],
        user_id=row["user_id"],
        cell=row["cell"],
        created_at=row["mapped_at"],
        build=_build(row) if row["cell"] is None and row["instance"] else None,
        spec=_data(row["spec"]) if with_spec else {},
        groups=sorted({r["server_group"] for r in rows if r["server_group"]}) if with_groups else [],
    )


def cells_of(conn: sa.Connection, uuids: Iterable[str]) -> dict[str, str | None]:
    """Return the cell uuid of each known server; None for one that no cell has yet."""
    query = (
        sa.select(MAPPINGS.c.instance_uuid, CELLS.c.uuid)
        .select_from(MAPPINGS.outerjoin(CELLS, CELLS.c.id == MAPPINGS.c.cell_id))
        .where(MAPPINGS.c.instance_uuid.in_(list(uuids)))
    )
    return {row.instance_uuid: row.uuid for row in conn.execute(query)}


def out_of_reach(
    conn: sa.Connection, cell_ids: Iterable[int], project_id: str | None, limit: int
) -> list[dict[str, Any]]:
    """Return what is known of the living servers of cells that do not answer, newest first."""
    query = sa.select(
        MAPPINGS.c.instance_uuid.label("uuid"), MAPPINGS.c.project_id, MAPPINGS.c.user_id, MAPPINGS.c.created_at
    ).where(
        MAPPINGS.c.cell_id.in_(list(cell_ids)),
        sa.or_(MAPPINGS.c.queued_for_delete == sa.false(), MAPPINGS.c.queued_for_delete.is_(None)),
    )
    if project_id is not None:
        query = query.where(MAPPINGS.c.project_id == project_id)
    return [dict(row) for row in conn.execute(query.order_by(MAPPINGS.c.id.desc()).limit(limit)).mappings()]


def builds(conn: sa.Connection, project_id: str | None, cell_id: int) -> tuple[list[dict[str, Any]], bool]:
    """Return the servers that are still build requests, each with its `build_id`, and whether a cell has servers.

    Of one project, or of all; deleted servers count for the cell. One statement and so one moment: a server that has
    left the build requests for the cell by then is counted there.
    """
    columns = (BUILDS.c.id, BUILDS.c.instance, BUILDS.c.tags, BUILDS.c.created_at, BUILDS.c.updated_at)
    query, mapped = sa.select(*columns), sa.select(MAPPINGS.c.id).where(MAPPINGS.c.cell_id == cell_id)
    if project_id is not None:
        query = query.where(BUILDS.c.project_id == project_id)
        mapped = mapped.where(MAPPINGS.c.project_id == project_id)
    in_cell = sa.select(*(sa.null().label(column.name) for column in columns)).select_from(mapped.limit(1).subquery())
    rows = list(conn.execute(sa.union_all(query, in_cell)).mappings())
    found = [_build(row) | {"build_id": row["id"]} for row in rows if row["instance"]]
    return found, any(row["id"] is None for row in rows)


def specs(conn: sa.Connection, uuids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the stored request spec fields of servers, by uuid."""
    query = sa.select(SPECS.c.instance_uuid, SPECS.c.spec).where(SPECS.c.instance_uuid.in_(list(uuids)))
    return {row.instance_uuid: _data(row.spec) for row in conn.execute(query)}


def _data(text: str | None) -> dict[str, Any]:
    return orjson.loads(text)["nova_object.data"] if text else {}


# what a build request never holds is none of these (nova 34.0.0 semantics, build_requests.instance)
_UNSET = dict.fromkeys(
    ("host", "node", "compute_id", "launched_at", "launched_on", "terminated_at", "cell_name", "locked_by", "id")
)


def _build(row: Any) -> dict[str, Any]:
    """The server a build request will become, in the shape of `servers`."""
    stored = _data(row["instance"])
    server = {**_UNSET, "deleted": 0, "disable_terminate": False, **stored}
    server["created_at"], server["updated_at"] = row["created_at"], row["updated_at"]
    server["flavor"] = stored["flavor"]["nova_object.data"] if stored.get("flavor") else None
    server["trusted_certs"] = (
        stored["trusted_certs"]["nova_object.data"]["ids"] if stored.get("trusted_certs") else None
    )
    server["tags"] = sorted(t["nova_object.data"]["tag"] for t in _data(row["tags"]).get("objects", ()))
    server["locked_reason"] = server["system_metadata"].get("locked_reason")
    server |= {"network_info": [], "volumes": [], "fault": None, "service": None}
    return server
