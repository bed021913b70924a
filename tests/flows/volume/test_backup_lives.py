"""The backup service is killed at each of its writes - to the database, the cluster, the store - and the next one goes
on: the backup, the restore and the deletion end well, and nothing is left of the life that ended."""

import pytest

from keel_common.db.stores.cinder import backups
from keel_common.kube import PVC
from keel_volume.backup.runner import Runner
from keel_volume.backup.service import Service
from keel_volume.backup.store import open_store
from keel_volume.csi import streams

from . import killing
from .backing_up import MIB, SMALL, Backed, options
from .test_streams import left

HOST = "mover"
_STORE_WRITES = frozenset(("put", "drop", "remove"))


class Fuse(killing.Fuse):
    """Whoever is killed writes nothing any more, whatever its code would do on the way out."""

    dead = False

    def passing(self, call):
        if self.dead:
            raise killing.Killed
        try:
            return super().passing(call)
        except killing.Killed:
            self.dead = True
            raise


class Life:
    """One process of the backup service; ``work`` does what is due once, in the thread of the test."""

    def __init__(self, world, fuse):
        self.runner = Runner(1.0)
        backend = killing.Life(world, fuse, HOST).backend
        store = killing.Edge(open_store(world.conf), _STORE_WRITES, fuse)
        self.runner.serve(Service(backend, store, HOST, "nova"))

    def work(self):
        self.runner.look()


def survive(world, prepare, over, check):
    """``prepare() -> case``, ``over(case)``, ``check(case)``: once without a death, then once for each write, killed
    right after it (and once before the first); how many writes there were."""
    fuse = Fuse()
    _one(world, fuse, prepare, over, check)
    _one(world, Fuse(0), prepare, over, check)
    for number in range(fuse.count):
        _one(world, Fuse(number, after=True), prepare, over, check)
    return fuse.count


def _one(world, fuse, prepare, over, check):
    case = prepare()
    try:
        killing.run(Life(world, fuse), lambda: over(case))
    except killing.Killed:
        killing.run(Life(world, Fuse()), lambda: over(case))
    try:
        check(case)
    except AssertionError as problem:
        raise AssertionError(f"killed {'after' if fuse.after else 'before'} write {fuse.at}: {problem}") from problem


@pytest.fixture(scope="module")
def backed(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    for name, value in options(folder).items():
        world.conf.set_override(name, value)
    return Backed(world.suite, folder)


@pytest.fixture(scope="module")
def volume(world, backed):
    found = world.volume()
    world.shrink(backed.claim(found), SMALL)
    backed.fill(found)
    return found


@pytest.fixture(autouse=True)
def nothing_left(world):
    yield
    assert left(world) == []
    assert world.suite.drift() == ({}, [])


def is_over(backed, backup):
    row = backed.row(backup)
    return row is None or row["status"] not in ("creating", "restoring", "deleting")


def made(world, backed, volume, **values):
    backup = backed.record(volume, host=HOST, **values)["id"]
    killing.run(Life(world, Fuse()), lambda: is_over(backed, backup))
    return backup


def forget(world, backed, backup):
    backed.db.run(lambda conn: backups.change(conn, backup, {"status": "deleting"}))
    killing.run(Life(world, Fuse()), lambda: backed.row(backup) is None)


def test_a_backup_is_made(world, backed, volume):
    def prepare():
        return backed.record(volume, host=HOST)["id"]

    def check(backup):
        row = backed.row(backup)
        assert row["status"] == "available", row["fail_reason"]
        assert world.suite.row(volume)["status"] == "available"
        assert row["object_count"] == 3
        assert len(backed.stored(backup)) == 3 + 2
        assert left(world) == []
        forget(world, backed, backup)
        assert backed.stored(backup) == []

    assert survive(world, prepare, lambda backup: is_over(backed, backup), check) > 10


def test_a_backup_is_deleted(world, backed, volume):
    def prepare():
        backup = made(world, backed, volume)
        backed.db.run(lambda conn: backups.change(conn, backup, {"status": "deleting"}))
        return backup

    def check(backup):
        assert backed.row(backup) is None
        assert backed.stored(backup) == []
        assert world.suite.drift() == ({}, [])

    assert survive(world, prepare, lambda backup: is_over(backed, backup), check) >= 2


def test_a_backup_is_restored(world, backed, volume):
    backup = made(world, backed, volume)
    source = backed.data(volume)
    target = world.volume()

    def prepare():
        backed.fill(target, [(5, b"else"), (12 * MIB, b"other")])
        backed.hold_for_restore(backup, target, HOST)

    def over(_):
        return is_over(backed, backup)

    def check(_):
        row = world.suite.row(target)
        assert (row["status"], backed.row(backup)["status"]) == ("available", "available")
        assert backed.data(target) == source
        # What is left to do when the rows are written is the volume service's.
        killing.run(world.life(), lambda: world.claims(target) == {backed.claim(target)})

    assert survive(world, prepare, over, check) > 5
    forget(world, backed, backup)


def test_a_volume_is_filled(world, backed, volume):
    backup = made(world, backed, volume)
    source = backed.data(volume)

    def prepare():
        row, _ = world.suite.new_row(host=f"{world.life().backend.name}#standard")
        backed.db.run(
            lambda conn: backups.change(
                conn, backup, {"status": "restoring", "restore_volume_id": row["id"], "host": HOST}
            )
        )
        return row["id"]

    def check(target):
        row = world.suite.row(target)
        assert (row["status"], backed.row(backup)["status"]) == ("available", "available")
        assert backed.data(target) == source
        assert world.suite.worker(target) is None
        world.delete(target)
        assert world.suite.kube.find(PVC, f"volume-{target}", world.suite.namespace) is None

    assert survive(world, prepare, lambda _: is_over(backed, backup), check) > 4
    forget(world, backed, backup)


def test_streams_of_others_are_left_alone(world, backed, volume):
    purpose = streams.Purpose("volume", volume, None)
    body = PVC.body("someone-reads", world.suite.namespace)
    body["spec"] = {"accessModes": ["ReadWriteOnce"], "volumeMode": "Block"}
    body["spec"]["resources"] = {"requests": {"storage": "1Gi"}}
    body["metadata"]["labels"] = purpose.labels()
    world.kube.create(PVC, body)
    Life(world, Fuse()).work()
    assert world.kube.find(PVC, "someone-reads", world.suite.namespace)
    world.kube.delete(PVC, "someone-reads", world.suite.namespace)
