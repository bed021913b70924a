"""What must be so before an upgrade, counted in the databases of Nova (nova 34.0.0 cli, upgrade check)."""

from __future__ import annotations

import sqlalchemy as sa

from keel_common.db.schema import nova_api, nova_cell

_HOSTS = nova_api.tables["host_mappings"]
_NODES = nova_cell.tables["compute_nodes"]
_INSTANCES = nova_cell.tables["instances"]
_SYSTEM = nova_cell.tables["instance_system_metadata"]
_MACHINE_TYPE = "image_hw_machine_type"


def host_mappings(conn: sa.Connection) -> int:
    """How many hosts belong to a cell."""
    return conn.execute(sa.select(sa.func.count()).select_from(_HOSTS)).scalar_one()


def compute_nodes(conn: sa.Connection) -> int:
    """How many living compute nodes a cell has."""
    return conn.execute(sa.select(sa.func.count()).select_from(_NODES).where(_NODES.c.deleted == 0)).scalar_one()


def without_machine_type(conn: sa.Connection, limit: int) -> list[str]:
    """Living servers whose machine type is not recorded, at most `limit`."""
    known = sa.exists().where(
        _SYSTEM.c.instance_uuid == _INSTANCES.c.uuid, _SYSTEM.c.key == _MACHINE_TYPE, _SYSTEM.c.deleted == 0
    )
    query = sa.select(_INSTANCES.c.uuid).where(_INSTANCES.c.deleted == 0, ~known).order_by(_INSTANCES.c.id)
    return list(conn.execute(query.limit(limit)).scalars())
