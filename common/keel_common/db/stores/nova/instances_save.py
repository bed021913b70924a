"""Guarded changes of a server's row set, as Nova's Instance.save makes them."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import Refused, not_found
from keel_common.db.statements import add, cas, now, soft_delete
from keel_common.db.stores.nova import extras, server_row
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, first

INSTANCES = TABLES["instances"]
FLAVORS = {"cur", "old", "new"}
TRIES = 3


@dataclass
class Changes:
    """What of a server changes.

    :ivar values: columns of `instances`
    :ivar extra: JSON text by column of `instance_extra`
    :ivar flavors: of cur, old, new those that change, in stored form; the others stay as they are
    :ivar metadata, system_metadata: the whole new dict; None leaves it alone
    :ivar network_info: JSON text; None leaves it alone
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, str | None] = field(default_factory=dict)
    flavors: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] | None = None
    system_metadata: Mapping[str, str | None] | None = None
    network_info: str | None = None


def save(
    conn: sa.Connection,
    uuid: str,
    changes: Changes,
    expected_vm_state: Sequence[str | None] | None = None,
    expected_task_state: Sequence[str | None] | None = None,
    parts: Collection[str] = (),
) -> Row:
    """Applies the changes and returns the row as it is then, but for `updated_at`: that is the one from before.

    `parts` (of server_row.GATHERED) come with it: two statements where nothing but columns change.

    Raises Refused: InstanceNotFound; UnexpectedDeletingTaskStateError, UnexpectedTaskStateError or
    InstanceUpdateConflict when the row is not in an expected state; UnknownInstanceUpdateConflict when nobody can
    tell. Source: nova 34.0.0 db semantics (compare_and_swap).
    """
    row = server_row.read(conn, uuid, parts)
    if row is None:
        raise not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)
    values = columns_of(INSTANCES, changes.values)
    if values or changes.metadata is not None or changes.system_metadata is not None:
        _update(conn, uuid, values, {"vm_state": expected_vm_state, "task_state": expected_task_state})
    save_parts(conn, uuid, changes)
    pairs = {"metadata": changes.metadata, "system_metadata": changes.system_metadata}
    return row | values | {name: dict(wanted) for name, wanted in pairs.items() if wanted is not None}


def _update(
    conn: sa.Connection, uuid: str, values: Mapping[str, Any], expected: Mapping[str, Sequence[str | None] | None]
) -> None:
    guards = {name: states for name, states in expected.items() if states is not None}
    moment = now()
    given = {f"new_{name}": value for name, value in values.items()} | {"server": uuid, "new_updated_at": moment}
    for name, states in guards.items():
        given[f"old_{name}"] = [state for state in states if state is not None]
    shape = tuple(values), tuple((name, None in states) for name, states in guards.items())
    for _ in range(TRIES):
        if conn.execute(_guarded(*shape), given).rowcount > 0:
            return
        _diagnose(conn, uuid, expected)
    raise Refused("UnknownInstanceUpdateConflict", f"Server {uuid} changes too fast.", instance_uuid=uuid)


@lru_cache(maxsize=512)
def _guarded(columns: tuple[str, ...], guards: tuple[tuple[str, bool], ...]) -> sa.Update:
    """UPDATE of these columns and updated_at; a guard is a column, and whether NULL is expected among its values.

    Made once for each shape: building a statement costs more than running it.
    """
    where: list[sa.ColumnElement[bool]] = [INSTANCES.c.uuid == sa.bindparam("server"), INSTANCES.c.deleted == 0]
    for name, empty in guards:
        column = INSTANCES.c[name]
        is_one = column.in_(sa.bindparam(f"old_{name}", expanding=True))
        where.append(sa.or_(is_one, column.is_(None)) if empty else is_one)
    new: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in (*columns, "updated_at")}
    return sa.update(INSTANCES).where(*where).values(new)


