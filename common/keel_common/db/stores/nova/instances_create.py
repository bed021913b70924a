"""A new server in a cell: its whole row set in one transaction.

Source: nova 34.0.0 flows 1.8 (instance.create) and the recorded boot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from keel_common.db.statements import add
from keel_common.db.stores.nova import actions, bdms, faults
from keel_common.db.stores.nova.instances import EXTRA_PARTS, ec2_ids
from keel_common.db.stores.nova.rows import TABLES, Row, columns_of

INSTANCES = TABLES["instances"]


@dataclass
class NewServer:
    """Everything a server starts with.

    :ivar values: columns of `instances`, uuid and project_id among them
    :ivar extra: JSON text by column of `instance_extra`
    :ivar network_info: JSON text of the info cache
    :ivar devices: rows of block_device_mapping (without id)
    :ivar action: row of `instance_actions`; None makes none
    :ivar fault: row of `instance_faults`; None makes none
    :ivar event: finished event of the action (event, host, result, details, traceback); None makes none
    """

    values: Mapping[str, Any]
    extra: Mapping[str, str | None] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    system_metadata: Mapping[str, str | None] = field(default_factory=dict)
    network_info: str | None = "[]"
    tags: Sequence[str] = ()
    devices: Sequence[Mapping[str, Any]] = ()
    action: Mapping[str, Any] | None = None
    event: Mapping[str, Any] | None = None
    fault: Mapping[str, Any] | None = None


@dataclass
class Created:
    """What a new server got: its row in `instances`, old names and block device rows."""

    row: Row
    ec2_ids: dict[str, str | None]
    devices: list[Row]


def create(conn: sa.Connection, server: NewServer) -> Created:
    """Writes the rows. IntegrityError when the uuid is in use."""
    uuid, project = server.values["uuid"], server.values["project_id"]
    _default_security_group(conn, project, server.values.get("user_id"))
    key = add(conn, INSTANCES, columns_of(INSTANCES, server.values))
    number = add(conn, TABLES["instance_id_mappings"], {"uuid": uuid})
    extra = {name: server.extra.get(name) for name in EXTRA_PARTS}
    add(conn, TABLES["instance_extra"], {"instance_uuid": uuid, **extra})
    add(conn, TABLES["instance_info_caches"], {"instance_uuid": uuid, "network_info": server.network_info})
    _pairs(conn, "instance_metadata", uuid, server.metadata)
    _pairs(conn, "instance_system_metadata", uuid, server.system_metadata)
    if server.tags:
        conn.execute(sa.insert(TABLES["tags"]), [{"resource_id": uuid, "tag": tag} for tag in server.tags])
    if server.action is not None:
        action_id = actions.start(conn, uuid, server.action)
        if server.event is not None:
            actions.add_finished_event(conn, action_id, server.event)
    devices = bdms.create_all(conn, server.devices)
    if server.fault is not None:
        faults.create(conn, {"instance_uuid": uuid, **server.fault})
    names = {name: server.values.get(name) for name in ("image_ref", "kernel_id", "ramdisk_id")}
    numbers = _image_numbers(conn, names.values())
    row = conn.execute(sa.select(INSTANCES).where(INSTANCES.c.id == key)).mappings().one()
    return Created({**row, "deleted": False, "cleaned": False}, ec2_ids(number, names, numbers), devices)


def create_once(conn: sa.Connection, server: NewServer) -> Created | None:
    """Like `create`; None, with nothing written, for a server that is in this cell already."""
    known = sa.select(INSTANCES.c.id).where(INSTANCES.c.uuid == server.values["uuid"])
    return None if conn.execute(known).first() is not None else create(conn, server)


def _pairs(conn: sa.Connection, table: str, uuid: str, pairs: Mapping[str, str | None]) -> None:
    add(conn, TABLES[table], *({"instance_uuid": uuid, "key": key, "value": pairs[key]} for key in pairs))


def _default_security_group(conn: sa.Connection, project: str, user: str | None) -> None:
    """Every project has a row named default, made with its first server."""
    table = TABLES["security_groups"]
    mine = [table.c.project_id == project, table.c.name == "default", table.c.deleted == 0]
    if conn.execute(sa.select(table.c.id).where(*mine).limit(1)).first() is not None:
        return
    row = {"name": "default", "description": "default", "user_id": user, "project_id": project}
    _insert_once(conn, table, row)


def _image_numbers(conn: sa.Connection, refs: Any) -> dict[str, int]:
    """Numbers of images; an image seen for the first time gets one."""
    table = TABLES["s3_images"]
    wanted = {ref for ref in refs if ref}
    if not wanted:
        return {}
    query = sa.select(table.c.uuid, table.c.id).where(table.c.uuid.in_(wanted))
    known = dict(conn.execute(query).all())
    for ref in wanted - known.keys():
        known[ref] = add(conn, table, {"uuid": ref})
    return known


def _insert_once(conn: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """Inserts unless another transaction was faster; the outer transaction goes on either way."""
    try:
        with conn.begin_nested():
            add(conn, table, row)
    except IntegrityError:
        return
