"""Backups of volumes: the bytes come back, what is held is let go, and what cannot be done ends and leaves nothing."""

import time

import pytest
import sqlalchemy as sa

from keel_common.db.stores.cinder import backups, metadata, services, volumes
from keel_common.kube import EXPORT, PVC, SNAPSHOT, names
from keel_common.runtime import Process
from keel_common.wire.backup import backup as on_wire
from keel_contract.cinder import interfaces
from keel_contract.errors import RemoteFault
from keel_volume.backup import format
from keel_volume.backup import main as backup_service
from keel_volume.backup.store import open_store
from keel_volume.csi import streams

from .backing_up import MIB, PATTERN, SMALL, Backed, options
from .conftest import PROJECT, World, made_suite
from .test_streams import use


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("backups")
    with made_suite(folder) as found:
        for name, value in options(folder).items():
            found.conf.set_override(name, value)
        found.start()
        process = Process(backup_service.parts(found.conf))
        process.start()
        found.folder = folder
        yield found
        process.stop(time.monotonic() + 10)
        found.stop()


@pytest.fixture(scope="module")
def backed(suite):
    found = Backed(suite, suite.folder, suite._bus.client(interfaces.BACKUP))
    suite.until(lambda: _is_up(suite), "the backup service is up")
    return found


def _is_up(suite):
    rows = suite.db.read(services.listing, "cinder-backup")
    return any(services.is_up(row, 60) for row in rows)


@pytest.fixture
def volume(suite, backed):
    found = suite.create(kind=suite.kind(pool_name="standard"))
    suite.reach(found, "available")
    World.shrink(_Shrinking(suite), backed.claim(found), SMALL)
    backed.fill(found)
    return found


class _Shrinking:
    def __init__(self, suite):
        self.suite = suite


@pytest.fixture(autouse=True)
def nothing_left(suite, backed):
    yield
    assert suite.drift() == ({}, [])
    for kind in (EXPORT, SNAPSHOT, PVC):
        left = suite.kube.list(kind, suite.namespace, {streams.STREAM: None})
        assert [item["metadata"]["name"] for item in left] == []


def empty(suite, size=1):
    found = suite.create(kind=suite.kind(pool_name="standard"), size=size)
    suite.reach(found, "available")
    return found


def test_a_backup_goes_into_another_volume_and_into_its_own(suite, backed, volume):
    backup = backed.create(volume)
    row = backed.reach(backup, "available")
    assert (row["service"], row["host"], row["size"]) == ("openkeel.posix", "host1", 1)
    assert row["object_count"] == len([path for path in backed.stored(backup) if "/chunks/" in str(path)]) == 3
    assert suite.row(volume)["status"] == "available"
    assert suite.row(volume)["previous_status"] == "backing-up"

    other = empty(suite)
    backed.restore(backup, other)
    backed.reach(backup, "available")
    suite.reach(other, "available")
    assert backed.data(other) == backed.data(volume)
    assert suite.db.read(volumes.show, other)["metadata"]["src_backup_id"] == backup

    before = backed.data(volume)
    backed.fill(volume, [(5, b"something else"), (12 * MIB, b"x" * MIB)])
    backed.restore(backup, volume)
    suite.reach(volume, "available")
    backed.reach(backup, "available")
    assert backed.data(volume) == before
    suite.until(lambda: not suite.kube.find(PVC, names.claim(volume), suite.namespace), "the first claim is gone")

    backed.delete(backup)
    backed.gone(backup)
    assert backed.stored(backup) == []


def test_an_increment_of_a_volume_in_use(suite, backed, volume):
    full = backed.create(volume)
    backed.reach(full, "available")
    use(_Kube(suite), backed.claim(volume), "guest-increment")
    suite.set_status(volume, status="in-use")
    backed.fill(volume, [(9 * MIB, b"changed by the guest")])
    increment = backed.create(volume, incremental=True)
    row = backed.reach(increment, "available")
    assert (row["parent_id"], row["object_count"]) == (full, 1)
    assert backed.row(full)["num_dependent_backups"] == 1
    assert suite.row(volume)["status"] == "in-use"
    other = empty(suite)
    backed.restore(increment, other)
    suite.reach(other, "available")
    backed.reach(increment, "available")
    assert backed.data(other) == backed.data(volume)

    backed.delete(full, force=True)  # The API refuses it: this is what comes of a race.
    assert "build on it" in backed.reach(full, "error")["fail_reason"]
    backed.delete(increment)
    backed.gone(increment)
    assert backed.row(full)["num_dependent_backups"] == 0
    backed.delete(full)
    backed.gone(full)
    assert backed.stored(full) == backed.stored(increment) == []


