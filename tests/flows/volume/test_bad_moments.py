"""A cluster that refuses or is away, requests that are lost, deletions that cross other work: every operation ends and
leaves nothing behind."""

import time

import pytest

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import volumes
from keel_common.kube import DATAVOLUME, PVC, SNAPSHOT, names
from keel_volume.csi import claims

from .conftest import MANY


def claim(suite, volume_id):
    return suite.kube.find(PVC, names.claim(volume_id), suite.namespace)


def vanish(suite, volume_id):
    suite.delete(volume_id)
    suite.gone(volume_id)
    assert claim(suite, volume_id) is None
    assert suite.worker(volume_id) is None


@pytest.fixture
def volume(suite):
    # Bound at once: a claim that waits for a pod cannot grow before.
    found = suite.create(kind=suite.kind(pool_name="standard"))
    suite.reach(found, "available")
    return found


@pytest.fixture(autouse=True)
def no_drift(suite):
    yield
    assert suite.drift() == ({}, [])


# Moments in which the cluster cannot answer


def test_a_creation_waits_for_a_webhook_that_is_down(suite):
    with suite.failing(code=500, verb="patch", resource="persistentvolumeclaims"):
        volume = suite.create()
        suite.until(lambda: _asked(suite), "the claim was refused once")
    suite.reach(volume, "available")
    vanish(suite, volume)


def test_a_creation_the_cluster_never_takes_is_an_error_and_leaves_nothing(suite):
    with suite.failing(code=403, verb="patch", resource="persistentvolumeclaims", message="exceeded quota"):
        volume = suite.create()
        row = suite.reach(volume, "error")
    assert claim(suite, volume) is None
    assert suite.worker(volume) is None
    assert suite.until(lambda: suite.messages(volume), "a message")
    if row["host"]:
        vanish(suite, volume)
    else:
        suite.db.run(_destroy, row)


def test_deletions_outlast_a_bad_moment(suite, volume):
    cut = suite.snapshot(volume)
    suite.snapshot_reach(cut, "available")
    with suite.failing(code=500, verb="delete"):
        suite.delete_snapshot(cut)
        suite.until(lambda: _asked(suite), "the deletion was refused once")
    suite.until(lambda: suite.db.read(rows.snapshot, cut) is None, "the snapshot is gone")
    with suite.failing(code=500, verb="delete"):
        suite.delete(volume)
        suite.until(lambda: _asked(suite), "the deletion was refused once")
        assert suite.row(volume)["status"] == "deleting"
    suite.gone(volume)
    assert claim(suite, volume) is None


def test_a_snapshot_waits_for_a_bad_moment(suite, volume):
    with suite.failing(code=500, verb="create", resource="volumesnapshots", count=2):
        cut = suite.snapshot(volume)
        suite.snapshot_reach(cut, "available")


def test_a_volume_that_cannot_grow_stays_as_it_was(suite):
    volume = suite.create(kind=suite.kind(pool_name="fixed"))  # The pool's name is one of its capabilities.
    suite.reach(volume, "available")
    suite.extend(volume, 2)
    row = suite.reach(volume, "available")
    assert (row["size"], row["previous_status"]) == (1, None)
    assert len(suite.until(lambda: suite.messages(volume), "a message")) == 1
    vanish(suite, volume)


def test_a_claim_that_does_not_grow_is_an_error_after_the_deadline(suite, volume):
    knobs = suite.sim.cluster.knobs
    knobs.set_behaviour("provisioners", "*", {"expansion": "stalls"})
    try:
        suite.extend(volume, 2)
        assert suite.reach(volume, "error_extending")["size"] == 1
    finally:
        knobs.set_behaviour("provisioners", "*", {"expansion": "works"})
    suite.until(lambda: not _mark(suite, volume), "the mark is gone")
    vanish(suite, volume)


# Requests that were lost with a process


def test_a_creation_that_reached_nobody_ends_in_error(suite):
    row, _ = suite.new_row()
    suite.set_status(row["id"], host="host1@cluster#standard")
    suite.reach(row["id"], "error")
    assert suite.worker(row["id"]) is None
    vanish(suite, row["id"])


def test_an_extension_that_reached_nobody_is_undone_with_its_promises(suite, volume):
    suite.promise(volume, 5)
    row = suite.reach(volume, "available")
    assert row["size"] == 1
    suite.extend(volume, 2)
    suite.until(lambda: suite.row(volume)["size"] == 2, "it grows when asked again")


def test_a_snapshot_that_reached_nobody_is_taken_later(suite, volume):
    cut = suite.snapshot(volume, tell=False)
    suite.snapshot_reach(cut, "available")


