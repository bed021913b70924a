"""`keel-manage db sync` makes the recorded tables, on SQLite and on MariaDB."""

import os
import re
import uuid
from importlib import resources

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url

from keel_common.db import Database, SchemaError, check, current, schema, sync

NAMES = sorted(schema.HEADS)
MYSQL = os.environ.get("KEEL_TEST_MYSQL")
COUNTS = {"nova_api": 32, "nova_cell": 111, "cinder": 36}


def recorded(name: str, engine: str) -> list[str]:
    text = resources.files("keel_common.db").joinpath(f"data/{name}.{engine}.sql").read_text()
    return [" ".join(part.split()) for part in re.split(r";\s*\n", text) if part.strip()]


@pytest.fixture
def sqlite(tmp_path):
    db = Database(f"sqlite:///{tmp_path}/one.db")
    yield db
    db.close()


@pytest.fixture
def mariadb():
    """A database of its own on the server that KEEL_TEST_MYSQL names (mysql+pymysql://user:password@host/)."""
    if not MYSQL:
        pytest.skip("KEEL_TEST_MYSQL is not set")
    name = f"keel_schema_{uuid.uuid4().hex[:12]}"
    server = create_engine(make_url(MYSQL))
    with server.connect() as conn:
        conn.exec_driver_sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb3")
    db = Database(make_url(MYSQL).set(database=name).render_as_string(hide_password=False))
    yield db
    db.close()
    with server.connect() as conn:
        conn.exec_driver_sql(f"DROP DATABASE {name}")
    server.dispose()


def assert_metadata_matches(db: Database, name: str) -> None:
    """The MetaData that statements are built from names the same columns, null rules and keys as the real tables."""
    with db.engine.connect() as conn:
        real = inspect(conn)
        tables = schema.of(name).tables
        assert sorted(real.get_table_names()) == sorted(tables)
        for table in tables.values():
            found = {column["name"]: column for column in real.get_columns(table.name)}
            assert list(found) == [column.name for column in table.columns], table.name
            assert real.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
            if db.is_sqlite:
                assert {n: c["nullable"] for n, c in found.items()} == {c.name: c.nullable for c in table.columns}


@pytest.mark.parametrize("name", NAMES)
def test_sqlite_tables_and_indexes_equal_the_recording(sqlite, name):
    assert sync(sqlite, name) is True
    rows = sqlite.read(lambda c: c.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
    assert sorted(" ".join(row[0].split()) for row in rows) == sorted(recorded(name, "sqlite"))
    assert_metadata_matches(sqlite, name)
    assert len(schema.of(name).tables) == COUNTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_mariadb_tables_equal_the_recording(mariadb, name):
    assert sync(mariadb, name) is True
    wanted = {re.match(r"CREATE TABLE `(\w+)`", text).group(1): text for text in recorded(name, "mysql")}
    with mariadb.engine.connect() as conn:
        for table, text in wanted.items():
            shown = conn.exec_driver_sql(f"SHOW CREATE TABLE `{table}`").one()[1]
            assert _lines(shown) == _lines(text), table
    assert_metadata_matches(mariadb, name)


def _lines(text: str) -> tuple[list[str], str]:
    """Columns, keys and constraints of a table in sorted order, and its engine, character set and collation."""
    text = re.sub(r" AUTO_INCREMENT=\d+", "", " ".join(text.split())).rstrip(";")
    body, tail = text[text.index("(") + 1 :].rsplit(") ENGINE", 1)
    return sorted(part.strip() for part in re.split(r", (?=[`A-Z])", body)), tail


@pytest.mark.parametrize("name", NAMES)
def test_sync_stamps_the_head_and_a_second_sync_changes_nothing(sqlite, name):
    assert current(sqlite) is None
    sync(sqlite, name)
    assert current(sqlite) == schema.HEADS[name]
    assert sync(sqlite, name) is False
    check(sqlite, name)


def test_a_database_at_another_revision_is_not_touched(sqlite):
    sqlite.run(lambda c: c.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
    sqlite.run(lambda c: c.exec_driver_sql("INSERT INTO alembic_version VALUES ('16f1fbcab42b')"))
    with pytest.raises(SchemaError, match="16f1fbcab42b"):
        sync(sqlite, "nova_cell")
    assert sqlite.read(lambda c: inspect(c).get_table_names()) == ["alembic_version"]


def test_tables_without_a_revision_are_refused(sqlite):
    sqlite.run(lambda c: c.exec_driver_sql("CREATE TABLE instances (id INTEGER)"))
    with pytest.raises(SchemaError, match="no alembic_version"):
        sync(sqlite, "nova_cell")


def test_cinder_starts_with_the_recorded_rows(sqlite):
    sync(sqlite, "cinder")
    tables = schema.cinder.tables

    def rows(conn, table):
        return [dict(row) for row in conn.execute(tables[table].select()).mappings()]

    limits = {row["resource"]: row["hard_limit"] for row in sqlite.read(rows, "quota_classes")}
    assert limits == {
        "volumes": 10,
        "snapshots": 10,
        "gigabytes": 1000,
        "per_volume_gigabytes": -1,
        "groups": 10,
        "backups": 10,
        "backup_gigabytes": 1000,
    }
    assert [(row["name"], row["is_public"]) for row in sqlite.read(rows, "volume_types")] == [("__DEFAULT__", True)]
    assert [row["name"] for row in sqlite.read(rows, "group_types")] == ["default_cgsnapshot_type"]
    assert [row["resource_id"] for row in sqlite.read(rows, "workers")] == ["SUB-SECOND"]
    assert sqlite.read(rows, "volumes") == []
