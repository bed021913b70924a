"""What MariaDB does to transactions under load, and that a whole transaction survives it. Needs KEEL_TEST_MYSQL."""

import os
import threading
import uuid

import pytest
from sqlalchemy import select
from sqlalchemy.engine import make_url

from keel_common.db import Database, add, cas, schema, sync

SERVER = os.environ.get("KEEL_TEST_MYSQL")
SERVICES = schema.nova_cell.tables["services"]
pytestmark = pytest.mark.skipif(not SERVER, reason="KEEL_TEST_MYSQL is not set")


@pytest.fixture(scope="module")
def server():
    """A database of its own with the tables of a cell."""
    name = f"keel_tx_{uuid.uuid4().hex[:12]}"
    admin = Database(SERVER)
    admin.run(lambda conn: conn.exec_driver_sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb3"))
    db = Database(make_url(SERVER).set(database=name).render_as_string(hide_password=False))
    sync(db, "nova_cell")
    yield db
    db.close()
    admin.run(lambda conn: conn.exec_driver_sql(f"DROP DATABASE {name}"))
    admin.close()


@pytest.fixture
def pair(server):
    """Ids of two services."""
    hosts = [uuid.uuid4().hex, uuid.uuid4().hex]
    values = {"binary": "nova-compute", "topic": "compute", "report_count": 0, "version": 1}
    return [server.run(add, SERVICES, {"host": host, **values}) for host in hosts]


def raised(conn, key):
    cas(conn, SERVICES, {"report_count": SERVICES.c.report_count + 1}, [SERVICES.c.id == key])


def count(server, key):
    return server.read(lambda conn: conn.execute(select(SERVICES.c.report_count).where(SERVICES.c.id == key)).scalar())


def test_a_deadlock_costs_nobody_a_transaction(server, pair):
    first, second = pair
    both_hold_one = threading.Barrier(2)
    tries = []

    def crosswise(conn, one, other):
        tries.append(1)
        raised(conn, one)
        if len(tries) <= 2:
            both_hold_one.wait(10)
        raised(conn, other)

    threads = [
        threading.Thread(target=server.run, args=(crosswise, *keys)) for keys in ((first, second), (second, first))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (count(server, first), count(server, second)) == (2, 2)
    assert len(tries) == 3


def test_a_connection_that_was_cut_is_replaced_and_the_transaction_done_again(server, pair):
    tries = []

    def cut_at_first(conn):
        tries.append(conn.exec_driver_sql("SELECT CONNECTION_ID()").scalar())
        raised(conn, pair[0])
        if len(tries) == 1:
            server.run(lambda other: other.exec_driver_sql(f"KILL {tries[0]}"))
        raised(conn, pair[1])

    server._lost_pause = 0.01
    server.run(cut_at_first)
    assert len(tries) == 2
    assert tries[0] != tries[1]
    assert [count(server, key) for key in pair] == [1, 1]


def test_a_connection_that_died_while_idle_is_not_noticed_by_the_caller(server, pair):
    held = server.read(lambda conn: conn.exec_driver_sql("SELECT CONNECTION_ID()").scalar())
    admin = Database(SERVER)
    admin.run(lambda conn: conn.exec_driver_sql(f"KILL {held}"))
    admin.close()
    server.run(raised, pair[0])
    assert count(server, pair[0]) == 1


@pytest.mark.parametrize("way", ["read", "run", "refused", "ping"])
def test_whoever_gets_the_connection_next_finds_no_transaction_open(server, way):
    def refuses(conn):
        raised(conn, 1)
        raise LookupError

    if way == "ping":
        server.ping()
    elif way == "refused":
        with pytest.raises(LookupError):
            server.run(refuses)
    else:
        getattr(server, way)(raised, 1)
    with server.engine.connect() as conn:
        assert conn.exec_driver_sql("SELECT @@in_transaction").scalar() == 0
        conn.rollback()
