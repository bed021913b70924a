"""Quality of service specs: one row with the name, one row for each key below it (source: cinder 29.0.0 tables)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, update
from keel_common.domain.volume.lists import Paging

_NAME = "QoS_Specs_Name"
_CONSUMER = "consumer"
Row = dict[str, Any]


def _table() -> sa.Table:
    return TABLES["quality_of_service_specs"]


def _heads() -> sa.Select:
    """The rows that carry the name of a live spec."""
    table = _table()
    return sa.select(table).where(table.c.key == _NAME, table.c.specs_id.is_(None), alive(table))


def _filled(conn: sa.Connection, heads: Iterable[Row]) -> list[Row]:
    """Heads as id, name, consumer and specs, with one statement for all of them."""
    result = {row["id"]: {"id": row["id"], "name": row["value"], "consumer": None, "specs": {}} for row in heads}
    if result:
        table = _table()
        query = sa.select(table.c.specs_id, table.c.key, table.c.value)
        query = query.where(table.c.specs_id.in_(list(result)), alive(table)).order_by(table.c.created_at, table.c.id)
        for owner, key, value in conn.execute(query):
            found = result[owner]
            if key == _CONSUMER:
                found["consumer"] = value
            else:
                found["specs"][key] = value
    return list(result.values())


def get(conn: sa.Connection, specs_id: str) -> Row | None:
    """One spec as id, name, consumer and specs; or None. Two statements."""
    head = first(conn, _heads().where(_table().c.id == specs_id))
    return _filled(conn, [head])[0] if head else None


def find(conn: sa.Connection, filters: Mapping[str, Any], paging: Paging) -> list[Row]:
    """A page of specs. Filters are columns of the row with the name (`value` is the name). Raises MarkerGone."""
    table = _table()
    try:
        query = _heads().where(*listing.conditions(table, filters))
    except listing.NothingMatches:
        return []
    return _filled(conn, every(conn, listing.page(conn, query, table, paging)))


def name_taken(conn: sa.Connection, name: str) -> bool:
    """Whether a live spec has this name."""
    return first(conn, _heads().where(_table().c.value == name)) is not None


def create(conn: sa.Connection, name: str, consumer: str, specs: Mapping[str, str]) -> Row:
    """A new spec; the caller has made sure that the name is free."""
    head = insert(conn, _table(), {"id": new_id(), "specs_id": None, "key": _NAME, "value": name})
    _add(conn, head["id"], {_CONSUMER: consumer, **specs})
    return {"id": head["id"], "name": name, "consumer": consumer, "specs": dict(specs)}


def merge(conn: sa.Connection, specs_id: str, pairs: Mapping[str, str | None]) -> None:
    """Write keys of a spec (its consumer among them); the other keys stay."""
    table = _table()
    fresh = {}
    for key, value in pairs.items():
        mine = [table.c.specs_id == specs_id, table.c.key == key, alive(table)]
        if not update(conn, table, mine, {"value": value}):
            fresh[key] = value
    _add(conn, specs_id, fresh)


def remove_key(conn: sa.Connection, specs_id: str, key: str) -> bool:
    """Take one key away; False when the spec has none (the consumer is no key)."""
    table = _table()
    if key == _CONSUMER:
        return False
    return bury(conn, table, [table.c.specs_id == specs_id, table.c.key == key]) > 0


def delete(conn: sa.Connection, specs_id: str) -> None:
    """Take a spec with all its keys away."""
    table = _table()
    bury(conn, table, [sa.or_(table.c.id == specs_id, table.c.specs_id == specs_id)])


def types(conn: sa.Connection, specs_id: str) -> list[Row]:
    """Live volume types that use the spec: id and name."""
    table = TABLES["volume_types"]
    query = sa.select(table.c.id, table.c.name).where(table.c.qos_specs_id == specs_id, alive(table))
    return every(conn, query.order_by(table.c.created_at, table.c.id))


def associate(conn: sa.Connection, specs_id: str, type_id: str) -> None:
    """Make a type use the spec."""
    table = TABLES["volume_types"]
    update(conn, table, [table.c.id == type_id, alive(table)], {"qos_specs_id": specs_id})


def disassociate(conn: sa.Connection, specs_id: str, type_id: str | None = None) -> None:
    """Make a type (None: every type) that uses the spec use it no longer."""
    table = TABLES["volume_types"]
    where = [table.c.qos_specs_id == specs_id, alive(table)]
    if type_id is not None:
        where.append(table.c.id == type_id)
    update(conn, table, where, {"qos_specs_id": None})


def _add(conn: sa.Connection, specs_id: str, pairs: Mapping[str, str | None]) -> None:
    for key, value in pairs.items():
        insert(conn, _table(), {"id": new_id(), "specs_id": specs_id, "key": key, "value": value})