def test_a_backup_of_a_snapshot_is_of_its_moment(suite, backed, volume):
    cut = suite.snapshot(volume)
    suite.snapshot_reach(cut, "available")
    before = backed.data(volume)
    backed.fill(volume, [(0, b"after the snapshot")])
    backup = backed.create(volume, snapshot=cut)
    backed.reach(backup, "available")
    assert backed.snapshot_status(cut) == "available"
    other = empty(suite)
    backed.restore(backup, other)
    suite.reach(other, "available")
    backed.reach(backup, "available")
    assert backed.data(other) == before
    backed.delete(backup)
    backed.gone(backup)


def test_a_volume_is_made_from_a_backup(suite, backed, volume):
    suite.db.run(lambda conn: _bootable(conn, volume))
    backup = backed.create(volume)
    backed.reach(backup, "available")
    made = suite.create(kind=suite.kind(pool_name="standard"), size=2, backup_id=backup)
    row = suite.reach(made, "available")
    backed.reach(backup, "available")
    assert row["launched_at"]
    assert row["bootable"]
    assert suite.image_facts(made) == {"image_id": "i", "min_ram": "7"}
    assert backed.data(made) == backed.data(volume)
    assert suite.worker(made) is None
    backed.delete(backup)
    backed.gone(backup)


def _bootable(conn, volume):
    volumes.change(conn, volume, {"bootable": True})
    metadata.merge(conn, metadata.IMAGE, volume, {"image_id": "i", "min_ram": "7"})


def test_a_volume_is_not_made_from_a_backup_that_is_gone(suite, backed, volume):
    backup = backed.create(volume)
    backed.reach(backup, "available")
    backed.delete(backup)
    backed.gone(backup)
    made = suite.create(kind=suite.kind(pool_name="standard"), backup_id=backup)
    suite.reach(made, "error")
    suite.delete(made)
    suite.gone(made)


def test_a_damaged_backup_leaves_the_volume_with_the_data_it_had(suite, backed, volume):
    backup = backed.create(volume)
    backed.reach(backup, "available")
    chunk = next(path for path in backed.stored(backup) if "/chunks/" in str(path))
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    before = backed.data(volume)
    backed.fill(volume, [(0, b"newer")])
    backed.restore(backup, volume)
    suite.reach(volume, "error_restoring")
    backed.reach(backup, "available")
    assert suite.messages(backup)
    assert backed.data(volume)[:5] == b"newer"
    assert backed.data(volume)[5:] == before[5:]
    suite.set_status(volume, status="available")
    chunk.write_bytes(whole)
    backed.restore(backup, volume)
    suite.reach(volume, "available")
    backed.reach(backup, "available")
    assert backed.data(volume) == before
    backed.delete(backup)
    backed.gone(backup)


def test_a_smaller_volume_takes_no_backup_that_holds_more(suite, backed):
    large = empty(suite, size=2)
    backed.fill(large, [(2**30 + 5, b"behind the first GiB")])
    backup = backed.create(large)
    backed.reach(backup, "available")
    small = empty(suite)
    backed.restore(backup, small)
    suite.reach(small, "error_restoring")
    backed.reach(backup, "available")
    backed.delete(backup)
    backed.gone(backup)


def test_a_record_comes_back_as_a_backup(suite, backed, volume):
    backup = backed.create(volume)
    row = backed.reach(backup, "available")
    record = backed.send("export_record", backup)
    assert record["backup_service"] == "openkeel.posix"
    suite.db.run(lambda conn: backups.destroy(conn, backup))
    values = {**row, "status": "creating", "volume_id": "0" * 8 + "-0000-0000-0000-" + "0" * 12}
    for column in ("service", "service_metadata", "object_count", "deleted", "deleted_at", "container"):
        values[column] = None if column != "deleted" else False
    suite.db.run(backups.revive, backup, {**values, "host": "host1"})
    full = suite.db.read(backups.show, backup)
    args = {"backup_service": record["backup_service"], "backup_url": record["backup_url"], "backup_hosts": []}
    backed.client.send(suite.context, "import_record", server="host1", backup=on_wire(full), **args)
    again = backed.reach(backup, "available")
    assert (again["volume_id"], again["service_metadata"]) == (volume, row["service_metadata"])
    other = empty(suite)
    backed.restore(backup, other)
    suite.reach(other, "available")
    assert backed.data(other) == backed.data(volume)
    backed.reach(backup, "available")
    backed.delete(backup)
    backed.gone(backup)


