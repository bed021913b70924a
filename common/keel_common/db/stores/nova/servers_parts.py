"""The parts of a server that live in tables of their own, for a whole page of servers in one statement.

Parts: metadata, system_metadata, image_properties and locked_reason (some keys of system_metadata), tags, volumes,
fault, service (the nova-compute row of the host).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import sqlalchemy as sa

from keel_common.db import schema
from keel_common.domain.server.status import shows_fault, status_of

TABLES = schema.nova_cell.tables
PARTS = frozenset({"metadata", "system_metadata", "locked_reason", "tags", "volumes", "fault", "service"})
_DISABLED, _FORCED_DOWN = 1, 2

_NO_TEXT = sa.cast(sa.null(), sa.Text)
_NO_NUMBER = sa.cast(sa.null(), sa.Integer)
_NO_TIME = sa.cast(sa.null(), sa.DateTime)


def fill(conn: sa.Connection, servers: list[dict[str, Any]], parts: Collection[str]) -> None:
    """Put `parts` into every server of the list; a server without any gets an empty part."""
    kinds = [part for part in _BY_SERVER if part in parts]
    given: dict[str, list[str]] = {"uuids": [server["uuid"] for server in servers]}
    if "fault" in parts:
        given["faulty"] = [
            s["uuid"] for s in servers if shows_fault(status_of(s["vm_state"], None, bool(s["deleted"])))
        ]
        kinds += ["fault"] if given["faulty"] else []
    if "service" in parts:
        given["hosts"] = sorted({s["host"] for s in servers if s["host"]})
        kinds += ["service"] if given["hosts"] else []
    rows: dict[str, dict[str, list[Any]]] = {part: defaultdict(list) for part in parts}
    if kinds:
        for row in conn.execute(_statement(tuple(kinds)), given).all():
            rows[row[0]][row[1]].append(row)
    for part in parts:
        shape, key, found = _SHAPES[part], "host" if part == "service" else "uuid", rows[part]
        for server in servers:
            server[part] = shape(found.get(server[key], ()))


@cache
def _statement(kinds: tuple[str, ...]) -> sa.CompoundSelect:
    """The union of the rows of some parts; it takes the lists `uuids`, `faulty` and `hosts` where they are used."""
    return sa.union_all(*(_QUERIES[kind]() for kind in kinds))


def _select(kind: str, owner: Any, name: Any, value: Any, more: Any, number: Any, time: Any, order: Any) -> sa.Select:
    return sa.select(
        sa.literal_column(f"'{kind}'", sa.String(20)).label("kind"),
        owner.label("owner"),
        name.label("name"),
        value.label("value"),
        more.label("more"),
        number.label("number"),
        time.label("time"),
        order.label("position"),
    )


def _given(name: str) -> sa.BindParameter[Any]:
    """A list that comes with the execution."""
    return sa.bindparam(name, expanding=True)


def _pairs(kind: str, table_name: str, *keys: str) -> Callable[[], sa.Select]:
    table = TABLES[table_name]

    def query() -> sa.Select:
        chosen = _select(
            kind, table.c.instance_uuid, table.c.key, table.c.value, _NO_TEXT, _NO_NUMBER, _NO_TIME, table.c.id
        ).where(table.c.instance_uuid.in_(_given("uuids")), table.c.deleted == 0)
        return chosen.where(table.c.key.in_(keys)) if keys else chosen

    return query


def _tags() -> sa.Select:
    tags = TABLES["tags"]
    return _select("tags", tags.c.resource_id, tags.c.tag, _NO_TEXT, _NO_TEXT, _NO_NUMBER, _NO_TIME, _NO_NUMBER).where(
        tags.c.resource_id.in_(_given("uuids"))
    )


def _volumes() -> sa.Select:
    bdm = TABLES["block_device_mapping"]
    kept = sa.case((bdm.c.delete_on_termination == sa.true(), 1), else_=0)
    return _select("volumes", bdm.c.instance_uuid, bdm.c.volume_id, _NO_TEXT, _NO_TEXT, kept, _NO_TIME, bdm.c.id).where(
        bdm.c.instance_uuid.in_(_given("uuids")),
        bdm.c.deleted == 0,
        bdm.c.destination_type == "volume",
        bdm.c.volume_id.is_not(None),
    )


def _faults() -> sa.Select:
    faults = TABLES["instance_faults"]
    newest = (
        sa.select(sa.func.max(faults.c.id))
        .where(faults.c.instance_uuid.in_(_given("faulty")), faults.c.deleted == 0)
        .group_by(faults.c.instance_uuid)
    )
    return _select(
        "fault",
        faults.c.instance_uuid,
        _NO_TEXT,
        faults.c.message,
        faults.c.details,
        faults.c.code,
        faults.c.created_at,
        faults.c.id,
    ).where(faults.c.id.in_(newest))


def _services() -> sa.Select:
    services = TABLES["services"]
    flags = sa.case((services.c.disabled == sa.true(), _DISABLED), else_=0) + sa.case(
        (services.c.forced_down == sa.true(), _FORCED_DOWN), else_=0
    )
    seen = sa.func.coalesce(services.c.last_seen_up, services.c.created_at)
    return _select("service", services.c.host, _NO_TEXT, _NO_TEXT, _NO_TEXT, flags, seen, services.c.id).where(
        services.c.host.in_(_given("hosts")), services.c.binary == "nova-compute", services.c.deleted == 0
    )


_BY_SERVER: dict[str, Callable[[], sa.Select]] = {
    "metadata": _pairs("metadata", "instance_metadata"),
    "system_metadata": _pairs("system_metadata", "instance_system_metadata"),
    "locked_reason": _pairs("locked_reason", "instance_system_metadata", "locked_reason"),
    "tags": _tags,
    "volumes": _volumes,
}
_QUERIES = {**_BY_SERVER, "fault": _faults, "service": _services}


def _fault(rows: Any) -> dict[str, Any] | None:
    if not rows:
        return None
    row = rows[-1]
    return {"code": row.number, "message": row.value, "details": row.more, "created_at": row.time}


def _service(rows: Any) -> dict[str, Any] | None:
    if not rows:
        return None
    row = rows[0]
    return {
        "disabled": bool(row.number & _DISABLED),
        "forced_down": bool(row.number & _FORCED_DOWN),
        "last_seen_up": row.time,
        "created_at": row.time,
    }


_SHAPES: dict[str, Callable[[Any], Any]] = {
    "metadata": lambda rows: {row[2]: row[3] for row in rows},
    "system_metadata": lambda rows: {row[2]: row[3] for row in rows},
    "locked_reason": lambda rows: rows[0].value if rows else None,
    "tags": lambda rows: sorted(row[2] for row in rows),
    "volumes": lambda rows: [
        {"volume_id": row.name, "delete_on_termination": bool(row.number)}
        for row in sorted(rows, key=lambda row: row.position)
    ],
    "fault": _fault,
    "service": _service,
}
