"""Quota limits (API database) and what counts against them (API and cell databases); nova 34.0.0 quota."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Select,
    Table,
    case,
    delete,
    false,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from keel_common.db.cells import Cells
from keel_common.db.schema import nova_api, nova_cell
from keel_common.db.statements import add, cas
from keel_common.domain.compute_quota import RESOURCES, UNLIMITED
from keel_common.runtime.part import CannotStart

_CLASSES = nova_api.tables["quota_classes"]
_PROJECTS = nova_api.tables["quotas"]
_USERS = nova_api.tables["project_user_quotas"]
_KEYS = nova_api.tables["key_pairs"]
_GROUPS = nova_api.tables["instance_groups"]
_MEMBERS = nova_api.tables["instance_group_member"]
_INSTANCES = nova_cell.tables["instances"]
_DEFAULT_CLASS = "default"


_DRIVERS = ("nova.quota.DbQuotaDriver", "nova.quota.NoopQuotaDriver")


def refuse_unbuilt_driver(conf: Any) -> None:
    """Raises CannotStart for a [quota]driver that is not built: counting against other limits than the operator set
    would let projects take what they must not."""
    driver = conf.quota.driver
    if driver not in _DRIVERS:
        raise CannotStart(
            f"[quota]driver = {driver} is not built here; {' and '.join(_DRIVERS)} are. Limits that are registered in "
            "Keystone (unified limits) would not be seen"
        )


def counts_nothing(conf: Any) -> bool:
    """Whether [quota]driver is the one without any limits."""
    return conf.quota.driver.endswith("NoopQuotaDriver")


def configured(conf: Any) -> dict[str, int]:
    """The limits of nova.conf ([quota]); all unlimited with the driver that counts nothing."""
    if counts_nothing(conf):
        return {resource.name: UNLIMITED for resource in RESOURCES}
    return {
        resource.name: UNLIMITED if resource.option is None else conf.quota[resource.option] for resource in RESOURCES
    }


def of_class(conn: Connection, base: Mapping[str, int], name: str = _DEFAULT_CLASS) -> dict[str, int]:
    """``base`` with the limits of a quota class over it."""
    return _over(conn, base, _CLASSES, _CLASSES.c.class_name == name)


def of_project(conn: Connection, base: Mapping[str, int], project_id: str) -> dict[str, int]:
    """The limits of a project: its own, else the default class, else ``base``."""
    return _over(conn, of_class(conn, base), _PROJECTS, _PROJECTS.c.project_id == project_id)


def of_user(conn: Connection, base: Mapping[str, int], project_id: str, user_id: str) -> dict[str, int]:
    """The limits of a user in a project: own, else the project's."""
    own = (_USERS.c.project_id == project_id) & (_USERS.c.user_id == user_id)
    return _over(conn, of_project(conn, base, project_id), _USERS, own)


def set_class(conn: Connection, name: str, limits: Mapping[str, int]) -> None:
    """Set limits of a class."""
    for resource, limit in limits.items():
        _put(conn, _CLASSES, {"class_name": name, "resource": resource}, limit)


def set_project(conn: Connection, project_id: str, limits: Mapping[str, int], user_id: str | None = None) -> None:
    """Set limits of a project, or of one user in it."""
    for resource, limit in limits.items():
        if user_id is None:
            _put(conn, _PROJECTS, {"project_id": project_id, "resource": resource}, limit)
        else:
            _put(conn, _USERS, {"project_id": project_id, "user_id": user_id, "resource": resource}, limit)


def forget(conn: Connection, project_id: str, user_id: str | None = None) -> None:
    """Back to the defaults: a project with all its users, or one user in it."""
    if user_id is not None:
        conn.execute(delete(_USERS).where(_USERS.c.project_id == project_id, _USERS.c.user_id == user_id))
        return
    for table in (_USERS, _PROJECTS):
        conn.execute(delete(table).where(table.c.project_id == project_id))


def used(cells: Cells, project_id: str, user_id: str | None = None) -> dict[str, int]:
    """instances, cores, ram (of servers in every cell) and server_groups in use by a project, or by a user in it.

    Softly deleted servers do not count.
    """
    found = {"instances": 0, "cores": 0, "ram": 0, "server_groups": cells.api.read(count_groups, project_id, user_id)}
    for cell in cells.all():
        for name, amount in cell.db.read(count_servers, project_id, user_id).items():
            found[name] += amount
    return found


