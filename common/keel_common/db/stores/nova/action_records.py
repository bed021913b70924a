"""Actions, events and faults as the list objects of Nova show them, and changes by the row itself."""

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import now
from keel_common.db.stores.nova import actions, records
from keel_common.db.stores.nova.actions import ACTIONS, EVENTS
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, every, first

FAULTS = TABLES["instance_faults"]


def create(conn: sa.Connection, uuid: str, values: Mapping[str, Any]) -> Row:
    """A new action of a server."""
    return records.create(conn, ACTIONS, {**values, "instance_uuid": uuid})


def of_server(
    conn: sa.Connection,
    uuid: str,
    limit: int | None = None,
    marker: str | None = None,
    moments: Mapping[str, datetime.datetime] | None = None,
) -> list[Row] | None:
    """Actions of a server, newest first, behind the one of request `marker`; None when that is not there.

    :param moments: changes-since, changes-before
    """
    query = sa.select(ACTIONS).where(ACTIONS.c.instance_uuid == uuid, ACTIONS.c.deleted == 0)
    rows = every(conn, query.order_by(ACTIONS.c.created_at.desc(), ACTIONS.c.id.desc()))
    if marker is not None:
        requests = [row["request_id"] for row in rows]
        if marker not in requests:
            return None
        rows = rows[requests.index(marker) + 1 :]
    since, before = (moments or {}).get("changes-since"), (moments or {}).get("changes-before")
    rows = [row for row in rows if since is None or (row["updated_at"] or row["created_at"]) >= since]
    rows = [row for row in rows if before is None or (row["updated_at"] or row["created_at"]) <= before]
    return rows[:limit]


def create_event(
    conn: sa.Connection,
    uuid: str,
    request_id: str,
    values: Mapping[str, Any],
    has_project: bool = True,
) -> Row:
    """A new event of the action of a request, which is dated by the event's start. Raises Refused
    InstanceActionNotFound."""
    about = str(values.get("event")), values.get("host"), has_project, values.get("start_time")
    begun = actions.start_event(conn, uuid, request_id, *about)
    known = {"start_time": now(), **columns_of(EVENTS, values)}
    conn.execute(sa.update(EVENTS).where(EVENTS.c.id == begun["id"]).values(**known))
    return event(conn, begun["action_id"], begun["id"]) or {}


def finish_event_row(conn: sa.Connection, event_id: int, failure: str | None, traceback: str | None) -> Row | None:
    """Ends an event by its row; None when there is none."""
    row = first(conn, sa.select(EVENTS).where(EVENTS.c.id == event_id, EVENTS.c.deleted == 0))
    if row is None:
        return None
    failed = failure is not None or traceback is not None
    moving = {"updated_at": now(), **({"message": "Error"} if failed else {})}
    conn.execute(sa.update(ACTIONS).where(ACTIONS.c.id == row["action_id"]).values(**moving))
    end: dict[str, Any] = {"finish_time": now(), "result": "Error" if failed else "Success", "updated_at": now()}
    if failed:
        end |= {"details": failure, "traceback": traceback}
    conn.execute(sa.update(EVENTS).where(EVENTS.c.id == event_id).values(**end))
    return row | end


def event(conn: sa.Connection, action_id: int, event_id: int) -> Row | None:
    """An event of an action."""
    return records.one(conn, EVENTS, id=event_id, action_id=action_id)


def events(conn: sa.Connection, action_id: int) -> list[Row]:
    """Events of an action, newest first."""
    query = sa.select(EVENTS).where(EVENTS.c.action_id == action_id, EVENTS.c.deleted == 0)
    return every(conn, query.order_by(EVENTS.c.created_at.desc(), EVENTS.c.id.desc()))


def faults(conn: sa.Connection, uuids: Iterable[str], latest: bool = False) -> list[Row]:
    """Faults of servers, by server in the order named, newest first; the newest of each alone with `latest`."""
    wanted = list(uuids)
    if not wanted:
        return []
    query = sa.select(FAULTS).where(FAULTS.c.instance_uuid.in_(wanted), FAULTS.c.deleted == 0)
    rows = every(conn, query.order_by(FAULTS.c.created_at.desc(), FAULTS.c.id.desc()))
    found = []
    for uuid in dict.fromkeys(wanted):
        mine = [row for row in rows if row["instance_uuid"] == uuid]
        found += mine[:1] if latest else mine
    return found
