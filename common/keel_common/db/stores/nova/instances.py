"""Servers of a cell as rows with the parts that were asked for (what Nova's Instance object loads).

A server is a dict: the columns of `instances` (`deleted` and `cleaned` as booleans) and, when asked for, `metadata`,
`system_metadata`, `info_cache`, `flavor`/`old_flavor`/`new_flavor` and the other parsed columns of `instance_extra`,
`tags`, `fault`, `pci_devices`, `services`, `ec2_ids`. Source: nova 34.0.0 objects (instance_attrs), db semantics.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row, every, living, parse

TABLE = TABLES["instances"]
EXTRA = TABLES["instance_extra"]
CACHE = TABLES["instance_info_caches"]

EXTRA_PARTS = (
    "device_metadata",
    "flavor",
    "keypairs",
    "migration_context",
    "numa_topology",
    "pci_requests",
    "resources",
    "trusted_certs",
    "vcpu_model",
)
_FLAVORS = ("flavor", "old_flavor", "new_flavor")
_CACHE_COLUMNS = ("created_at", "updated_at", "deleted_at", "deleted", "instance_uuid", "network_info")


def load(
    conn: sa.Connection,
    where: Sequence[sa.ColumnElement[bool]],
    parts: Collection[str] = (),
    read_deleted: str = "no",
    order: Sequence[sa.ColumnElement[Any]] | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Servers that match conditions on `TABLE`, newest id last unless `order` says otherwise."""
    query = _query(parts).where(*living(TABLE, read_deleted), *where).order_by(*(order or [TABLE.c.id]))
    servers = [_server(row, parts) for row in conn.execute(query.limit(limit)).mappings()]
    if servers:
        _fill(conn, servers, parts)
    return servers


def by_uuid(conn: sa.Connection, uuid: str, parts: Collection[str] = (), read_deleted: str = "no") -> Row | None:
    """One server, or None."""
    found = load(conn, [TABLE.c.uuid == uuid], parts, read_deleted)
    return found[0] if found else None


def with_parts(conn: sa.Connection, row: Row, parts: Collection[str]) -> Row:
    """A bare row of a server with parts that live in other tables."""
    server = dict(row)
    _fill(conn, [server], parts)
    return server


def columns(conn: sa.Connection, uuid: str) -> Row | None:
    """The bare row of a living server."""
    return by_uuid(conn, uuid)


def uuids(conn: sa.Connection, *where: sa.ColumnElement[bool]) -> list[str]:
    """uuids of the living servers that match."""
    query = sa.select(TABLE.c.uuid).where(TABLE.c.deleted == 0, *where).order_by(TABLE.c.id)
    return list(conn.execute(query).scalars())


def _query(parts: Collection[str]) -> sa.Select[Any]:
    query = sa.select(TABLE)
    extra = [name for name in EXTRA_PARTS if name in parts or (name == "flavor" and set(_FLAVORS) & set(parts))]
    if extra:
        query = query.add_columns(*(EXTRA.c[name].label(f"extra_{name}") for name in extra))
        query = query.outerjoin(EXTRA, EXTRA.c.instance_uuid == TABLE.c.uuid)
    if "info_cache" in parts:
        query = query.add_columns(*(CACHE.c[name].label(f"cache_{name}") for name in _CACHE_COLUMNS))
        query = query.outerjoin(CACHE, CACHE.c.instance_uuid == TABLE.c.uuid)
    return query


def _server(row: sa.RowMapping, parts: Collection[str]) -> Row:
    server = {column.name: row[column.name] for column in TABLE.c}
    server["deleted"] = server["deleted"] == server["id"]
    server["cleaned"] = server["cleaned"] == 1
    for name in EXTRA_PARTS:
        if f"extra_{name}" in row:
            server[name] = parse(row[f"extra_{name}"])
    if "extra_flavor" in row:
        stored = server["flavor"] or {}
        server["flavor"], server["old_flavor"], server["new_flavor"] = (stored.get(k) for k in ("cur", "old", "new"))
    if "info_cache" in parts:
        cache = {name: row[f"cache_{name}"] for name in _CACHE_COLUMNS}
        server["info_cache"] = cache if cache["instance_uuid"] else None
    return server