@pytest.mark.parametrize("service", ["cinder.backup.drivers.swift.SwiftBackupDriver", "openkeel.posix"])
def test_a_record_of_another_store_or_of_nothing_is_an_error(suite, backed, volume, service):
    def write(conn):
        values = {"volume_id": "00000000-0000-0000-0000-000000000000", "status": "creating", "size": 1}
        return backups.create(conn, {**values, "project_id": PROJECT, "user_id": "u", "host": "host1"})

    row = suite.db.run(write)
    url = "eyJpZCI6ICJ4In0="
    args = {"backup_service": service, "backup_url": url, "backup_hosts": []}
    backed.client.send(suite.context, "import_record", server="host1", backup=on_wire(row), **args)
    assert backed.reach(row["id"], "error")["fail_reason"]
    suite.db.run(lambda conn: backups.destroy(conn, row["id"]))


def test_a_lost_record_ends(suite, backed):
    def write(conn):
        values = {"volume_id": "00000000-0000-0000-0000-000000000000", "status": "creating", "size": 1}
        return backups.create(conn, {**values, "project_id": PROJECT, "user_id": "u", "host": "host1"})

    row = suite.db.run(write)
    backed.reach(row["id"], "error")
    suite.db.run(lambda conn: backups.destroy(conn, row["id"]))


def test_a_backup_nobody_can_make_is_an_error_and_the_source_as_before(suite, backed, volume):
    backup = backed.create(volume, availability_zone="nowhere")
    row = backed.reach(backup, "error")
    assert "nowhere" in row["fail_reason"]
    assert suite.row(volume)["status"] == "available"
    assert suite.messages(backup)
    cut = suite.snapshot(volume)
    suite.snapshot_reach(cut, "available")
    other = backed.create(volume, snapshot=cut, availability_zone="nowhere")
    backed.reach(other, "error")
    assert backed.snapshot_status(cut) == "available"
    for one in (backup, other):
        suite.db.run(lambda conn, one=one: conn.execute(_host(one)))
        backed.delete(one)
        backed.gone(one)


def _host(backup):
    table = backups.TABLES["backups"]
    return sa.update(table).where(table.c.id == backup).values(host="host1")


def test_a_container_that_leads_out_of_the_store_is_refused(suite, backed, volume):
    backup = backed.create(volume, container="../../etc")
    assert "container" in backed.reach(backup, "error")["fail_reason"]
    assert suite.row(volume)["status"] == "available"
    assert suite.row(volume)["previous_status"] == "error_backing-up"
    backed.delete(backup)
    backed.gone(backup)


def test_a_status_is_reset_to_what_is_true(suite, backed, volume):
    backup = backed.create(volume)
    backed.reach(backup, "available")
    backed.send("reset_status", backup, status="error")
    backed.reach(backup, "error")
    backed.send("reset_status", backup, status="available")
    suite.until(lambda: backed.row(backup)["status"] == "available", "it is available again")
    store = open_store(suite.conf)
    where = backed.row(backup)["service_metadata"]
    index = store.get(f"{where}/index")
    store.drop(f"{where}/index")
    backed.send("reset_status", backup, status="error")
    backed.reach(backup, "error")
    backed.send("reset_status", backup, status="available")
    time.sleep(0.3)
    assert backed.row(backup)["status"] == "error", "it is not there"
    store.put(f"{where}/index", index)
    with pytest.raises(RemoteFault):
        backed.send("export_record", backup)
    backed.delete(backup)
    backed.gone(backup)


def test_a_forced_deletion_stops_a_backup_that_is_being_made(suite, backed):
    volume = empty(suite, size=3)
    backup = backed.create(volume)
    suite.until(lambda: backed.row(backup)["service_metadata"], "it has begun")
    assert backed.client.send(suite.context, "check_support_to_force_delete", server="host1") is True
    backed.delete(backup, force=True)
    backed.gone(backup)
    suite.reach(volume, "available")
    suite.until(lambda: not suite.kube.list(EXPORT, suite.namespace), "nothing is read any more")
    assert backed.stored(backup) == []


class _Kube:
    """What `use` needs of a world."""

    def __init__(self, suite):
        self.suite, self.kube = suite, suite.kube


def test_the_pattern_is_sparse():
    assert sum(len(data) for _, data in PATTERN) < 2 * MIB
    assert format.VERSION == 1