def save_parts(conn: sa.Connection, uuid: str, changes: Changes) -> None:
    """Writes what lives outside the table `instances`."""
    texts = dict(changes.extra)
    if set(changes.flavors) == FLAVORS:
        texts["flavor"] = json.dumps(changes.flavors)
    elif changes.flavors:
        stored = {"cur": None, "old": None, "new": None} | (extras.get(conn, uuid, "flavor")[1] or {})
        texts["flavor"] = json.dumps(stored | dict(changes.flavors))
    if texts:
        extra = TABLES["instance_extra"]
        if not cas(conn, extra, texts, [extra.c.instance_uuid == uuid, extra.c.deleted == 0]):
            add(conn, extra, {"instance_uuid": uuid, **texts})
    if changes.network_info is not None:
        cache = TABLES["instance_info_caches"]
        cas(conn, cache, {"network_info": changes.network_info}, [cache.c.instance_uuid == uuid, cache.c.deleted == 0])
    for table, wanted in (
        ("instance_metadata", changes.metadata),
        ("instance_system_metadata", changes.system_metadata),
    ):
        if wanted is not None:
            replace_pairs(conn, TABLES[table], uuid, wanted)


def metadata(conn: sa.Connection, uuid: str) -> dict[str, str]:
    """The metadata of a server."""
    table = TABLES["instance_metadata"]
    query = sa.select(table.c.key, table.c.value).where(table.c.instance_uuid == uuid, table.c.deleted == 0)
    return {row.key: row.value for row in conn.execute(query.order_by(table.c.id))}


def remove_metadata(conn: sa.Connection, uuid: str, key: str) -> bool:
    """Soft-deletes one metadata key of a server; False when it is not there."""
    table = TABLES["instance_metadata"]
    return soft_delete(conn, table, [table.c.instance_uuid == uuid, table.c.key == key]) > 0


def replace_pairs(conn: sa.Connection, table: sa.Table, uuid: str, wanted: Mapping[str, str | None]) -> None:
    """Makes the key/value rows of a server equal `wanted`: missing keys soft-deleted, changed values updated in
    place."""
    mine = [table.c.instance_uuid == uuid, table.c.deleted == 0]
    stored = dict(conn.execute(sa.select(table.c.key, table.c.value).where(*mine)).all())
    gone = stored.keys() - wanted.keys()
    if gone:
        soft_delete(conn, table, [*mine, table.c.key.in_(gone)], updated_at=now())
    changed = [{"k": key, "v": wanted[key]} for key in wanted.keys() & stored.keys() if stored[key] != wanted[key]]
    if changed:
        key: sa.BindParameter[str] = sa.bindparam("k")
        value: sa.BindParameter[str] = sa.bindparam("v")
        conn.execute(sa.update(table).where(*mine, table.c.key == key).values(value=value, updated_at=now()), changed)
    new = wanted.keys() - stored.keys()
    add(conn, table, *({"instance_uuid": uuid, "key": key, "value": wanted[key]} for key in sorted(new)))


def _diagnose(conn: sa.Connection, uuid: str, expected: Mapping[str, Sequence[str | None] | None]) -> None:
    """Raises the recorded exception that says why a guarded update found no row; returns when it cannot tell."""
    # A locking read: a plain one would show the row as it was when this transaction began.
    states = sa.select(INSTANCES.c.vm_state, INSTANCES.c.task_state)
    living_one = states.where(INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0)
    row = first(conn, living_one.with_for_update())
    if row is None:
        raise not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)
    wrong = {name: list(states) for name, states in expected.items() if states is not None and row[name] not in states}
    if not wrong:
        return
    if "task_state" not in wrong:
        name = "InstanceUpdateConflict"
    else:
        name = "UnexpectedDeletingTaskStateError" if row["task_state"] == "deleting" else "UnexpectedTaskStateError"
    actual = {state: row[state] for state in wrong}
    text = f"Server {uuid} is not as expected: wanted {wrong}, found {actual}."
    raise Refused(name, text, instance_uuid=uuid, expected=wrong, actual=actual)
