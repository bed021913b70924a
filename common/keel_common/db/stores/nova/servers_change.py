"""Guarded changes of servers in their cell: task states, locks, reset, update of fields, destruction.

Each state change is one UPDATE that only happens from the states it was checked for; a lost race returns False.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db import add, cas, now, schema, soft_delete
from keel_common.domain.server.guards import Guard

TABLES = schema.nova_cell.tables
INSTANCES = TABLES["instances"]

# tables whose rows go with a server (nova 34.0.0 semantics instance_destroy)
_SOFT = (
    "security_group_instance_association",
    "instance_info_caches",
    "instance_metadata",
    "instance_faults",
    "instance_extra",
    "instance_system_metadata",
    "block_device_mapping",
    "migrations",
    "virtual_interfaces",
)
_DESTROYED_ID = "instance_id_mappings"


def one_of(column: sa.ColumnElement, values: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that a column holds one of `values`, None meaning no value."""
    named = [value for value in values if value is not None]
    parts = [column.in_(named)] if named else []
    if None in values:
        parts.append(column.is_(None))
    return sa.or_(*parts) if parts else sa.false()


def begin(
    conn: sa.Connection, uuid: str, guard: Guard, action: Mapping[str, Any], values: Mapping[str, Any] | None = None
) -> bool:
    """Set the task state of a guarded action and record the action; False when the server is no longer in those states.

    `action` is a row for `record_action`.
    """
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0]
    if guard.expects:
        where.append(one_of(INSTANCES.c.task_state, guard.expects))
    if guard.vm_states is not None:
        where.append(INSTANCES.c.vm_state.in_(guard.vm_states))
    if not cas(conn, INSTANCES, {"task_state": guard.sets, **(values or {})}, where):
        return False
    record_action(conn, action)
    return True


def record_action(conn: sa.Connection, action: Mapping[str, Any]) -> int:
    """Start an instance action (action, instance_uuid, request_id, user_id, project_id); returns its row id."""
    return add(conn, TABLES["instance_actions"], {"start_time": now(), **action})


def lock(conn: sa.Connection, uuid: str, by: str, reason: str | None, action: Mapping[str, Any], host: str) -> None:
    """Lock a server for `by` (owner or admin), keep the reason, and record the finished action."""
    cas(conn, INSTANCES, {"locked": True, "locked_by": by}, [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])
    set_system_metadata(conn, uuid, "locked_reason", reason)
    _finished(conn, action, "api_lock", host)


def unlock(conn: sa.Connection, uuid: str, action: Mapping[str, Any], host: str) -> None:
    """Unlock a server and record the finished action."""
    cas(conn, INSTANCES, {"locked": False, "locked_by": None}, [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])
    set_system_metadata(conn, uuid, "locked_reason", None)
    _finished(conn, action, "api_unlock", host)


def _finished(conn: sa.Connection, action: Mapping[str, Any], event: str, host: str) -> None:
    moment = now()
    action_id = record_action(conn, {**action, "updated_at": moment})
    add(
        conn,
        TABLES["instance_actions_events"],
        {
            "action_id": action_id,
            "event": event,
            "host": host,
            "start_time": moment,
            "finish_time": moment,
            "result": "Success",
        },
    )


def set_system_metadata(conn: sa.Connection, uuid: str, key: str, value: str | None) -> None:
    """Set one key of a server's system metadata; None removes it."""
    table = TABLES["instance_system_metadata"]
    mine = [table.c.instance_uuid == uuid, table.c.key == key]
    if value is None:
        soft_delete(conn, table, mine)
    elif not cas(conn, table, {"value": value}, [*mine, table.c.deleted == 0]):
        add(conn, table, {"instance_uuid": uuid, "key": key, "value": value})


def reset_state(conn: sa.Connection, uuid: str, vm_state: str, action: Mapping[str, Any]) -> bool:
    """Put a server into `vm_state` without any task, whatever it is doing; False when it is gone."""
    alive = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0]
    done = cas(conn, INSTANCES, {"vm_state": vm_state, "task_state": None}, alive)
    if done:
        record_action(conn, {**action, "finish_time": now(), "updated_at": now()})
    return done


def update(conn: sa.Connection, uuid: str, values: Mapping[str, Any]) -> bool:
    """Write plain fields (names, addresses, disk config) of a living server; False when it is gone."""
    return cas(conn, INSTANCES, dict(values), [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])


def mark_deleting(conn: sa.Connection, uuid: str, task_state: str, action: Mapping[str, Any] | None) -> bool:
    """Begin the deletion of a server from whatever state; False when it is being deleted already or gone."""
    where = [
        INSTANCES.c.uuid == uuid,
        INSTANCES.c.deleted == 0,
        sa.or_(INSTANCES.c.task_state.is_(None), INSTANCES.c.task_state != task_state),
    ]
    if not cas(conn, INSTANCES, {"task_state": task_state, "progress": 0}, where):
        return False
    if action is not None:
        record_action(conn, action)
    return True


def destroy(conn: sa.Connection, uuid: str, expected_host: str | None, action: Mapping[str, Any] | None = None) -> bool:
    """Soft delete a server and everything of it, in the state deleted.

    False, with nothing changed, when it is gone or its host is no longer `expected_host`.
    """
    moment = now()
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0, one_of(INSTANCES.c.host, [expected_host])]
    gone = {
        "vm_state": "deleted",
        "task_state": None,
        "terminated_at": moment,
        "deleted": INSTANCES.c.id,
        "deleted_at": moment,
    }
    if not cas(conn, INSTANCES, gone, where):
        return False
    for name in _SOFT:
        soft_delete(conn, TABLES[name], [TABLES[name].c.instance_uuid == uuid])
    soft_delete(conn, TABLES[_DESTROYED_ID], [TABLES[_DESTROYED_ID].c.uuid == uuid])
    conn.execute(sa.delete(TABLES["tags"]).where(TABLES["tags"].c.resource_id == uuid))
    tokens = TABLES["console_auth_tokens"]
    conn.execute(sa.delete(tokens).where(tokens.c.instance_uuid == uuid))
    if action is not None:
        record_action(conn, {**action, "finish_time": moment, "updated_at": moment})
    return True
