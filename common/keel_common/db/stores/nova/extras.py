"""Parsed columns of instance_extra, and other parts of a server in tables of their own: shares, tags, PCI devices."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import cas
from keel_common.db.stores.nova.rows import TABLES, Row, every, many, parse

EXTRA = TABLES["instance_extra"]
TAGS = TABLES["tags"]
SHARES = TABLES["share_mapping"]
DEVICES = TABLES["pci_devices"]


def get(conn: sa.Connection, instance_uuid: str, column: str) -> tuple[bool, Any]:
    """(there is a row, the parsed value of one column)."""
    query = sa.select(EXTRA.c[column]).where(EXTRA.c.instance_uuid == instance_uuid, EXTRA.c.deleted == 0)
    row = conn.execute(query.limit(1)).first()
    return row is not None, parse(row[0]) if row is not None else None


def put(conn: sa.Connection, instance_uuid: str, values: Mapping[str, str | None]) -> bool:
    """Sets columns of the row of a living server; False when there is none."""
    return cas(conn, EXTRA, values, [EXTRA.c.instance_uuid == instance_uuid, EXTRA.c.deleted == 0])


def tags(conn: sa.Connection, resource_id: str) -> list[str]:
    query = sa.select(TAGS.c.tag).where(TAGS.c.resource_id == resource_id).order_by(TAGS.c.tag)
    return list(conn.execute(query).scalars())


def replace_tags(conn: sa.Connection, resource_id: str, wanted: Iterable[str]) -> list[str]:
    """Makes the tags of a server equal `wanted`; returns them."""
    new, old = set(wanted), set(tags(conn, resource_id))
    if old - new:
        conn.execute(sa.delete(TAGS).where(TAGS.c.resource_id == resource_id, TAGS.c.tag.in_(old - new)))
    if new - old:
        conn.execute(sa.insert(TAGS), [{"resource_id": resource_id, "tag": tag} for tag in sorted(new - old)])
    return sorted(new)


def shares(conn: sa.Connection, **equal: Any) -> list[Row]:
    """Rows of share_mapping whose columns have these values."""
    where = [SHARES.c[name] == value for name, value in equal.items()]
    return every(conn, sa.select(SHARES).where(*where).order_by(SHARES.c.id))


def pci_devices(conn: sa.Connection, **equal: Any) -> list[Row]:
    """Living PCI devices whose columns have these values."""
    return many(conn, DEVICES, *(DEVICES.c[name] == value for name, value in equal.items()))
