"""Flavors, their extra specs and the projects that may use a private one (API database).

Rows are really deleted there (nova 34.0.0 db semantics). Every function runs in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, asc, delete, desc, or_, select, true
from sqlalchemy.exc import IntegrityError

from keel_common.db.schema import nova_api
from keel_common.db.statements import add, cas, now

TABLE = nova_api.tables["flavors"]
SPECS = nova_api.tables["flavor_extra_specs"]
PROJECTS = nova_api.tables["flavor_projects"]
Row = dict[str, Any]


class Taken(Exception):
    """A flavor with this name, or with this id, exists; ``column`` is ``name`` or ``flavorid``."""

    def __init__(self, column: str, value: str):
        super().__init__(f"{column} {value}")
        self.column, self.value = column, value


class AccessExists(Exception):
    """The project may use the flavor already."""


def _visible(project_id: str | None) -> ColumnElement[bool]:
    """Public, or shared with a project."""
    if project_id is None:
        return TABLE.c.is_public.is_(True)
    shared = select(PROJECTS.c.flavor_id).where(PROJECTS.c.project_id == project_id)
    return or_(TABLE.c.is_public.is_(True), TABLE.c.id.in_(shared))


def find(conn: Connection, flavorid: str, only_for: str | None = None, anyone: bool = True) -> Row | None:
    """A flavor by its public id; with ``anyone`` false only when it is public or shared with project ``only_for``."""
    query = select(TABLE).where(TABLE.c.flavorid == flavorid)
    if not anyone:
        query = query.where(_visible(only_for))
    row = conn.execute(query).mappings().first()
    return dict(row) if row else None


def page(
    conn: Connection,
    *,
    public: bool | None,
    project_id: str | None,
    disabled: bool | None = None,
    min_ram: int | None = None,
    min_disk: int | None = None,
    name: str | None = None,
    sort_key: str = "flavorid",
    descending: bool = False,
    marker: str | None = None,
    limit: int | None = None,
) -> list[Row] | None:
    """Flavors in order, from behind ``marker`` (a flavorid); None when there is no such marker.

    ``public`` true lists public flavors and those shared with the project, false private ones, None all. ``name`` is a
    regular expression. The id is the second sort key, in the same direction.
    """
    wanted: list[ColumnElement[bool]] = []
    if public is not None:
        wanted.append(_visible(project_id) if public else TABLE.c.is_public.is_(False))
    if disabled is not None:
        wanted.append(TABLE.c.disabled.is_(disabled))
    if min_ram is not None:
        wanted.append(TABLE.c.memory_mb >= min_ram)
    if min_disk is not None:
        wanted.append(TABLE.c.root_gb >= min_disk)
    if name is not None:
        wanted.append(TABLE.c.name.regexp_match(name))
    way = desc if descending else asc
    query = select(TABLE).order_by(way(TABLE.c[sort_key]), way(TABLE.c.id))
    if marker is None:
        query = query.where(*wanted) if wanted else query
        return [dict(row) for row in conn.execute(query.limit(limit)).mappings()]
    # The marker itself may not fit the filters: it is selected too, then cut off. There are few flavors.
    condition = or_(TABLE.c.flavorid == marker, and_(true(), *wanted))
    rows = [dict(row) for row in conn.execute(query.where(condition)).mappings()]
    at = next((index for index, row in enumerate(rows) if row["flavorid"] == marker), None)
    if at is None:
        return None
    return rows[at + 1 :][:limit]


def create(conn: Connection, values: Mapping[str, Any]) -> Row:
    """Add a flavor. Raises Taken when its name or its flavorid is in use."""
    for column in ("name", "flavorid"):
        if conn.execute(select(TABLE.c.id).where(TABLE.c[column] == values[column])).first():
            raise Taken(column, values[column])
    try:
        add(conn, TABLE, values)
    except IntegrityError as error:
        raise Taken("flavorid", values["flavorid"]) from error
    found = find(conn, values["flavorid"])
    assert found is not None
    return found


def describe(conn: Connection, flavorid: str, description: str | None) -> bool:
    """Set the description; False when there is no such flavor."""
    return cas(conn, TABLE, {"description": description}, [TABLE.c.flavorid == flavorid])


def remove(conn: Connection, flavorid: str) -> bool:
    """Delete a flavor with its extra specs and accesses; False when there is none."""
    flavor = find(conn, flavorid)
    if flavor is None:
        return False
    for table in (SPECS, PROJECTS):
        conn.execute(delete(table).where(table.c.flavor_id == flavor["id"]))
    return conn.execute(delete(TABLE).where(TABLE.c.id == flavor["id"])).rowcount > 0


def extra_specs(conn: Connection, ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """The extra specs of flavors by their database ids; every id is in the answer."""
    found: dict[int, dict[str, str]] = {flavor_id: {} for flavor_id in ids}
    query = select(SPECS.c.flavor_id, SPECS.c.key, SPECS.c.value).where(SPECS.c.flavor_id.in_(list(found)))
    for flavor_id, key, value in conn.execute(query) if found else ():
        found[flavor_id][key] = value
    return found


def put_extra_specs(conn: Connection, flavor_id: int, specs: Mapping[str, str]) -> None:
    """Add or replace extra specs; others stay."""
    for key, value in specs.items():
        where = [SPECS.c.flavor_id == flavor_id, SPECS.c.key == key]
        if not cas(conn, SPECS, {"value": value}, where):
            add(conn, SPECS, {"flavor_id": flavor_id, "key": key, "value": value})


def remove_extra_spec(conn: Connection, flavor_id: int, key: str) -> bool:
    """Delete one extra spec; False when it is not there."""
    query = delete(SPECS).where(SPECS.c.flavor_id == flavor_id, SPECS.c.key == key)
    return conn.execute(query).rowcount > 0


def projects(conn: Connection, flavor_id: int) -> list[str]:
    """The projects a private flavor is shared with, in the order they were added."""
    query = select(PROJECTS.c.project_id).where(PROJECTS.c.flavor_id == flavor_id).order_by(PROJECTS.c.id)
    return list(conn.execute(query).scalars())


def share(conn: Connection, flavor_id: int, project_id: str) -> None:
    """Let a project use a flavor. Raises AccessExists."""
    if project_id in projects(conn, flavor_id):
        raise AccessExists
    try:
        add(conn, PROJECTS, {"flavor_id": flavor_id, "project_id": project_id, "created_at": now()})
    except IntegrityError as error:
        raise AccessExists from error


def unshare(conn: Connection, flavor_id: int, project_id: str) -> bool:
    """Take it back; False when the project had no access."""
    query = delete(PROJECTS).where(PROJECTS.c.flavor_id == flavor_id, PROJECTS.c.project_id == project_id)
    return conn.execute(query).rowcount > 0
