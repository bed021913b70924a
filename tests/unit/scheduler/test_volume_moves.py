"""The volume scheduler and what exists already: groups, retypes, migrations, volumes that are taken over (cinder 29.0.0
flows 10, 13, 14)."""

import uuid
from types import SimpleNamespace

import pytest

from keel_common import config
from keel_common.db import Database, add, sync
from keel_common.db.stores.cinder import services
from keel_common.db.stores.cinder.rows import TABLES
from keel_contract.cinder import objects
from keel_scheduler.volume.choose import Chooser
from keel_scheduler.volume.endpoints import SchedulerEndpoint
from keel_scheduler.volume.pools import Pools

HERE, THERE = "here@csi#a", "there@csi#b"


class Volumes:
    """The client of the volume services: keeps what was sent."""

    def __init__(self):
        self.sent = []

    def send(self, context, method, **args):
        self.sent.append((method, args))


@pytest.fixture
def world(tmp_path):
    conf = config.load("volume", [])
    db = Database(f"sqlite:///{tmp_path}/cinder.db")
    sync(db, "cinder")
    pools, volumes = Pools(), Volumes()
    for host, name, speed in (("here@csi", "a", "slow"), ("there@csi", "b", "fast")):
        row = db.run(services.register, host, "cinder-volume", availability_zone="nova")
        db.run(services.beat, [row["id"]])
        report = {"pool_name": name, "total_capacity_gb": 100, "free_capacity_gb": 100, "speed": speed}
        pools.update(host, {"pools": [report]}, "2026-12-01T00:00:00.000000")
    endpoint = SchedulerEndpoint(conf, db, pools, Chooser(conf, db, pools), volumes, Volumes())
    return SimpleNamespace(db=db, endpoint=endpoint, sent=volumes.sent)


def volume(world, **values):
    row = {
        "id": str(uuid.uuid4()), "project_id": "p", "user_id": "u", "size": 1, "host": HERE, "deleted": False,
        "volume_type_id": str(uuid.uuid4()), "use_quota": True, "status": "available", **values,
    }  # fmt: skip
    world.db.run(add, TABLES["volumes"], row)
    return objects.Volume(**{name: row[name] for name in ("id", "project_id", "size", "host", "status")})


def group(world, **values):
    row = {"id": str(uuid.uuid4()), "project_id": "p", "status": "creating", "deleted": False, **values}
    world.db.run(add, TABLES["groups"], row)
    return objects.Group(id=row["id"], project_id="p")


def read(world, table, key):
    found = TABLES[table]
    query = found.select().where(found.c.id == key)
    return dict(world.db.read(lambda conn: conn.execute(query).mappings().one()))


def wish(speed=None, **more):
    kind = {"id": "new-type", "extra_specs": {"speed": speed} if speed else {}}
    return {"volume_properties": {"size": 1}, "volume_type": kind, **more}


def test_a_group_goes_where_all_its_volume_types_fit(world):
    made = group(world)
    world.endpoint.create_group(None, made, wish(), {}, [wish(), wish("fast")], [{}, {}])
    ((method, args),) = world.sent
    assert (method, args["server"], args["group"].host) == ("create_group", THERE, THERE)
    assert read(world, "groups", made.id)["host"] == THERE


def test_a_group_whose_types_fit_nowhere_together_is_in_error(world):
    made = group(world)
    world.endpoint.create_group(None, made, wish(), {}, [wish("slow"), wish("fast")], [{}, {}])
    assert world.sent == []
    assert read(world, "groups", made.id)["status"] == "error"


def test_a_group_that_was_deleted_meanwhile_is_left_alone(world):
    made = group(world, status="deleting")
    world.endpoint.create_group(None, made, wish(), {}, [wish()], [{}])
    assert world.sent == []
    assert read(world, "groups", made.id)["status"] == "deleting"


@pytest.mark.parametrize(
    ("speed", "policy", "target"),
    [("slow", "never", HERE), ("slow", "on-demand", HERE), ("fast", "on-demand", THERE)],
)
def test_a_retype_stays_where_it_fits_and_moves_when_it_may(world, speed, policy, target):
    one = volume(world, status="retyping", previous_status="available")
    world.endpoint.retype(None, one, wish(speed, migration_policy=policy, quota_reservations=["r"]))
    ((method, args),) = world.sent
    assert (method, args["server"], args["host"]["host"]) == ("retype", HERE, target)
    assert (args["new_type_id"], args["migration_policy"], args["reservations"]) == ("new-type", policy, ["r"])


@pytest.mark.parametrize("before", ["available", "in-use"])
def test_a_retype_that_may_not_move_and_does_not_fit_leaves_the_volume_as_it_was(world, before):
    one = volume(world, status="retyping", previous_status=before)
    world.endpoint.retype(None, one, wish("fast", migration_policy="never"))
    assert world.sent == []
    assert read(world, "volumes", one.id)["status"] == before


@pytest.mark.parametrize(("backend", "sent"), [(THERE, True), ("there@csi", True), ("nowhere@csi", False)])
def test_a_migration_is_sent_when_the_destination_takes_it(world, backend, sent):
    one = volume(world, status="maintenance", previous_status="available", migration_status="starting")
    world.endpoint.migrate_volume(None, one, backend, True, wish(), None)
    row = read(world, "volumes", one.id)
    if sent:
        ((method, args),) = world.sent
        assert (method, args["server"], args["host"]["host"], args["force_host_copy"]) == (
            "migrate_volume", HERE, THERE, True,
        )  # fmt: skip
        assert row["migration_status"] == "starting"
    else:
        assert world.sent == []
        assert (row["status"], row["migration_status"]) == ("available", "error")


def test_an_older_api_asks_for_a_migration_by_another_name(world):
    one = volume(world, migration_status="starting")
    world.endpoint.migrate_volume_to_host(None, one, THERE, False, wish())
    assert [method for method, _ in world.sent] == ["migrate_volume"]


def test_a_volume_that_is_taken_over_gets_its_pool(world):
    one = volume(world, status="managing", host="there@csi", size=0)
    world.endpoint.manage_existing(None, one, wish(ref={"source-name": "pvc-1"}))
    ((method, args),) = world.sent
    assert (method, args["server"], args["ref"]) == ("manage_existing", THERE, {"source-name": "pvc-1"})
    assert read(world, "volumes", one.id)["host"] == THERE


def test_a_volume_that_cannot_be_taken_over_is_in_error(world):
    one = volume(world, status="managing", host="nowhere@csi", size=0)
    world.endpoint.manage_existing(None, one, wish(ref={}))
    assert (world.sent, read(world, "volumes", one.id)["status"]) == ([], "error_managing")
