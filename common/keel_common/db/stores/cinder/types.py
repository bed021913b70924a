"""Volume types, their extra specs, who may use them, and the default type of a project."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing, metadata
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, first, insert, new_id, now, update
from keel_common.domain.volume.lists import Paging


def _visible(project_id: str | None) -> list[sa.ColumnElement[bool]]:
    """Conditions for the types a project sees: public ones and those it was given. None (an administrator): all."""
    if project_id is None:
        return []
    types, given = TABLES["volume_types"], TABLES["volume_type_projects"]
    mine = sa.exists().where(
        given.c.volume_type_id == types.c.id, given.c.project_id == project_id, given.c.deleted == 0
    )
    return [sa.or_(types.c.is_public == sa.true(), mine)]


def _with_specs(conn: sa.Connection, where: Iterable[sa.ColumnElement[bool]]) -> list[dict[str, Any]]:
    """Live types that match, each with its `extra_specs`, with one statement."""
    types, specs = TABLES["volume_types"], TABLES["volume_type_extra_specs"]
    joined = types.outerjoin(specs, sa.and_(specs.c.volume_type_id == types.c.id, alive(specs)))
    columns = [*types.columns, specs.c.key.label("spec_key"), specs.c.value.label("spec_value")]
    result: dict[str, dict[str, Any]] = {}
    for row in every(conn, sa.select(*columns).select_from(joined).where(alive(types), *where).order_by(specs.c.id)):
        key, value = row.pop("spec_key"), row.pop("spec_value")
        found = result.setdefault(row["id"], {**row, "extra_specs": {}})
        if key is not None:
            found["extra_specs"][key] = value
    return list(result.values())


def get(conn: sa.Connection, type_id: str, project_id: str | None = None) -> dict[str, Any] | None:
    """A type by id with its extra specs, if the project sees it (None: an administrator). One statement."""
    found = _with_specs(conn, [TABLES["volume_types"].c.id == type_id, *_visible(project_id)])
    return found[0] if found else None


def get_by_name(conn: sa.Connection, name: str) -> dict[str, Any] | None:
    """A type by name, whoever may use it. One statement."""
    found = _with_specs(conn, [TABLES["volume_types"].c.name == name])
    return found[0] if found else None


def get_by_id_or_name(conn: sa.Connection, text: str, project_id: str | None = None) -> dict[str, Any] | None:
    """A type whose id or else whose name is `text`, if the project sees it. One statement."""
    types = TABLES["volume_types"]
    found = _with_specs(conn, [sa.or_(types.c.id == text, types.c.name == text), *_visible(project_id)])
    found.sort(key=lambda row: row["id"] != text)
    return found[0] if found else None


def default_for(conn: sa.Connection, project_id: str | None, option_name: str | None) -> dict[str, Any] | None:
    """The type of a volume that names none: the project's default, else the one the option names. One statement."""
    types, defaults = TABLES["volume_types"], TABLES["default_volume_types"]
    own = sa.select(defaults.c.volume_type_id).where(defaults.c.project_id == project_id, alive(defaults))
    found = _with_specs(conn, [sa.or_(types.c.id == own.scalar_subquery(), types.c.name == option_name)])
    found.sort(key=lambda row: row["name"] == option_name)
    return found[0] if found else None


def find(
    conn: sa.Connection,
    filters: Mapping[str, Any],
    paging: Paging,
    project_id: str | None,
    is_public: bool | None,
) -> list[dict[str, Any]]:
    """A page of types with their extra specs (two statements, three with a marker).

    A marker nobody knows is not heard (as measured at cinder 29.0.0). filters: columns, and `extra_specs` (a dict of
    which every pair must be there; zones match as a part of the text).
    """
    types = TABLES["volume_types"]
    plain = {key: value for key, value in filters.items() if key != "extra_specs"}
    try:
        where = listing.conditions(types, plain)
    except listing.NothingMatches:
        return []
    where.extend(_has_spec(key, value) for key, value in (filters.get("extra_specs") or {}).items())
    if is_public is not None:
        where.append(types.c.is_public == sa.literal(is_public))
    query = sa.select(types).where(alive(types), *where, *_visible(project_id))
    try:
        rows = every(conn, listing.page(conn, query, types, paging))
    except listing.MarkerGone:
        rows = every(conn, listing.page(conn, query, types, dataclasses.replace(paging, marker=None)))
    specs = metadata.read(conn, metadata.TYPE_SPECS, [row["id"] for row in rows])
    return [{**row, "extra_specs": specs[row["id"]]} for row in rows]


def _has_spec(key: str, value: Any) -> sa.ColumnElement[bool]:
    types, specs = TABLES["volume_types"], TABLES["volume_type_extra_specs"]
    holds = (
        specs.c.value.contains(value, autoescape=True) if key == "RESKEY:availability_zones" else specs.c.value == value
    )
    return sa.exists().where(specs.c.volume_type_id == types.c.id, specs.c.key == key, holds, alive(specs))


def names(conn: sa.Connection) -> list[str]:
    """Names of every live type, oldest first (the per-type quota resources)."""
    types = TABLES["volume_types"]
    query = sa.select(types.c.name).where(alive(types)).order_by(types.c.created_at, types.c.id)
    return list(conn.execute(query).scalars())


