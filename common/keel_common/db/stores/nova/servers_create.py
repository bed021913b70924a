"""A new server in the API database: request spec, build request, mapping and group membership, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from keel_common.db import add, now, schema

API = schema.nova_api.tables


@dataclass
class NewServer:
    """The stored texts of one new server; `*_id` and `created_at` are filled in when it was recorded."""

    uuid: str
    project_id: str
    user_id: str
    spec: str
    instance: str
    devices: str
    tags: str
    group_id: int | None = None
    spec_id: int = 0
    build_id: int = 0
    created_at: datetime | None = None


def record(conn: sa.Connection, new: NewServer) -> NewServer:
    """Insert everything the API database holds of a server that is being made."""
    new.created_at = now()
    new.spec_id = add(conn, API["request_specs"], {"instance_uuid": new.uuid, "spec": new.spec})
    new.build_id = add(
        conn,
        API["build_requests"],
        {
            "project_id": new.project_id,
            "instance_uuid": new.uuid,
            "instance": new.instance,
            "block_device_mappings": new.devices,
            "tags": new.tags,
        },
    )
    add(
        conn,
        API["instance_mappings"],
        {
            "instance_uuid": new.uuid,
            "cell_id": None,
            "project_id": new.project_id,
            "user_id": new.user_id,
            "queued_for_delete": False,
        },
    )
    if new.group_id is not None:
        add(conn, API["instance_group_member"], {"instance_uuid": new.uuid, "group_id": new.group_id})
    return new


def forget(conn: sa.Connection, uuids: Sequence[str]) -> None:
    """Take back what `record` wrote: the request could not be handed on."""
    for name in ("request_specs", "build_requests", "instance_mappings", "instance_group_member"):
        table = API[name]
        conn.execute(sa.delete(table).where(table.c.instance_uuid.in_(list(uuids))))


def delete_build(conn: sa.Connection, uuid: str) -> bool:
    """Delete a build request; False when the conductor was faster (the server is in a cell now)."""
    table = API["build_requests"]
    return conn.execute(sa.delete(table).where(table.c.instance_uuid == uuid)).rowcount > 0


def queue_for_delete(conn: sa.Connection, uuid: str) -> None:
    """Mark the mapping of a server that is on its way out."""
    table = API["instance_mappings"]
    values = {"queued_for_delete": True, "updated_at": now()}
    conn.execute(sa.update(table).where(table.c.instance_uuid == uuid).values(**values))
