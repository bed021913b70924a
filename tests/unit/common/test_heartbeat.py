"""A process with a database keeps its own services row alive."""

import pytest
from sqlalchemy import select

from keel_common.config import load
from keel_common.db import Database, count_statements, schema, sync
from keel_common.db.heartbeat import NOVA_SERVICE_VERSION, CinderHeartbeat, NovaHeartbeat, ServiceTooOld
from keel_common.db.stores.nova import services


@pytest.fixture
def cell():
    db = Database("sqlite://")
    sync(db, "nova_cell")
    return db


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "nova.conf"
    path.write_text("[DEFAULT]\nhost = here\n")
    return load("compute", config_files=[str(path)])


def started(conf, db, **more):
    part = NovaHeartbeat(conf, db, "nova-conductor", "conductor", **more)
    part.ids = db.run(part._register)
    return part


def test_the_first_start_makes_the_row_and_the_next_finds_it(conf, cell):
    first, second = started(conf, cell), started(conf, cell)
    assert first.ids == second.ids
    (row,) = cell.read(services.listing)
    assert (row["host"], row["binary"], row["topic"]) == ("here", "nova-conductor", "conductor")
    assert (row["version"], row["report_count"], row["last_seen_up"]) == (NOVA_SERVICE_VERSION, 0, None)
    assert row["uuid"]


def test_a_beat_is_one_statement_and_marks_the_row_seen(conf, cell):
    part = started(conf, cell)
    with count_statements() as seen:
        part.beat()
    assert len(seen) == 1
    (row,) = cell.read(services.listing)
    assert row["report_count"] == 1
    assert row["last_seen_up"] is not None
    assert services.is_up(row, 60)


def test_a_deleted_row_is_made_again(conf, cell):
    part = started(conf, cell)
    cell.run(services.destroy, part.ids[0])
    part.beat()
    (row,) = cell.read(services.listing)
    assert part.ids == [row["id"]]


def test_an_older_service_does_not_join_newer_ones(conf, cell):
    values = {"host": "other", "binary": "nova-conductor", "topic": "conductor", "version": NOVA_SERVICE_VERSION + 1}
    cell.run(services.create, values)
    with pytest.raises(ServiceTooOld):
        NovaHeartbeat(conf, cell, "nova-conductor", "conductor").start()


def test_an_api_registers_without_beating(conf, cell):
    part = NovaHeartbeat(conf, cell, "nova-osapi_compute", None, beats=False)
    part.start()
    part.stop(0)
    assert part.checks() == {}
    assert [row["topic"] for row in cell.read(services.listing)] == [None]


def test_a_cinder_backend_that_does_not_work_does_not_beat():
    db = Database("sqlite://")
    sync(db, "cinder")
    conf = load("volume", argv=[])
    broken = {"h@b"}
    part = CinderHeartbeat(
        conf,
        db,
        "cinder-volume",
        ["h@a", "h@b"],
        {"rpc_current_version": "3.20", "object_current_version": "1.40"},
        working=lambda host: host not in broken,
    )
    part.ids = db.run(part._register)
    part.beat()
    table = schema.cinder.tables["services"]
    query = select(table.c.host, table.c.report_count, table.c.rpc_current_version)
    assert db.read(lambda conn: sorted(tuple(row) for row in conn.execute(query))) == [
        ("h@a", 1, "3.20"),
        ("h@b", 0, "3.20"),
    ]
