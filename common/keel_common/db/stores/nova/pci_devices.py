"""Changes of PCI devices by node and address."""

import uuid as uuids
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from keel_common.db.statements import soft_delete
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.rows import TABLES, Row

TABLE = TABLES["pci_devices"]


def save(conn: sa.Connection, node_id: int | None, address: str | None, values: Mapping[str, Any]) -> Row:
    """The device of a node at an address with these values: the one there is, or a new one."""
    changes = {name: value for name, value in values.items() if name != "id"}
    row = records.change(conn, TABLE, changes, compute_node_id=node_id, address=address)
    if row is None:
        row = records.create(conn, TABLE, {"uuid": str(uuids.uuid4()), **changes})
    return row


def remove(conn: sa.Connection, node_id: int, address: str) -> bool:
    """Soft-deletes a device; False when it is not there."""
    return soft_delete(conn, TABLE, [TABLE.c.compute_node_id == node_id, TABLE.c.address == address]) > 0
