"""Old numeric names of servers and images: i-, ami-, aki- and ari- with eight hexadecimal digits."""

from collections.abc import Mapping

import sqlalchemy as sa

from keel_common.db.statements import add
from keel_common.db.stores.nova import records
from keel_common.db.stores.nova.instances import ec2_ids
from keel_common.db.stores.nova.rows import TABLES

NUMBERS = TABLES["instance_id_mappings"]
IMAGES = TABLES["s3_images"]


def of_server(conn: sa.Connection, uuid: str, refs: Mapping[str, str | None]) -> dict[str, str | None]:
    """The names of a server and of its images; what has no number gets one."""
    images = {ref: _number(conn, IMAGES, ref) for ref in refs.values() if ref}
    return ec2_ids(_number(conn, NUMBERS, uuid), dict(refs), images)


def _number(conn: sa.Connection, table: sa.Table, uuid: str) -> int:
    row = records.one(conn, table, uuid=uuid)
    return row["id"] if row is not None else add(conn, table, {"uuid": uuid})