def test_the_mark_of_an_extension_that_an_operator_ended_goes_with_its_promises(suite, volume):
    knobs = suite.sim.cluster.knobs
    knobs.set_behaviour("provisioners", "*", {"expansion": "stalls"})
    try:
        suite.extend(volume, 2)
        suite.until(lambda: _mark(suite, volume), "the claim is marked")
        suite.set_status(volume, status="available")
    finally:
        knobs.set_behaviour("provisioners", "*", {"expansion": "works"})
    suite.until(lambda: not _mark(suite, volume), "the mark is gone")


def test_a_request_for_a_volume_that_is_deleted_makes_nothing(suite):
    row, kind = suite.new_row()
    suite.set_status(row["id"], host="host1@cluster#standard")
    full = suite.full(row["id"])
    suite.db.run(_destroy, suite.row(row["id"]))
    suite.volume_service.send(
        suite.context,
        "create_volume",
        server="host1@cluster",
        volume=full,
        request_spec=None,
        filter_properties={},
        allow_reschedule=False,
    )
    suite.until(lambda: suite.worker(row["id"]) is None, "nobody works on it")
    assert claim(suite, row["id"]) is None


def test_what_is_left_of_deleted_rows_is_taken_away_and_what_is_strange_stays(suite):
    row, _ = suite.new_row()
    suite.set_status(row["id"], host="host1@cluster#standard")
    found = suite.row(row["id"])
    suite.db.run(_destroy, found)
    suite.db.run(rows.workers.remove, "Volume", row["id"])
    strange = {**found, "id": "00000000-0000-4000-8000-000000000001"}
    for one in (strange, found):
        suite.kube.create(PVC, claims.claim(one, suite.namespace, "ReadWriteMany"))
    suite.until(lambda: claim(suite, row["id"]) is None, "the leftover is gone")
    assert claim(suite, strange["id"]) is not None
    suite.kube.delete(PVC, names.claim(strange["id"]), suite.namespace)


# Work that crosses a deletion


def test_a_cascade_takes_snapshots_and_their_quota(suite, volume):
    cuts = [suite.snapshot(volume) for _ in range(3)]
    for cut in cuts:
        suite.snapshot_reach(cut, "available")
    for cut in cuts:
        suite.set_snapshot(cut, status="deleting")
    vanish(suite, volume)
    for cut in cuts:
        assert suite.kube.find(SNAPSHOT, names.snapshot(cut), suite.namespace) is None


def test_a_source_is_deleted_after_its_copies_are_made(suite, volume):
    knobs = suite.sim.cluster.knobs
    knobs.paused.add("*")
    try:
        copy = suite.create(source_volid=volume)
        suite.until(lambda: _is_asked_for(suite, copy), "the copy is asked for")
        suite.delete(volume)
        time.sleep(0.5)
        assert not claim(suite, volume)["metadata"].get("deletionTimestamp")
    finally:
        knobs.paused.clear()
        suite.sim.cluster.engine.poke()
    suite.reach(copy, "available")
    suite.gone(volume)


def test_a_detach_does_not_bring_a_deleted_or_growing_volume_back(suite, volume):
    for status in ("deleting", "extending", "creating", "error_deleting"):
        assert suite.db.run(_detached, volume, status) == status


def _detached(conn, volume_id, status):
    from_table = volumes.TABLES["volumes"]
    conn.execute(from_table.update().where(from_table.c.id == volume_id).values(status=status))
    row = volumes.lock(conn, volume_id)
    volumes.attachments.finish_detach(conn, row, None)
    seen = volumes.get(conn, volume_id)["status"]
    conn.execute(from_table.update().where(from_table.c.id == volume_id).values(status="available"))
    return seen


def _destroy(conn, row):
    rows.workers.remove(conn, "Volume", row["id"])
    rows.quotas.give_back(
        conn, rows.quotas.Settings({}), row["project_id"], rows.rules.delete_volume(row["size"], row["type_name"])
    )
    volumes.destroy(conn, row["id"])


def _is_asked_for(suite, volume_id):
    """By a claim, or, where claims wait for a pod, by a DataVolume."""
    return any(suite.kube.find(kind, names.claim(volume_id), suite.namespace) for kind in (PVC, DATAVOLUME))


def _asked(suite):
    return any(rule.count < MANY for rule in suite.sim.cluster.knobs.failures)


def _mark(suite, volume_id):
    return (claim(suite, volume_id)["metadata"].get("annotations") or {}).get(claims.EXTEND)