def _fill(conn: sa.Connection, servers: list[Row], parts: Collection[str]) -> None:
    """Reads the parts that live in other tables: one statement a part for all servers."""
    by_id = {server["uuid"]: server for server in servers}
    for part in ("metadata", "system_metadata"):
        if part in parts:
            _pairs(conn, TABLES[f"instance_{part}"], part, by_id)
    if "tags" in parts:
        tags = TABLES["tags"]
        _group(conn, sa.select(tags), tags.c.resource_id, "tags", by_id)
    if "pci_devices" in parts:
        devices = TABLES["pci_devices"]
        _group(conn, sa.select(devices).where(devices.c.deleted == 0), devices.c.instance_uuid, "pci_devices", by_id)
    if "fault" in parts:
        faults = TABLES["instance_faults"]
        living_faults = sa.select(faults).where(faults.c.deleted == 0)
        _group(conn, living_faults, faults.c.instance_uuid, "fault", by_id, faults.c.id)
        for server in servers:
            server["fault"] = server["fault"][-1] if server["fault"] else None
    if "services" in parts:
        _services(conn, servers)
    if "security_groups" in parts:
        for server in servers:
            server["security_groups"] = []
    if "ec2_ids" in parts:
        _ec2_ids(conn, by_id)


def _pairs(conn: sa.Connection, table: sa.Table, part: str, by_id: dict[str, Row]) -> None:
    """Key/value rows; a deleted server shows those that were deleted with it."""
    query = sa.select(table.c.instance_uuid, table.c.key, table.c.value, table.c.deleted)
    for server in by_id.values():
        server[part] = {}
    for row in conn.execute(query.where(table.c.instance_uuid.in_(list(by_id))).order_by(table.c.id)):
        server = by_id[row.instance_uuid]
        if row.deleted == 0 or server["deleted"]:
            server[part][row.key] = row.value


def _group(
    conn: sa.Connection,
    query: sa.Select[Any],
    owner: sa.Column[Any],
    part: str,
    by_id: dict[str, Row],
    order: sa.Column[Any] | None = None,
) -> None:
    for server in by_id.values():
        server[part] = []
    query = query.where(owner.in_(list(by_id)))
    for row in every(conn, query if order is None else query.order_by(order)):
        by_id[row[owner.name]][part].append(row)


def _services(conn: sa.Connection, servers: Iterable[Row]) -> None:
    table = TABLES["services"]
    hosts = {server["host"] for server in servers if server["host"]}
    query = sa.select(table).where(table.c.host.in_(hosts), table.c.binary == "nova-compute", table.c.deleted == 0)
    found = every(conn, query) if hosts else []
    for server in servers:
        server["services"] = [row for row in found if row["host"] == server["host"] and not server["deleted"]]


def _ec2_ids(conn: sa.Connection, by_id: dict[str, Row]) -> None:
    """The old numeric names: i-, ami-, aki- and ari- with eight hexadecimal digits."""
    numbers, images = TABLES["instance_id_mappings"], TABLES["s3_images"]
    query = sa.select(numbers.c.uuid, numbers.c.id).where(numbers.c.uuid.in_(list(by_id)))
    ids = dict(conn.execute(query).all())
    refs = {server[name] for server in by_id.values() for name in ("image_ref", "kernel_id", "ramdisk_id")}
    query = sa.select(images.c.uuid, images.c.id).where(images.c.uuid.in_(refs - {None, ""}))
    known = dict(conn.execute(query).all())
    for uuid, server in by_id.items():
        server["ec2_ids"] = ec2_ids(ids.get(uuid, 0), server, known)


def ec2_ids(number: int, server: Row, images: dict[str, int]) -> dict[str, str | None]:
    """The old names of a server from the numbers of its row and of its images."""

    def image(kind: str, ref: str | None) -> str | None:
        return f"{kind}-{images[ref]:08x}" if ref in images else None

    return {
        "instance_id": f"i-{number:08x}",
        "ami_id": image("ami", server["image_ref"]),
        "kernel_id": image("aki", server["kernel_id"]),
        "ramdisk_id": image("ari", server["ramdisk_id"]),
    }


def hosts_of(conn: sa.Connection, uuids: Iterable[str]) -> set[str]:
    """The hosts that living servers are on."""
    query = sa.select(TABLE.c.host).where(
        TABLE.c.uuid.in_(list(uuids)), TABLE.c.deleted == 0, TABLE.c.host.is_not(None)
    )
    return set(conn.execute(query).scalars())


def never_started(conn: sa.Connection, before: datetime.datetime) -> list[str]:
    """uuids of servers that wait for a compute to begin and did not change since `before`."""
    moved = sa.func.coalesce(TABLE.c.updated_at, TABLE.c.created_at)
    asked = sa.or_(TABLE.c.task_state == "scheduling", TABLE.c.task_state.is_(None))
    waiting = [TABLE.c.vm_state == "building", asked, TABLE.c.host.is_(None)]
    return uuids(conn, *waiting, moved < before)
