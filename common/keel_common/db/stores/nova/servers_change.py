"""Guarded changes of servers in their cell: task states, locks, reset, update of fields, destruction.

Each state change is one UPDATE that only happens from the states it was checked for; a lost race returns False.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db import add, cas, now, schema, soft_delete
from keel_common.db.stores.nova import actions, instances_destroy
from keel_common.db.stores.nova.rows import one_of
from keel_common.domain.server.guards import Guard

TABLES = schema.nova_cell.tables
INSTANCES = TABLES["instances"]


def begin(
    conn: sa.Connection,
    uuid: str,
    guard: Guard,
    action: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    also: Callable[[sa.Connection], Any] | None = None,
) -> bool:
    """Set the task state of a guarded action and record the action; False when the server is no longer in those states.

    `action` is what `actions.start` takes: action, request_id, user_id, project_id. `also` writes more in the same
    transaction, once the server is taken.
    """
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0]
    if guard.expects:
        where.append(one_of(INSTANCES.c.task_state, guard.expects))
    if guard.vm_states is not None:
        where.append(INSTANCES.c.vm_state.in_(guard.vm_states))
    if not cas(conn, INSTANCES, {"task_state": guard.sets, **(values or {})}, where):
        return False
    actions.start(conn, uuid, action)
    if also is not None:
        also(conn)
    return True


def lock(conn: sa.Connection, uuid: str, by: str, reason: str | None, action: Mapping[str, Any], host: str) -> None:
    """Lock a server for `by` (owner or admin), keep the reason, and record the finished action."""
    cas(conn, INSTANCES, {"locked": True, "locked_by": by}, [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])
    set_system_metadata(conn, uuid, "locked_reason", reason)
    _finished(conn, uuid, action, "api_lock", host)


def unlock(conn: sa.Connection, uuid: str, action: Mapping[str, Any], host: str) -> None:
    """Unlock a server and record the finished action."""
    cas(conn, INSTANCES, {"locked": False, "locked_by": None}, [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0])
    set_system_metadata(conn, uuid, "locked_reason", None)
    _finished(conn, uuid, action, "api_unlock", host)


def _finished(conn: sa.Connection, uuid: str, action: Mapping[str, Any], event: str, host: str) -> None:
    """Record an action that is over already, with its one event."""
    action_id = actions.start(conn, uuid, action)
    actions.add_finished_event(conn, action_id, {"event": event, "host": host, "result": "Success"})


def set_system_metadata(conn: sa.Connection, uuid: str, key: str, value: str | None) -> None:
    """Set one key of a server's system metadata; None removes it."""
    table = TABLES["instance_system_metadata"]
    mine = [table.c.instance_uuid == uuid, table.c.key == key]
    if value is None:
        soft_delete(conn, table, mine)
    elif not cas(conn, table, {"value": value}, [*mine, table.c.deleted == 0]):
        add(conn, table, {"instance_uuid": uuid, "key": key, "value": value})


def revert(conn: sa.Connection, uuid: str, task_state: str, before: str | None) -> bool:
    """Take a task state back that nobody was told of; False when somebody changed it meanwhile."""
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0, INSTANCES.c.task_state == task_state]
    return cas(conn, INSTANCES, {"task_state": before}, where)


def reset_state(conn: sa.Connection, uuid: str, vm_state: str, action: Mapping[str, Any]) -> bool:
    """Put a server into `vm_state` without any task, whatever it is doing; False when it is gone."""
    alive = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0]
    done = cas(conn, INSTANCES, {"vm_state": vm_state, "task_state": None}, alive)
    if done:
        actions.start(conn, uuid, {**action, "finish_time": now()})
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
        actions.start(conn, uuid, action)
    return True


def mark_deleting_here(conn: sa.Connection, uuid: str, expected_host: str | None) -> bool:
    """Begin, or go on with, a deletion in which no host takes part; False when the host is no longer `expected_host`.

    From then on no host can begin to build the server: that needs a server without task or in scheduling.
    """
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0, one_of(INSTANCES.c.host, [expected_host])]
    return cas(conn, INSTANCES, {"task_state": "deleting", "progress": 0}, where)


def destroy(conn: sa.Connection, uuid: str, expected_host: str | None, action: Mapping[str, Any] | None = None) -> bool:
    """Soft delete a server and everything of it, in the state deleted.

    False, with nothing changed, when it is gone or its host is no longer `expected_host`.
    """
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0, one_of(INSTANCES.c.host, [expected_host])]
    gone = {"vm_state": "deleted", "task_state": None, "terminated_at": now()}
    if not cas(conn, INSTANCES, gone, where):
        return False
    instances_destroy.destroy(conn, uuid, expected_host)
    if action is not None:
        actions.start(conn, uuid, {**action, "finish_time": now()})
    return True
