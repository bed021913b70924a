"""Security groups of old times and the servers in them."""

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row, every

TABLE = TABLES["security_groups"]
MEMBERS = TABLES["security_group_instance_association"]
SERVERS = TABLES["instances"]


def in_use(conn: sa.Connection, group_id: int) -> bool:
    """Whether a living server is in the group."""
    query = sa.select(MEMBERS.c.id).join(SERVERS, SERVERS.c.uuid == MEMBERS.c.instance_uuid)
    query = query.where(MEMBERS.c.security_group_id == group_id, MEMBERS.c.deleted == 0, SERVERS.c.deleted == 0)
    return conn.execute(query.limit(1)).first() is not None


def of_server(conn: sa.Connection, uuid: str) -> list[Row]:
    """The groups a server is in."""
    mine = sa.select(MEMBERS.c.security_group_id).where(MEMBERS.c.instance_uuid == uuid, MEMBERS.c.deleted == 0)
    query = sa.select(TABLE).where(TABLE.c.deleted == 0, TABLE.c.id.in_(mine))
    return every(conn, query.order_by(TABLE.c.id))
