"""Flavors with their extra specs and projects as one row, as Nova's Flavor object shows them (API database)."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add, cas
from keel_common.db.stores.nova import flavors, records
from keel_common.db.stores.nova.flavors import PROJECTS, SPECS, TABLE
from keel_common.db.stores.nova.rows import Row, columns_of, every, first


def find(conn: sa.Connection, *, anyone: bool, project_id: str | None, **equal: Any) -> Row | None:
    """A flavor with `extra_specs`; unless `anyone` may see it only a public one or one of the project."""
    query = sa.select(TABLE).where(*(TABLE.c[name] == value for name, value in equal.items()))
    if not anyone:
        query = query.where(_visible(project_id))
    row = first(conn, query)
    return None if row is None else _with_specs(conn, [row])[0]


def create(conn: sa.Connection, values: Mapping[str, Any], specs: Mapping[str, str], projects: Iterable[str]) -> Row:
    """A new flavor with `extra_specs` and `projects`. Raises flavors.Taken."""
    for column in ("flavorid", "name"):
        if first(conn, sa.select(TABLE.c.id).where(TABLE.c[column] == values.get(column))):
            raise flavors.Taken(column, values[column])
    row = columns_of(TABLE, values)
    try:
        key = add(conn, TABLE, row)
    except IntegrityError as error:
        raise flavors.Taken("flavorid", values["flavorid"]) from error
    for name, value in specs.items():
        add(conn, SPECS, {"flavor_id": key, "key": name, "value": value})
    for project in projects:
        add(conn, PROJECTS, {"flavor_id": key, "project_id": project})
    made = find(conn, anyone=True, project_id=None, id=key) or {}
    return made | {"projects": flavors.projects(conn, key)}


def remove(conn: sa.Connection, **equal: Any) -> Row | None:
    """Deletes a flavor with its extra specs and accesses; the row it had, None when there is none."""
    row = records.one(conn, TABLE, **equal)
    if row is not None:
        flavors.remove(conn, row["flavorid"])
    return row


def share(conn: sa.Connection, flavor_id: int, project_id: str) -> None:
    """Lets a project use a flavor. Raises flavors.AccessExists; IntegrityError for a flavor that is not there."""
    if project_id in flavors.projects(conn, flavor_id):
        raise flavors.AccessExists
    add(conn, PROJECTS, {"flavor_id": flavor_id, "project_id": project_id})


def put_specs(conn: sa.Connection, flavor_id: int, specs: Mapping[str, str]) -> None:
    """Adds or replaces extra specs; others stay."""
    for key, value in specs.items():
        where = [SPECS.c.flavor_id == flavor_id, SPECS.c.key == key]
        if not cas(conn, SPECS, {"value": value}, where):
            add(conn, SPECS, {"flavor_id": flavor_id, "key": key, "value": value})


def listing(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    reader: str | None,
    order: tuple[str, str],
    marker: str | None,
    limit: int | None,
) -> list[Row] | None:
    """Flavors in order with `extra_specs`, behind `marker` (a flavorid); None when that is not there.

    :param filters: min_memory_mb, min_root_gb, is_public, disabled
    :param reader: the project that asks: its private flavors are listed with the public ones
    """
    where = _filters(filters, reader)
    key, way = order
    query = sa.select(TABLE).where(*where).order_by(*(getattr(TABLE.c[name], way)() for name in (key, "id")))
    rows = every(conn, query)
    if marker is not None:
        if records.one(conn, TABLE, flavorid=marker) is None:
            return None
        rows = _after(conn, rows, query, marker)
    return _with_specs(conn, rows[:limit])


def _after(conn: sa.Connection, rows: list[Row], query: sa.Select[Any], marker: str) -> list[Row]:
    """The rows behind the marker, which itself may not fit the filters."""
    everything = [row["flavorid"] for row in every(conn, query.with_only_columns(TABLE).where(sa.true()))]
    at = everything.index(marker) if marker in everything else -1
    behind = set(everything[at + 1 :])
    return [row for row in rows if row["flavorid"] in behind]


def _filters(filters: Mapping[str, Any], reader: str | None) -> list[sa.ColumnElement[bool]]:
    where = []
    if filters.get("min_memory_mb") is not None:
        where.append(TABLE.c.memory_mb >= filters["min_memory_mb"])
    if filters.get("min_root_gb") is not None:
        where.append(TABLE.c.root_gb >= filters["min_root_gb"])
    if filters.get("disabled") is not None:
        where.append(TABLE.c.disabled == bool(filters["disabled"]))
    public = filters.get("is_public")
    if public:
        where.append(_visible(reader))
    elif public is not None:
        where.append(TABLE.c.is_public == bool(public))
    return where


def _visible(project_id: str | None) -> sa.ColumnElement[bool]:
    if project_id is None:
        return TABLE.c.is_public == sa.true()
    shared = sa.select(PROJECTS.c.flavor_id).where(PROJECTS.c.project_id == project_id)
    return sa.or_(TABLE.c.is_public == sa.true(), TABLE.c.id.in_(shared))


def _with_specs(conn: sa.Connection, rows: list[Row]) -> list[Row]:
    specs = flavors.extra_specs(conn, [row["id"] for row in rows])
    return [row | {"extra_specs": specs[row["id"]]} for row in rows]
