"""Makes the tables of an empty database exactly as the recorded release leaves them, and stamps its Alembic
revision."""

import re
import uuid
from importlib import resources
from typing import Any

from sqlalchemy import Connection, insert, inspect, select

from keel_common.db import schema
from keel_common.db.database import Database
from keel_common.db.errors import SchemaError
from keel_common.db.statements import now


def current(db: Database) -> str | None:
    """The stamped revision; None for a database without tables. Raises SchemaError for tables without a revision."""
    return db.read(_current)


def sync(db: Database, name: str) -> bool:
    """Brings a database to the revision of this release; True when it made the tables, False when they were there.

    `name` is nova_api, nova_cell or cinder. A database at any other revision is not touched: SchemaError names the
    revision (an older one is brought up by the db sync of the release it belongs to).
    """
    found = current(db)
    head = schema.HEADS[name]
    if found == head:
        return False
    if found is not None:
        raise SchemaError(f"{db.url.database}: at revision {found}, this release works with {head} of {name} only")
    db.run(_create, name, "sqlite" if db.is_sqlite else "mysql")
    return True


def check(db: Database, name: str) -> None:
    """Raises SchemaError unless the database stands at the revision of this release."""
    found = current(db)
    if found != schema.HEADS[name]:
        raise SchemaError(f"{db.url.database}: revision {found}, wanted {schema.HEADS[name]} of {name}: run db sync")


def _current(conn: Connection) -> str | None:
    tables = inspect(conn).get_table_names()
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise SchemaError(f"{conn.engine.url.database}: has tables but no alembic_version (or a sync was interrupted)")
    return conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _create(conn: Connection, name: str, engine: str) -> None:
    text = resources.files(__package__).joinpath(f"data/{name}.{engine}.sql").read_text()
    statements = [part.strip() for part in re.split(r";\s*\n", text) if part.strip()]
    # The version table comes last: a database whose sync broke off is recognised by its absence.
    statements.sort(key=lambda statement: "alembic_version" in statement.split("(")[0])
    if engine == "sqlite":
        _execute(conn, statements)
    else:
        conn.exec_driver_sql("SET SESSION foreign_key_checks = 0")  # tables come in alphabetical order
        try:
            _execute(conn, statements)
        finally:
            conn.exec_driver_sql("SET SESSION foreign_key_checks = 1")
    if name == "cinder":
        _cinder_rows(conn)
    version = schema.of(name).tables["alembic_version"]
    conn.execute(insert(version).values(version_num=schema.HEADS[name]))


def _execute(conn: Connection, statements: list[str]) -> None:
    for statement in statements:
        conn.exec_driver_sql(statement.rstrip(";"))


_CINDER_QUOTAS = {
    "volumes": 10,
    "snapshots": 10,
    "gigabytes": 1000,
    "per_volume_gigabytes": -1,
    "groups": 10,
    "backups": 10,
    "backup_gigabytes": 1000,
}


def _cinder_rows(conn: Connection) -> None:
    """The rows that the migrations of cinder 29.0.0 leave behind (db default_rows)."""
    tables, when = schema.cinder.tables, now()
    base: dict[str, Any] = {"created_at": when, "deleted": False}

    def put(table: str, **values: Any) -> None:
        conn.execute(insert(tables[table]).values(**base, **values))

    for resource, limit in _CINDER_QUOTAS.items():
        put("quota_classes", class_name="default", resource=resource, hard_limit=limit)
    put(
        "volume_types",
        id=str(uuid.uuid4()),
        name="__DEFAULT__",
        description="Default Volume Type",
        is_public=True,
        updated_at=when,
    )
    group_type = str(uuid.uuid4())
    put(
        "group_types",
        id=group_type,
        name="default_cgsnapshot_type",
        is_public=True,
        updated_at=when,
        description="Default group type for migrating cgsnapshot",
    )
    put(
        "group_type_specs",
        group_type_id=group_type,
        key="consistent_group_snapshot_enabled",
        value="<is> True",
        updated_at=when,
    )
    put("workers", resource_type="SENTINEL", resource_id="SUB-SECOND", status="OK", race_preventer=0, updated_at=when)


def living_tables(db: Database) -> list[str]:
    """Names of the tables that a database has (for reports)."""
    return db.read(lambda conn: sorted(inspect(conn).get_table_names()))


def is_empty(db: Database, name: str) -> bool:
    """No rows anywhere but the version stamp."""

    def count(conn: Connection) -> bool:
        for table in schema.of(name).sorted_tables:
            if table.name != "alembic_version" and conn.execute(select(table).limit(1)).first():
                return False
        return True

    return db.read(count)
