"""What a database refuses reaches a peer under the names it knows."""

import pymysql
import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from keel_common.db import Database, add, schema, sync
from keel_common.db.violations import violated

TABLES = schema.nova_cell.tables


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    found = Database(f"sqlite:///{tmp_path_factory.mktemp('cell')}/cell.db")
    sync(found, "nova_cell")
    yield found
    found.close()


@pytest.mark.parametrize(
    ("table", "rows", "name"),
    [
        ("instances", [{"uuid": "a"}, {"uuid": "a"}], "DBDuplicateEntry"),
        ("instance_metadata", [{"instance_uuid": "nobody", "key": "k", "value": "v"}], "DBReferenceError"),
        ("compute_nodes", [{"host": "h"}], "DBError"),
    ],
)
def test_sqlite(db, table, rows, name):
    with pytest.raises(DBAPIError) as caught:
        for row in rows:
            db.run(add, TABLES[table], row)
    fault = violated(caught.value)
    assert (fault.name, fault.module) == (name, "oslo_db.exception")


@pytest.mark.parametrize(
    ("kind", "code", "name"),
    [
        (IntegrityError, 1062, "DBDuplicateEntry"),
        (IntegrityError, 1452, "DBReferenceError"),
        (IntegrityError, 1451, "DBReferenceError"),
        (IntegrityError, 1048, "DBError"),
        (OperationalError, 1364, "DBError"),
        (OperationalError, 1213, "DBDeadlock"),
        (OperationalError, 2006, "DBConnectionError"),
    ],
)
def test_mariadb(kind, code, name):
    assert violated(kind("INSERT", {}, pymysql.err.OperationalError(code, "said"))).name == name
