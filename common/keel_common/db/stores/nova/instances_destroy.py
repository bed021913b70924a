"""The end of a server in a cell: soft delete of its row set (nova 34.0.0 db semantics, instance_destroy)."""

import sqlalchemy as sa

from keel_common.db.refusals import Refused, not_found
from keel_common.db.statements import soft_delete
from keel_common.db.stores.nova.instances import columns
from keel_common.db.stores.nova.rows import TABLES, Row

INSTANCES = TABLES["instances"]

SOFT_DELETED = (
    "security_group_instance_association",
    "instance_info_caches",
    "instance_metadata",
    "instance_faults",
    "instance_extra",
    "instance_system_metadata",
    "block_device_mapping",
    "migrations",
    "virtual_interfaces",
)
"""Tables whose rows go with the server, by instance_uuid."""


def destroy(conn: sa.Connection, uuid: str, host: str | None, hard: bool = False) -> Row:
    """Destroys a server and returns its row as it was left.

    `host` None means that the caller knows of no host: a server that got one meanwhile is refused with
    ObjectActionError. `hard` removes the rows, actions too. Raises Refused InstanceNotFound for a server that is gone.
    """
    where = [INSTANCES.c.uuid == uuid, INSTANCES.c.deleted == 0]
    if host is None:
        where.append(INSTANCES.c.host.is_(None))
    if not soft_delete(conn, INSTANCES, where):
        if columns(conn, uuid) is None:
            raise not_found("InstanceNotFound", f"Server {uuid}", instance_id=uuid)
        raise Refused(
            "ObjectActionError", f"Server {uuid} got a host meanwhile.", action="destroy", reason="host changed"
        )
    for name in SOFT_DELETED:
        soft_delete(conn, TABLES[name], [TABLES[name].c.instance_uuid == uuid])
    numbers = TABLES["instance_id_mappings"]
    soft_delete(conn, numbers, [numbers.c.uuid == uuid])
    _delete(conn, "tags", "resource_id", uuid)
    _delete(conn, "console_auth_tokens", "instance_uuid", uuid)
    row = conn.execute(sa.select(INSTANCES).where(INSTANCES.c.uuid == uuid)).mappings().one()
    if hard:
        _remove(conn, uuid)
    return dict(row)


def _delete(conn: sa.Connection, table: str, column: str, value: object) -> None:
    conn.execute(sa.delete(TABLES[table]).where(TABLES[table].c[column] == value))


def _remove(conn: sa.Connection, uuid: str) -> None:
    actions, events = TABLES["instance_actions"], TABLES["instance_actions_events"]
    mine = sa.select(actions.c.id).where(actions.c.instance_uuid == uuid)
    conn.execute(sa.delete(events).where(events.c.action_id.in_(mine)))
    for name in ("instance_actions", *SOFT_DELETED):
        _delete(conn, name, "instance_uuid", uuid)
    _delete(conn, "instance_id_mappings", "uuid", uuid)
    _delete(conn, "instances", "uuid", uuid)
