"""The parts of a server that live in tables of their own, for a whole page of servers in one statement.

Parts: metadata, system_metadata, image_properties and locked_reason (some keys of system_metadata), tags, volumes,
fault, service (the nova-compute row of the host).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db import schema
from keel_common.db.gathered import json_array_of, json_object_of
from keel_common.domain.server.status import shows_fault, status_of

TABLES = schema.nova_cell.tables
PARTS = frozenset({"metadata", "system_metadata", "locked_reason", "tags", "volumes", "fault", "service"})
_DISABLED, _FORCED_DOWN = 1, 2


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
        for kind, owner, value in conn.execute(_statement(tuple(kinds)), given).all():
            rows[kind][owner].append(orjson.loads(value))
    for part in parts:
        shape, key, found = _SHAPES[part], "host" if part == "service" else "uuid", rows[part]
        for server in servers:
            server[part] = shape(found.get(server[key], ()))


@cache
def _statement(kinds: tuple[str, ...]) -> sa.CompoundSelect:
    """The union of the rows of some parts; it takes the lists `uuids`, `faulty` and `hosts` where they are used."""
    return sa.union_all(*(_QUERIES[kind]() for kind in kinds))


def _select(kind: str, owner: Any, value: Any) -> sa.Select:
    """Rows (part, server or host, JSON)."""
    kind_column: Any = sa.literal_column(f"'{kind}'", sa.String(20)).label("kind")
    return sa.select(kind_column, owner.label("owner"), value.label("value"))


def _given(name: str) -> sa.BindParameter[Any]:
    """A list that comes with the execution."""
    return sa.bindparam(name, expanding=True)


def _pairs(kind: str, table_name: str, *keys: str) -> Callable[[], sa.Select]:
    table = TABLES[table_name]

    def query() -> sa.Select:
        chosen = _select(kind, table.c.instance_uuid, json_object_of(table.c.key, table.c.value))
        chosen = chosen.where(table.c.instance_uuid.in_(_given("uuids")), table.c.deleted == 0)
        return (chosen.where(table.c.key.in_(keys)) if keys else chosen).group_by(table.c.instance_uuid)

    return query


def _tags() -> sa.Select:
    tags = TABLES["tags"]
    chosen = _select("tags", tags.c.resource_id, json_array_of(tags.c.tag))
    return chosen.where(tags.c.resource_id.in_(_given("uuids"))).group_by(tags.c.resource_id)


def _volumes() -> sa.Select:
    bdm = TABLES["block_device_mapping"]
    kept = sa.case((bdm.c.delete_on_termination == sa.true(), 1), else_=0)
    return _select("volumes", bdm.c.instance_uuid, _array(bdm.c.id, bdm.c.volume_id, kept)).where(
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
    facts = _array(faults.c.code, faults.c.message, faults.c.details, faults.c.created_at)
    return _select("fault", faults.c.instance_uuid, facts).where(faults.c.id.in_(newest))


def _services() -> sa.Select:
    services = TABLES["services"]
    flags = sa.case((services.c.disabled == sa.true(), _DISABLED), else_=0) + sa.case(
        (services.c.forced_down == sa.true(), _FORCED_DOWN), else_=0
    )
    seen = sa.func.coalesce(services.c.last_seen_up, services.c.created_at)
    return _select("service", services.c.host, _array(flags, seen)).where(
        services.c.host.in_(_given("hosts")), services.c.binary == "nova-compute", services.c.deleted == 0
    )


def _array(*values: Any) -> Any:
    return sa.func.json_array(*values, type_=sa.Text)


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
    code, message, details, created = rows[-1]
    return {"code": code, "message": message, "details": details, "created_at": _moment(created)}


def _service(rows: Any) -> dict[str, Any] | None:
    if not rows:
        return None
    flags, seen = rows[0]
    down = {"disabled": bool(flags & _DISABLED), "forced_down": bool(flags & _FORCED_DOWN)}
    return {**down, "last_seen_up": _moment(seen), "created_at": _moment(seen)}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


_SHAPES: dict[str, Callable[[Any], Any]] = {
    "metadata": lambda rows: rows[0] if rows else {},
    "system_metadata": lambda rows: rows[0] if rows else {},
    "locked_reason": lambda rows: rows[0]["locked_reason"] if rows else None,
    "tags": lambda rows: sorted(rows[0]) if rows else [],
    "volumes": lambda rows: [
        {"volume_id": volume, "delete_on_termination": bool(kept)} for _, volume, kept in sorted(rows)
    ],
    "fault": _fault,
    "service": _service,
}
