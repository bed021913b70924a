"""What a cell remembers of a server's network: instance_info_caches and virtual_interfaces."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.refusals import not_found
from keel_common.db.statements import add, cas, soft_delete
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of, many, one

CACHES = TABLES["instance_info_caches"]
VIFS = TABLES["virtual_interfaces"]


def info_cache(conn: sa.Connection, instance_uuid: str) -> Row:
    """The info cache of a server. Raises Refused InstanceInfoCacheNotFound."""
    row = one(conn, CACHES, CACHES.c.instance_uuid == instance_uuid)
    if row is None:
        raise not_found("InstanceInfoCacheNotFound", f"Cache of server {instance_uuid}", instance_uuid=instance_uuid)
    return row


def save_info_cache(conn: sa.Connection, instance_uuid: str, network_info: str) -> Row:
    """Writes the network info (JSON text); makes the row when it is missing."""
    where = [CACHES.c.instance_uuid == instance_uuid, CACHES.c.deleted == 0]
    if not cas(conn, CACHES, {"network_info": network_info}, where):
        add(conn, CACHES, {"instance_uuid": instance_uuid, "network_info": network_info})
    return info_cache(conn, instance_uuid)


def delete_info_cache(conn: sa.Connection, instance_uuid: str) -> None:
    soft_delete(conn, CACHES, [CACHES.c.instance_uuid == instance_uuid])


def vif(conn: sa.Connection, **equal: Any) -> Row | None:
    """The first living interface whose columns have these values."""
    return one(conn, VIFS, *(VIFS.c[name] == value for name, value in equal.items()))


def vifs(conn: sa.Connection, instance_uuid: str | None = None) -> list[Row]:
    """Living interfaces, of one server when told."""
    return many(conn, VIFS, *([VIFS.c.instance_uuid == instance_uuid] if instance_uuid else []))


def create_vif(conn: sa.Connection, values: Mapping[str, Any]) -> Row:
    """A new interface. IntegrityError when its address is in use."""
    return vif(conn, id=add(conn, VIFS, {"network_id": 0, **columns_of(VIFS, values)})) or {}


def update_vif(conn: sa.Connection, vif_id: int, values: Mapping[str, Any]) -> Row:
    cas(conn, VIFS, columns_of(VIFS, values), [VIFS.c.id == vif_id, VIFS.c.deleted == 0])
    return vif(conn, id=vif_id) or {}


def delete_vif(conn: sa.Connection, vif_id: int) -> None:
    soft_delete(conn, VIFS, [VIFS.c.id == vif_id])


def delete_vifs(conn: sa.Connection, instance_uuid: str) -> None:
    soft_delete(conn, VIFS, [VIFS.c.instance_uuid == instance_uuid])
