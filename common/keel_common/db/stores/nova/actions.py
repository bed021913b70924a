"""What was done to a server: rows of instance_actions and instance_actions_events.

Source: nova 34.0.0 instance_actions (rules): an action belongs to a server and a request id, an event to an action.
"""

import datetime
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import Refused, not_found
from keel_common.db.statements import add, now
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, first, living

ACTIONS = TABLES["instance_actions"]
EVENTS = TABLES["instance_actions_events"]
# An event that failed may be begun again under its name (a recovery tried again): the one that goes on is meant.
OPEN_FIRST = (EVENTS.c.finish_time.is_not(None), EVENTS.c.id)


def start(conn: sa.Connection, uuid: str, action: Mapping[str, Any]) -> int:
    """Starts an action (action, request_id, user_id, project_id, start_time); the id of its row."""
    values = {"start_time": now(), **columns_of(ACTIONS, action)}
    return add(conn, ACTIONS, {"updated_at": values["start_time"], **values, "instance_uuid": uuid})


def by_request(conn: sa.Connection, uuid: str, request_id: str) -> Row | None:
    """The newest action of a server under a request id."""
    query = sa.select(ACTIONS).where(*_of(uuid), ACTIONS.c.request_id == request_id)
    return first(conn, query.order_by(ACTIONS.c.created_at.desc(), ACTIONS.c.id.desc()))


def finish(conn: sa.Connection, uuid: str, request_id: str) -> Row:
    """Sets the end of an action. Raises Refused InstanceActionNotFound."""
    row = by_request(conn, uuid, request_id)
    if row is None:
        raise _no_action(uuid, request_id)
    end = {"finish_time": now(), "updated_at": now()}
    conn.execute(sa.update(ACTIONS).where(ACTIONS.c.id == row["id"]).values(**end))
    return row | end


def start_event(
    conn: sa.Connection,
    uuid: str,
    request_id: str,
    event: str,
    host: str | None,
    has_project: bool = True,
    when: datetime.datetime | None = None,
) -> Row:
    """Starts an event of the action of this request; its row.

    Without an action: a context without project (a service on its own) takes the newest action of the server, anybody
    else is refused with InstanceActionNotFound. Such a service goes on with what another process left: an event of
    that name which nobody ended is the one it goes on with.
    """
    action = _action(conn, uuid, request_id, has_project)
    if action["request_id"] != request_id and (left := _unfinished(conn, action["id"], event)) is not None:
        return left
    moment = now()
    _touch(conn, action, request_id, {"updated_at": when or moment})
    row = {"action_id": action["id"], "event": event, "host": host, "start_time": moment}
    return row | {"id": add(conn, EVENTS, row), "created_at": moment}


def finish_event(
    conn: sa.Connection,
    uuid: str,
    request_id: str,
    event: str,
    failure: str | None = None,
    traceback: str | None = None,
    has_project: bool = True,
    when: datetime.datetime | None = None,
) -> Row:
    """Ends an event: Success, or Error with `failure` as its details; the action then carries the message Error.

    Raises Refused InstanceActionNotFound or InstanceActionEventNotFound.
    """
    row = _event_of_request(conn, uuid, request_id, event)
    action = None
    if row is None:
        action = _action(conn, uuid, request_id, has_project)
        row = _event(conn, action["id"], event)
    failed = failure is not None or traceback is not None
    if action is None or action["request_id"] == request_id:
        moving = {"updated_at": when or now(), **({"message": "Error"} if failed else {})}
        conn.execute(sa.update(ACTIONS).where(ACTIONS.c.id == row["action_id"]).values(**moving))
    end: dict[str, Any] = {"finish_time": now(), "result": "Error" if failed else "Success", "updated_at": now()}
    if failed:
        end |= {"details": failure, "traceback": traceback}
    conn.execute(sa.update(EVENTS).where(EVENTS.c.id == row["id"]).values(**end))
    return row | end


def add_finished_event(conn: sa.Connection, action_id: int, event: Mapping[str, Any]) -> None:
    """Writes an event that is over already (event, host, result, details, traceback)."""
    moment = now()
    add(conn, EVENTS, {"action_id": action_id, "start_time": moment, "finish_time": moment, **event})
    message = {"message": "Error"} if event.get("result") == "Error" else {}
    conn.execute(sa.update(ACTIONS).where(ACTIONS.c.id == action_id).values(updated_at=moment, **message))


def _of(uuid: str) -> list[sa.ColumnElement[bool]]:
    return [ACTIONS.c.instance_uuid == uuid, *living(ACTIONS)]


def _action(conn: sa.Connection, uuid: str, request_id: str, has_project: bool) -> Row:
    row = by_request(conn, uuid, request_id)
    if row is None and not has_project:
        newest = sa.select(ACTIONS).where(*_of(uuid)).order_by(ACTIONS.c.created_at.desc(), ACTIONS.c.id.desc())
        row = first(conn, newest)
    if row is None:
        raise _no_action(uuid, request_id)
    return row


def _event_of_request(conn: sa.Connection, uuid: str, request_id: str, event: str) -> Row | None:
    """The event of the newest action of a request, in one statement; None when either is not there."""
    newest = sa.select(ACTIONS.c.id).where(*_of(uuid), ACTIONS.c.request_id == request_id)
    newest = newest.order_by(ACTIONS.c.created_at.desc(), ACTIONS.c.id.desc()).limit(1)
    query = sa.select(EVENTS).where(EVENTS.c.action_id == newest.scalar_subquery(), EVENTS.c.event == event)
    return first(conn, query.where(*living(EVENTS)).order_by(*OPEN_FIRST))


def _event(conn: sa.Connection, action_id: int, event: str) -> Row:
    query = sa.select(EVENTS).where(EVENTS.c.action_id == action_id, EVENTS.c.event == event, *living(EVENTS))
    row = first(conn, query.order_by(*OPEN_FIRST))
    if row is None:
        facts = {"action_id": action_id, "event": event}
        raise not_found("InstanceActionEventNotFound", f"Event {event} of action {action_id}", **facts)
    return row


def _unfinished(conn: sa.Connection, action_id: int, event: str) -> Row | None:
    mine = [EVENTS.c.action_id == action_id, EVENTS.c.event == event, EVENTS.c.finish_time.is_(None)]
    return first(conn, sa.select(EVENTS).where(*mine, *living(EVENTS)).order_by(EVENTS.c.id))


def _touch(conn: sa.Connection, action: Row, request_id: str, values: Mapping[str, Any]) -> None:
    """Marks the action of the same request as moving; one that was merely the newest is left alone."""
    if action["request_id"] == request_id:
        conn.execute(sa.update(ACTIONS).where(ACTIONS.c.id == action["id"]).values(**values))


def _no_action(uuid: str, request_id: str) -> Refused:
    facts = {"instance_uuid": uuid, "request_id": request_id}
    return not_found("InstanceActionNotFound", f"Action of request {request_id} on server {uuid}", **facts)
