"""Transactions are whole, repeated when the engine gives them up, and guarded updates tell who won."""

import sqlite3
import threading

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError, OperationalError

from keel_common.db import Database, OutcomeUnknown, add, cas, count_statements, schema, soft_delete, sync
from keel_common.db.errors import is_conflict, is_lost

SERVICES = schema.nova_cell.tables["services"]


@pytest.fixture(params=["file", "memory"])
def db(request, tmp_path):
    database = Database("sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path}/cell.db")
    sync(database, "nova_cell")
    yield database
    database.close()


def new_service(conn, host="a"):
    return add(conn, SERVICES, {"host": host, "binary": "nova-compute", "topic": "compute", "report_count": 0})


def rows(conn):
    return [dict(row) for row in conn.execute(select(SERVICES)).mappings()]


def test_an_exception_undoes_the_whole_transaction(db):
    def both(conn):
        new_service(conn)
        raise RuntimeError("after the insert")

    with pytest.raises(RuntimeError):
        db.run(both)
    assert db.read(rows) == []


def test_a_transaction_the_engine_gave_up_is_repeated_whole(db):
    tries = []

    def flaky(conn):
        new_service(conn, host=f"try-{len(tries)}")
        tries.append(1)
        if len(tries) < 3:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("INSERT", {}, busy)
        return "done"

    assert db.run(flaky) == "done"
    assert [row["host"] for row in db.read(rows)] == ["try-2"]


def test_other_database_errors_are_not_repeated(db):
    tries = []

    def twice(conn):
        tries.append(1)
        new_service(conn)
        new_service(conn)

    with pytest.raises(IntegrityError):
        db.run(twice)
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("code", "conflict", "lost"), [(1213, True, False), (1205, True, False), (2006, False, True), (1062, False, False)]
)
def test_mysql_codes_are_told_apart(code, conflict, lost):
    error = OperationalError("UPDATE", {}, Exception(code, "text"))
    assert (is_conflict(error), is_lost(error)) == (conflict, lost)


def test_a_connection_lost_while_committing_is_reported_not_repeated(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/cell.db")
    sync(database, "nova_cell")
    tries = []

    @event.listens_for(database.engine, "commit")
    def cut(_connection):
        raise OperationalError("COMMIT", {}, Exception(2013, "Lost connection"), connection_invalidated=True)

    def note(conn):
        tries.append(1)
        new_service(conn)

    with pytest.raises(OutcomeUnknown):
        database.run(note)
    assert len(tries) == 1


def test_only_one_of_two_guarded_updates_wins(db):
    key = db.run(new_service)
    guard = [SERVICES.c.id == key, SERVICES.c.report_count == 0]
    assert db.run(cas, SERVICES, {"report_count": 1}, guard) is True
    assert db.run(cas, SERVICES, {"report_count": 1}, guard) is False
    (row,) = db.read(rows)
    assert row["report_count"] == 1
    assert row["updated_at"] is not None


def test_a_soft_deleted_row_keeps_its_id_in_deleted_and_its_updated_at(db):
    key = db.run(new_service)
    assert db.run(soft_delete, SERVICES, [SERVICES.c.host == "a"]) == 1
    assert db.run(soft_delete, SERVICES, [SERVICES.c.host == "a"]) == 0
    (row,) = db.read(rows)
    assert (row["deleted"], row["updated_at"]) == (key, None)
    assert row["deleted_at"] is not None
    assert db.run(new_service) != key


def test_a_cinder_row_is_deleted_with_true():
    database = Database("sqlite://")
    sync(database, "cinder")
    table = schema.cinder.tables["volume_types"]
    assert database.run(soft_delete, table, [table.c.name == "__DEFAULT__"]) == 1
    assert database.read(lambda conn: conn.execute(select(table.c.deleted)).scalar()) is True


def test_writers_on_one_sqlite_file_wait_for_each_other(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/cell.db")
    sync(database, "nova_cell")
    key = database.run(new_service)

    def raise_count(conn):
        before = conn.execute(select(SERVICES.c.report_count).where(SERVICES.c.id == key)).scalar()
        cas(conn, SERVICES, {"report_count": before + 1}, [SERVICES.c.id == key])

    threads = [threading.Thread(target=lambda: [database.run(raise_count) for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.read(rows)[0]["report_count"] == 40


def test_statements_are_counted_without_transaction_marks(db):
    with count_statements() as seen:
        db.run(new_service)
        db.read(rows)
    assert [text.split()[0] for text in seen] == ["INSERT", "SELECT"]
