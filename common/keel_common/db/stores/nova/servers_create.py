"""A new server in the API database: request spec, build request, mapping and group membership, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
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


def queue_for_delete(conn: sa.Connection, uuid: str, queued: bool = True) -> None:
    """Mark the mapping of a server that is on its way out, or comes back from there."""
    table = API["instance_mappings"]
    values = {"queued_for_delete": queued, "updated_at": now()}
    conn.execute(sa.update(table).where(table.c.instance_uuid == uuid).values(**values))


def update_build(conn: sa.Connection, uuid: str, values: Mapping[str, Any]) -> bool:
    """Change fields of the server a build request will become; False when it is a build request no longer."""
    table = API["build_requests"]
    text = conn.execute(sa.select(table.c.instance).where(table.c.instance_uuid == uuid).with_for_update()).scalar()
    if text is None:
        return False
    stored = orjson.loads(text)
    stored["nova_object.data"].update(values)
    changed = {"instance": orjson.dumps(stored).decode(), "updated_at": now()}
    return conn.execute(sa.update(table).where(table.c.instance_uuid == uuid).values(**changed)).rowcount > 0


def pin_zone(conn: sa.Connection, uuid: str, zone: str | None) -> bool:
    """Set the availability zone a server is pinned to in its request spec; False when it has none."""
    table = API["request_specs"]
    text = conn.execute(sa.select(table.c.spec).where(table.c.instance_uuid == uuid).with_for_update()).scalar()
    if text is None:
        return False
    stored = orjson.loads(text)
    stored["nova_object.data"]["availability_zone"] = zone
    changed = {"spec": orjson.dumps(stored).decode(), "updated_at": now()}
    return conn.execute(sa.update(table).where(table.c.instance_uuid == uuid).values(**changed)).rowcount > 0


def devices_of_build(conn: sa.Connection, uuid: str) -> list[dict[str, Any]]:
    """Return the block devices of a build request."""
    table = API["build_requests"]
    text = conn.execute(sa.select(table.c.block_device_mappings).where(table.c.instance_uuid == uuid)).scalar()
    objects = orjson.loads(text)["nova_object.data"]["objects"] if text else []
    return [entry["nova_object.data"] for entry in objects]