def count_keys(conn: Connection, user_id: str) -> int:
    """Key pairs of a user."""
    return conn.execute(select(func.count()).select_from(_KEYS).where(_KEYS.c.user_id == user_id)).scalar_one()


def count_members(conn: Connection, group_id: int) -> int:
    """Members of a server group."""
    query = select(func.count()).select_from(_MEMBERS).where(_MEMBERS.c.group_id == group_id)
    return conn.execute(query).scalar_one()


def count_groups(conn: Connection, project_id: str, user_id: str | None = None) -> int:
    """Server groups of a project, or of a user in it."""
    query = select(func.count()).select_from(_GROUPS).where(_GROUPS.c.project_id == project_id)
    if user_id is not None:
        query = query.where(_GROUPS.c.user_id == user_id)
    return conn.execute(query).scalar_one()


def count_servers(conn: Connection, project_id: str, user_id: str | None = None) -> dict[str, int]:
    """Servers of a project (or of a user in it) in one cell, with their vCPUs and MiB."""
    return usage(conn, project_id, user_id)["project" if user_id is None else "user"]


def limits(conn: Connection, project_id: str, user_id: str, defaults: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return {"project": limits, "user": limits} of the resources in `defaults`, in one statement.

    The default class overrides the configuration, the project's own limit that; a user has no limit below the
    project's unless one is set. -1 is no limit.
    """
    classes, quotas, users = _CLASSES, _PROJECTS, _USERS
    names = list(defaults)

    def part(level: int, table: Table, *where: Any) -> Select:
        chosen = select(literal_column(str(level), Integer).label("level"), table.c.resource, table.c.hard_limit)
        return chosen.where(*where, table.c.resource.in_(names))

    query = union_all(
        part(0, classes, classes.c.class_name == "default"),
        part(1, quotas, quotas.c.project_id == project_id),
        part(2, users, users.c.project_id == project_id, users.c.user_id == user_id),
    )
    project: dict[str, int] = dict(defaults)
    user: dict[str, int] = {}
    for row in sorted(conn.execute(query), key=lambda row: row.level):
        (user if row.level == 2 else project)[row.resource] = row.hard_limit
    return {"project": project, "user": user}


def usage(conn: Connection, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    """Return what the servers of a cell use: instances, cores, ram (MiB) of the project and of one user of it."""
    instances = _INSTANCES
    of_user = instances.c.user_id == user_id

    def total(value: Any) -> Any:
        return func.coalesce(func.sum(value), 0)

    def mine(value: Any) -> Any:
        return total(case((of_user, value), else_=0))

    columns = {"instances": 1, "cores": instances.c.vcpus, "ram": instances.c.memory_mb}
    query = select(
        *[total(value).label(f"project_{name}") for name, value in columns.items()],
        *[mine(value).label(f"user_{name}") for name, value in columns.items()],
    ).where(
        instances.c.deleted == 0,
        instances.c.project_id == project_id,
        or_(instances.c.vm_state != "soft-delete", instances.c.vm_state.is_(None)),
        or_(instances.c.hidden == false(), instances.c.hidden.is_(None)),
    )
    row = conn.execute(query).mappings().one()
    return {who: {name: int(row[f"{who}_{name}"]) for name in columns} for who in ("project", "user")}


def summed(parts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """Add up the usage of several cells."""
    total: dict[str, dict[str, int]] = {"project": {}, "user": {}}
    for part in parts:
        for who, used in part.items():
            for name, amount in used.items():
                total[who][name] = total[who].get(name, 0) + amount
    return total


def _over(conn: Connection, base: Mapping[str, int], table: Any, where: Any) -> dict[str, int]:
    limits = dict(base)
    for resource, limit in conn.execute(select(table.c.resource, table.c.hard_limit).where(where)):
        if resource in limits and limit is not None:
            limits[resource] = limit
    return limits


def _put(conn: Connection, table: Any, key: Mapping[str, str], limit: int) -> None:
    if not cas(conn, table, {"hard_limit": limit}, [table.c[name] == value for name, value in key.items()]):
        add(conn, table, {**key, "hard_limit": limit})
