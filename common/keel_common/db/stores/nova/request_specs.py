"""Request specs in the API database: what a server was asked for, kept so that it can be placed again.

The stored form is the primitive of a RequestSpec object (nova 34.0.0 serialized_examples, request_specs.spec).
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from keel_common.db.statements import now
from keel_common.db.stores.nova.rows import API_TABLES

TABLE = API_TABLES["request_specs"]
Fields = Mapping[str, Any]


def patch(conn: sa.Connection, uuid: str, fields: Fields | Callable[[dict[str, Any]], Fields]) -> bool:
    """Set fields (by their stored values) in the spec of a server; False when it has none.

    `fields` may be a function of the fields as they stand.
    """
    text = conn.execute(sa.select(TABLE.c.spec).where(TABLE.c.instance_uuid == uuid).with_for_update()).scalar()
    if text is None:
        return False
    stored = orjson.loads(text)
    data = stored["nova_object.data"]
    data.update(fields(data) if callable(fields) else fields)
    stored["nova_object.changes"] = sorted(set(stored.get("nova_object.changes", ())) | set(data))
    changed = {"spec": orjson.dumps(stored).decode(), "updated_at": now()}
    return conn.execute(sa.update(TABLE).where(TABLE.c.instance_uuid == uuid).values(**changed)).rowcount > 0
