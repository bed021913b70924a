"""Key and value rows that belong to volumes, snapshots and types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, alive, bury, insert_many, update


@dataclass(frozen=True)
class Kind:
    """One table of keys and values, and the column that names the owner."""

    table: str
    owner: str

    @property
    def rows(self) -> sa.Table:
        """The table."""
        return TABLES[self.table]


USER = Kind("volume_metadata", "volume_id")
ADMIN = Kind("volume_admin_metadata", "volume_id")
IMAGE = Kind("volume_glance_metadata", "volume_id")
SNAPSHOT = Kind("snapshot_metadata", "snapshot_id")
SNAPSHOT_IMAGE = Kind("volume_glance_metadata", "snapshot_id")
BACKUP = Kind("backup_metadata", "backup_id")
GROUP_TYPE_SPECS = Kind("group_type_specs", "group_type_id")
TYPE_SPECS = Kind("volume_type_extra_specs", "volume_type_id")


def read(conn: sa.Connection, kind: Kind, owners: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """owner id -> {key: value}; every asked owner is there. One statement (none for no owner)."""
    result: dict[str, dict[str, str | None]] = {owner: {} for owner in owners}
    if result:
        rows = kind.rows
        owner = rows.c[kind.owner]
        query = (
            sa.select(owner, rows.c.key, rows.c.value).where(owner.in_(list(result)), alive(rows)).order_by(rows.c.id)
        )
        for owner_id, key, value in conn.execute(query):
            result[owner_id][key] = value
    return result


def read_kinds(
    conn: sa.Connection, kinds: Iterable[Kind], owners: Iterable[str]
) -> dict[str, dict[str, dict[str, str]]]:
    """table name -> owner id -> {key: value} for several tables of the same owners with ONE statement."""
    wanted, ids = list(kinds), list(owners)
    result: dict[str, dict[str, dict[str, str]]] = {kind.table: defaultdict(dict) for kind in wanted}
    if not ids:
        return result
    parts = []
    for kind in wanted:
        rows = kind.rows
        owner = rows.c[kind.owner]
        columns = (sa.literal(kind.table).label("kind"), owner.label("owner"), rows.c.key, rows.c.value)
        parts.append(sa.select(*columns).where(owner.in_(ids), alive(rows)))
    for table, owner_id, key, value in conn.execute(sa.union_all(*parts)):
        result[table][owner_id][key] = value
    return result


def add(conn: sa.Connection, kind: Kind, owner: str, pairs: Mapping[str, str | None]) -> None:
    """Insert pairs of an owner that has none of these keys (a new row)."""
    insert_many(conn, kind.rows, [{kind.owner: owner, "key": key, "value": value} for key, value in pairs.items()])


def merge(conn: sa.Connection, kind: Kind, owner: str, pairs: Mapping[str, str | None], replace: bool = False) -> dict:
    """Write the pairs of an owner, keep its other keys (or, with `replace`, delete them); returns what it has now."""
    rows = kind.rows
    mine = rows.c[kind.owner] == owner
    have = read(conn, kind, [owner])[owner]
    if replace and (gone := [key for key in have if key not in pairs]):
        bury(conn, rows, [mine, rows.c.key.in_(gone)])
        have = {key: value for key, value in have.items() if key in pairs}
    for key, value in pairs.items():
        if key in have and have[key] != value:
            update(conn, rows, [mine, rows.c.key == key, alive(rows)], {"value": value})
    add(conn, kind, owner, {key: value for key, value in pairs.items() if key not in have})
    return {**have, **pairs}


def remove(conn: sa.Connection, kind: Kind, owner: str, key: str) -> bool:
    """Soft delete one key; False when the owner has no such key."""
    rows = kind.rows
    return bury(conn, rows, [rows.c[kind.owner] == owner, rows.c.key == key]) > 0


def remove_all(conn: sa.Connection, kind: Kind, owner: str) -> None:
    """Soft delete every key of the owner."""
    bury(conn, kind.rows, [kind.rows.c[kind.owner] == owner])
