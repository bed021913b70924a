"""The volume API on MariaDB: every operation's statements run there, and of rivals for one row one wins. Needs
KEEL_TEST_MYSQL."""

import os
import threading
import uuid

import pytest
import sqlalchemy as sa
from api.volume import recorded, wishes, world
from fakes import api
from fakes.api import Identity
from fakes.bus import RecordingBus
from sqlalchemy.engine import make_url

from keel_api.services import VolumeServices
from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import Database, schema, sync
from keel_common.db.stores.cinder import groups, transitions, types, volumes
from keel_common.domain.volume.states import TRANSITIONS

SERVER = os.environ.get("KEEL_TEST_MYSQL")
pytestmark = pytest.mark.skipif(not SERVER, reason="KEEL_TEST_MYSQL is not set")
OPS = [row["id"] for row in recorded.operations() if not row.get("always_400")]
TABLES = schema.cinder.tables
RIVALS = (
    "delete",
    "reserve",
    "attachment create",
    "extend",
    "revert",
    "upload",
    "transfer create",
    "backup",
    "restore",
    "retype",
    "reimage",
)
AT_ONCE = 6


@pytest.fixture(scope="module")
def mariadb():
    """A database of its own with the tables of Cinder."""
    name = f"keel_volume_{uuid.uuid4().hex[:12]}"
    admin = Database(SERVER)
    admin.run(lambda conn: conn.exec_driver_sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb3"))
    url = make_url(SERVER).set(database=name).render_as_string(hide_password=False)
    db = Database(url)
    sync(db, "cinder")
    yield db, url
    db.close()
    admin.run(lambda conn: conn.exec_driver_sql(f"DROP DATABASE {name}"))
    admin.close()


class MariaApi(api.Api):
    suite = "volume"

    def __init__(self, db, url):
        conf = load("volume", [])
        conf.set_override("connection", url, "database")
        conf.set_override("service_down_time", 86400)
        self.db, self.bus = db, RecordingBus()
        super().__init__(conf, VolumeServices(conf, db, Clients(conf, "volume"), lambda url: self.bus))
        self.services.clients.glance, self.services.clients.keystone = world.Image(), world.Projects()


@pytest.fixture(scope="module")
def served(mariadb):
    db, url = mariadb
    kept = db.read(
        lambda conn: {name: conn.execute(sa.select(table)).mappings().all() for name, table in TABLES.items()}
    )
    return MariaApi(db, url), kept


def everything_of(conn, table):
    return conn.execute(sa.select(table)).mappings().all()


def fresh(conn, kept):
    """One of everything, and nothing else."""
    conn.exec_driver_sql("SET foreign_key_checks = 0")
    for name, table in TABLES.items():
        if name != "alembic_version":
            conn.execute(table.delete())
            if kept[name]:
                conn.execute(table.insert(), [dict(row) for row in kept[name]])
    conn.exec_driver_sql("SET foreign_key_checks = 1")
    return world.build(conn)


@pytest.mark.parametrize("op_id", OPS)
def test_every_operation_runs_on_mariadb(served, op_id):
    volume, kept = served
    made = volume.db.run(fresh, kept)
    volume.bus.answers.update(world.answers(made))
    method, path, body = wishes.request(op_id, made)
    reply = volume.call(method, path, body, who=Identity.ADMIN, version="3.71")
    assert reply.status < 300 or op_id == "PUT /os-hosts", reply.raw.decode()


def at_once(db, works):
    """Start every work at the same moment; what each returned."""
    gate, results = threading.Barrier(len(works)), [None] * len(works)

    def run(place, work):
        gate.wait(20)
        results[place] = db.run(work)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.fixture
def available(mariadb):
    db, _ = mariadb

    def make(conn):
        type_id = types.get_by_name(conn, "__DEFAULT__")["id"]
        fixed = {"host": "h@b#p", "size": 1, "attach_status": "detached", "multiattach": False}
        return volumes.create(conn, {"status": "available", "volume_type_id": type_id, "project_id": "p", **fixed})[
            "id"
        ]

    return db, db.run(make)


def step(name, row_id):
    return lambda conn: transitions.apply(conn, TRANSITIONS[name], row_id)


@pytest.mark.parametrize("name", RIVALS)
def test_of_the_same_change_at_once_one_wins(available, name):
    db, volume_id = available
    assert at_once(db, [step(name, volume_id)] * AT_ONCE).count(True) == 1


def test_of_all_rivals_for_a_volume_one_wins(available):
    db, volume_id = available
    # Not "reimage": an attachment may follow it, as `downloading` is a state it begins from (cinder 29.0.0).
    rivals = [step(name, volume_id) for name in RIVALS if name != "reimage"]
    assert at_once(db, rivals).count(True) == 1


def test_of_a_deletion_and_an_update_of_a_group_one_wins(served):
    volume, kept = served
    made = volume.db.run(fresh, kept)

    def delete(conn):
        return transitions.apply(conn, TRANSITIONS["group delete"], made["empty"], where=groups.guards_of_delete(False))

    works = [delete, step("group update", made["empty"])] * 3
    assert at_once(volume.db, works).count(True) == 1


def test_of_two_acceptances_of_a_transfer_one_wins(served):
    volume, kept = served
    made = volume.db.run(fresh, kept)
    volume.bus.answers.update(world.answers(made))
    method, path, body = wishes.request("POST /volume-transfers/{id}/accept", made)
    gate, codes = threading.Barrier(4), []

    def accept(who):
        gate.wait(20)
        codes.append(volume.call(method, path, body, who=who).status)

    takers = [Identity(f"u{n}", f"project-{n}", ("member", "reader")) for n in range(4)]
    threads = [threading.Thread(target=accept, args=(who,)) for who in takers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert codes.count(202) == 1 and set(codes) <= {202, 400, 404}
    usages = volume.db.read(lambda conn: conn.execute(sa.select(TABLES["quota_usages"])).mappings().all())
    taken = [row for row in usages if row["project_id"].startswith("project-")]
    assert sum(row["in_use"] for row in taken if row["resource"] == "volumes") == 1
    assert all(row["reserved"] == 0 for row in taken)
