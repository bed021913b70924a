"""Servers of a cell by the filters of Nova's InstanceList (nova 34.0.0 list_rules)."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova.instances import TABLE
from keel_common.db.stores.nova.rows import TABLES, first, living
from keel_common.db.stores.nova.servers_filter import MYSQL, after_marker, ordering, tagged
from keel_common.domain.server.filters import SOFT_DELETED, TAG_KEYS

EXACT = frozenset({
    "project_id", "user_id", "image_ref", "vm_state", "instance_type_id", "uuid", "host", "task_state", "locked",
    "hidden",
})  # fmt: skip
_PAIRS = {"metadata": TABLES["instance_metadata"], "system_metadata": TABLES["instance_system_metadata"]}
_OWN = {"deleted", "soft_deleted", "cleaned", "changes-since", "changes-before", *TAG_KEYS, *_PAIRS}
REBOOTING = ("rebooting",)


class NoMarker(Exception):
    """No server has the uuid behind which a page begins."""


def conditions(filters: Mapping[str, Any], dialect: str) -> list[sa.ColumnElement[bool]]:
    """The filters as SQL; names that are no column are ignored, other texts are regular expressions."""
    where = [*_deleted(filters), *_moments(filters)]
    if "cleaned" in filters:
        where.append(TABLE.c.cleaned == (1 if filters["cleaned"] else 0))
    if "hidden" not in filters:
        where.append(sa.or_(TABLE.c.hidden == sa.false(), TABLE.c.hidden.is_(None)))
    for name in TAG_KEYS & set(filters):
        where.append(tagged(name, list(filters[name])))
    for name, table in _PAIRS.items():
        pairs = filters.get(name) or ()
        for pair in pairs if isinstance(pairs, list | tuple) else [pairs]:
            where += [_has_pair(table, key, value) for key, value in pair.items()]
    for name, value in filters.items():
        if name not in _OWN and name in TABLE.c:
            where.append(_column(name, value, dialect))
    return where


def _deleted(filters: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    if "deleted" not in filters:
        return []
    soft = bool(filters.get("soft_deleted"))
    if filters["deleted"]:
        gone = TABLE.c.deleted == TABLE.c.id
        return [sa.or_(gone, TABLE.c.vm_state == SOFT_DELETED) if soft else gone]
    kept = [TABLE.c.deleted == 0]
    if not soft:
        kept.append(sa.or_(TABLE.c.vm_state != SOFT_DELETED, TABLE.c.vm_state.is_(None)))
    return kept


def _moments(filters: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    where = []
    if "changes-since" in filters:
        where.append(TABLE.c.updated_at >= filters["changes-since"])
    if "changes-before" in filters:
        where.append(TABLE.c.updated_at <= filters["changes-before"])
    return where


def _column(name: str, value: Any, dialect: str) -> sa.ColumnElement[bool]:
    column = TABLE.c[name]
    if isinstance(value, list | tuple | set):
        return column.in_(list(value)) if name in EXACT else sa.or_(*(_column(name, one, dialect) for one in value))
    if value is None:
        return column.is_(None)
    if name in EXACT or not isinstance(value, str):
        return column == value
    text = column if isinstance(column.type, sa.String | sa.Text) else sa.cast(column, sa.String(255))
    return text.regexp_match(value.replace("|", "\\|") if dialect in MYSQL else value)


def _has_pair(table: sa.Table, key: str, value: str) -> sa.ColumnElement[bool]:
    mine = [table.c.instance_uuid == TABLE.c.uuid, table.c.deleted == 0]
    return sa.exists().where(*mine, table.c.key == key, table.c.value == value)


def behind(conn: sa.Connection, marker: str, order: Sequence[tuple[str, str]]) -> sa.ColumnElement[bool]:
    """The condition for servers after the one with uuid `marker` in `order`. Raises NoMarker."""
    row = first(conn, sa.select(TABLE).where(TABLE.c.uuid == marker))
    if row is None:
        raise NoMarker
    return after_marker(order, row)


def ordered(order: Sequence[tuple[str, str]]) -> list[sa.ColumnElement[Any]]:
    """ORDER BY terms."""
    return ordering(order)


def active(begin: datetime.datetime, end: datetime.datetime | None) -> list[sa.ColumnElement[bool]]:
    """Conditions for servers, deleted ones too, that ran at some time of a period."""
    where = [sa.or_(TABLE.c.terminated_at.is_(None), TABLE.c.terminated_at > begin)]
    if end is not None:
        where.append(TABLE.c.launched_at < end)
    return where


def hung_in_reboot(seconds: int, now: datetime.datetime) -> list[sa.ColumnElement[bool]]:
    """Conditions for servers that reboot since more than `seconds`."""
    before = now - datetime.timedelta(seconds=seconds)
    return [TABLE.c.updated_at <= before, TABLE.c.task_state.in_(REBOOTING)]


def count_in_state(conn: sa.Connection, project_id: str, user_id: str, vm_state: str) -> int:
    """Living servers of a user in a state."""
    where = [TABLE.c.project_id == project_id, TABLE.c.user_id == user_id, TABLE.c.vm_state == vm_state]
    query = sa.select(sa.func.count()).select_from(TABLE).where(*living(TABLE), *where)
    return int(conn.execute(query).scalar_one())