def create(
    conn: sa.Connection,
    name: str,
    description: str | None,
    is_public: bool,
    extra_specs: Mapping[str, str | None],
    projects: Iterable[str] = (),
) -> dict[str, Any]:
    """A new type with its specs and projects; the caller has made sure that the name is free."""
    row = insert(
        conn, TABLES["volume_types"], {"id": new_id(), "name": name, "description": description, "is_public": is_public}
    )
    metadata.add(conn, metadata.TYPE_SPECS, row["id"], extra_specs)
    for project_id in projects:
        add_project(conn, row["id"], project_id)
    return {**row, "extra_specs": dict(extra_specs)}


def change(conn: sa.Connection, type_id: str, values: Mapping[str, Any]) -> None:
    """Write columns of a type."""
    types = TABLES["volume_types"]
    update(conn, types, [types.c.id == type_id, alive(types)], values)


def delete(conn: sa.Connection, type_id: str) -> None:
    """Soft delete a type with its specs, its encryption and its projects."""
    bury(conn, TABLES["volume_types"], [TABLES["volume_types"].c.id == type_id])
    for name in ("volume_type_extra_specs", "encryption"):
        bury(conn, TABLES[name], [TABLES[name].c.volume_type_id == type_id])
    given = TABLES["volume_type_projects"]
    conn.execute(given.update().where(given.c.volume_type_id == type_id, given.c.deleted == 0).values(_gone(given)))


def in_use(conn: sa.Connection, type_id: str) -> bool:
    """Whether a volume or a group uses the type."""
    volumes, groups = TABLES["volumes"], TABLES["group_volume_type_mapping"]
    parts = [sa.exists().where(table.c.volume_type_id == type_id, alive(table)).select() for table in (volumes, groups)]
    return any(conn.execute(part).scalar() for part in parts)


def has_volumes(conn: sa.Connection, type_id: str) -> bool:
    """Whether a volume uses the type."""
    volumes = TABLES["volumes"]
    return bool(conn.execute(sa.exists().where(volumes.c.volume_type_id == type_id, alive(volumes)).select()).scalar())


def is_last(conn: sa.Connection) -> bool:
    """Whether only one type is left."""
    types = TABLES["volume_types"]
    return conn.execute(sa.select(sa.func.count()).select_from(types).where(alive(types))).scalar_one() <= 1


def projects(conn: sa.Connection, type_id: str) -> list[str]:
    """Projects a private type was given to."""
    given = TABLES["volume_type_projects"]
    query = sa.select(given.c.project_id).where(given.c.volume_type_id == type_id, given.c.deleted == 0)
    return list(conn.execute(query.order_by(given.c.id)).scalars())


def add_project(conn: sa.Connection, type_id: str, project_id: str) -> bool:
    """Give a type to a project; False when it has it."""
    if project_id in projects(conn, type_id):
        return False
    insert(conn, TABLES["volume_type_projects"], {"volume_type_id": type_id, "project_id": project_id, "deleted": 0})
    return True


def remove_project(conn: sa.Connection, type_id: str, project_id: str) -> bool:
    """Take a type away from a project; False when it did not have it."""
    given = TABLES["volume_type_projects"]
    where = [given.c.volume_type_id == type_id, given.c.project_id == project_id, given.c.deleted == 0]
    return conn.execute(given.update().where(*where).values(_gone(given))).rowcount > 0


def _gone(given: sa.Table) -> dict[str, Any]:
    """Deleted marks of an access row: the row's own id, so that it can be given and taken any number of times."""
    return {"deleted": given.c.id, "deleted_at": now(), "updated_at": given.c.updated_at}


def defaults(conn: sa.Connection, project_id: str | None = None) -> list[dict[str, Any]]:
    """Default types of projects (of one project), as rows of project_id and volume_type_id."""
    table = TABLES["default_volume_types"]
    where = [alive(table)] if project_id is None else [alive(table), table.c.project_id == project_id]
    return every(conn, sa.select(table.c.project_id, table.c.volume_type_id).where(*where).order_by(table.c.created_at))


def set_default(conn: sa.Connection, project_id: str, type_id: str) -> None:
    """Make a type the default of a project."""
    table = TABLES["default_volume_types"]
    if not update(conn, table, [table.c.project_id == project_id, alive(table)], {"volume_type_id": type_id}):
        insert(conn, table, {"project_id": project_id, "volume_type_id": type_id})


def unset_default(conn: sa.Connection, project_id: str) -> bool:
    """Forget the default of a project (a hard delete, as recorded); False when it had none."""
    table = TABLES["default_volume_types"]
    return conn.execute(table.delete().where(table.c.project_id == project_id)).rowcount > 0


def is_project_default(conn: sa.Connection, type_id: str) -> bool:
    """Whether some project has this type as its default."""
    table = TABLES["default_volume_types"]
    return (
        first(conn, sa.select(table.c.project_id).where(table.c.volume_type_id == type_id, alive(table)).limit(1))
        is not None
    )


def qos_specs(conn: sa.Connection, specs_id: str) -> dict[str, str]:
    """key -> value of the quality of service a type is associated with, `consumer` among them."""
    table = TABLES["quality_of_service_specs"]
    query = sa.select(table.c.key, table.c.value).where(table.c.specs_id == specs_id, alive(table))
    return dict(conn.execute(query).all())
