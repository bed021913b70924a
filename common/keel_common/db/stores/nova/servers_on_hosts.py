"""The servers on hosts, for those who look at hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import sqlalchemy as sa

from keel_common.db.stores.nova.rows import TABLES, Row

_INSTANCES = TABLES["instances"]


def listing(conn: sa.Connection, hosts: Iterable[str]) -> dict[str, list[Row]]:
    """The living servers of each host, by id, with what a name template may use. A host without servers is left out."""
    table = _INSTANCES
    columns = (table.c.host, table.c.id, table.c.uuid, table.c.project_id, table.c.display_name, table.c.hostname)
    query = sa.select(*columns).where(table.c.deleted == 0, table.c.host.in_(list(hosts))).order_by(table.c.id)
    found: dict[str, list[Row]] = defaultdict(list)
    for row in conn.execute(query).mappings():
        found[row["host"]].append(dict(row))
    return dict(found)
