"""Images that were imported before are cloned: one import a pool, room kept, stale and broken entries given up."""

from datetime import datetime

import pytest

from keel_common.db.stores.cinder import image_cache
from keel_common.kube import DATAVOLUME, PVC
from keel_volume.csi import naming

from . import killing
from .conftest import World, made_suite

TENANT = "1" * 32
SETTINGS = f"""
[DEFAULT]
cinder_internal_tenant_project_id = {TENANT}
cinder_internal_tenant_user_id = cinder
[cluster]
image_volume_cache_enabled = true
image_volume_cache_max_count = 2
image_volume_cache_max_size_gb = 5
"""
OLD = datetime(2020, 1, 1)
HOST = "host1@cluster#standard"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    with made_suite(tmp_path_factory.mktemp("volume-cache"), SETTINGS) as found:
        found.start()
        yield found
        found.stop()


@pytest.fixture
def kind(suite):
    return suite.kind(pool_name="standard")


@pytest.fixture(autouse=True)
def empty(suite):
    yield
    for one in entries(suite):
        suite.db.run(image_cache.evict, one)
    suite.until(lambda: entries(suite) == [], "the cache is empty")


def entries(suite):
    return suite.db.read(image_cache.entries, HOST)


def image(suite, data=b"image", updated="2026-01-01T00:00:00Z", **more):
    return suite.images.add(data, updated_at=updated, **more)


def volume(suite, kind, image, size=1):
    made = suite.create(size=size, image_id=image, kind=kind)
    return suite.reach(made, "available")


def is_imported(suite, row):
    return suite.kube.find(DATAVOLUME, naming.claim(row), suite.namespace) is not None


def content(suite, row):
    return suite.sim.read(naming.claim(row), 0, 5, suite.namespace)


def test_the_first_volume_is_imported_and_later_ones_are_clones(suite, kind):
    wanted = image(suite, hw_x="1")
    first, second = volume(suite, kind, wanted), volume(suite, kind, wanted, size=2)
    assert (is_imported(suite, first), is_imported(suite, second)) == (True, False)
    assert content(suite, first) == content(suite, second) == b"image"
    facts = suite.image_facts(second["id"])
    assert (facts["image_id"], facts["hw_x"], second["bootable"], second["size"]) == (wanted, "1", True, 2)
    assert second["source_volid"] is None
    (kept,) = entries(suite)
    cached = suite.row(kept["volume_id"])
    assert (cached["display_name"], cached["project_id"]) == (f"image-{wanted}", TENANT)
    assert (kept["image_id"], kept["size"], cached["source_volid"]) == (wanted, 1, first["id"])
    found = suite.kube.get(PVC, naming.claim(second), suite.namespace)["spec"]["dataSource"]
    assert found == {"kind": "PersistentVolumeClaim", "name": naming.claim(cached)}
    assert suite.drift() == ({}, [])


def test_the_copy_for_the_cache_is_taken_before_anybody_writes(suite, kind):
    wanted = image(suite)
    first = volume(suite, kind, wanted)
    suite.sim.write(naming.claim(first), 0, b"wrote", suite.namespace)
    assert content(suite, volume(suite, kind, wanted)) == b"image"


def test_an_image_that_has_changed_is_imported_again(suite, kind):
    wanted = image(suite)
    volume(suite, kind, wanted)
    old = entries(suite)[0]["volume_id"]
    suite.images.fill(wanted, b"other", updated_at="2026-02-02T00:00:00Z")
    assert content(suite, volume(suite, kind, wanted)) == b"other"
    suite.gone(old)
    assert len(entries(suite)) == 1


def test_the_longest_unused_makes_room(suite, kind):
    first, second, third = (image(suite, name.encode()) for name in ("one__", "two__", "three"))
    for one in (first, second):
        volume(suite, kind, one)
    table = image_cache.ENTRIES
    suite.db.run(lambda conn: conn.execute(table.update().where(table.c.image_id == first).values(last_used=OLD)))
    volume(suite, kind, third)
    assert {one["image_id"] for one in entries(suite)} == {second, third}


def test_what_is_too_large_is_not_kept(suite, kind):
    volume(suite, kind, image(suite), size=6)
    assert entries(suite) == []


def test_a_smaller_volume_takes_the_place_of_a_larger_one(suite, kind):
    wanted = image(suite)
    volume(suite, kind, wanted, size=3)
    small = volume(suite, kind, wanted, size=1)
    assert is_imported(suite, small)
    assert [one["size"] for one in entries(suite)] == [1]


def test_a_clone_for_the_cache_that_fails_costs_the_user_nothing(suite, kind):
    wanted = image(suite)
    made = suite.create(image_id=wanted, kind=kind)
    filling = suite.until(lambda: next((one for one in entries(suite) if one["status"] == "creating"), None), "a clone")
    suite.set_status(filling["volume_id"], status="error")
    row = suite.reach(made, "available")
    assert content(suite, row) == b"image"


def test_a_cached_volume_that_is_deleted_leaves_the_cache(suite, kind):
    wanted = image(suite)
    volume(suite, kind, wanted)
    suite.delete(entries(suite)[0]["volume_id"])
    suite.until(lambda: entries(suite) == [], "the entry is gone")
    assert is_imported(suite, volume(suite, kind, wanted))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with made_suite(tmp_path_factory.mktemp("volume-cache-lives"), SETTINGS) as found:
        made = World(found)
        yield made
        made.stop()


def test_a_first_volume_and_its_cached_one_survive_a_death_at_every_write(world):
    suite, number = world.suite, iter(range(1000))

    def prepare():
        wanted = image(suite, f"{next(number):05}".encode())
        row, _ = suite.new_row(host=HOST)
        return row["id"], wanted

    def tell(endpoint, case):
        endpoint.create_volume(suite.context, suite.full(case[0]), {"image_id": case[1]}, {}, False)

    def over(case):
        return suite.row(case[0])["status"] in ("available", "error") and not pending(suite)

    def check(case):
        row = suite.row(case[0])
        kept = [one for one in entries(suite) if one["image_id"] == case[1]]
        if row["status"] == "available":
            assert content(suite, row) == suite.images.data[case[1]]
        else:  # Nobody knows of it: the request died with the process.
            assert suite.messages(row["id"]) and kept == []
        for one in kept:
            assert suite.sim.read(naming.claim(suite.row(one["volume_id"])), 0, 5, suite.namespace) == content(
                suite, row
            )
        assert suite.worker(row["id"]) is None
        assert suite.drift() == ({}, [])

    assert killing.survive(world, "host1@cluster", prepare, tell, over, check) >= 8


def pending(suite):
    return [one for one in entries(suite) if one["status"] not in ("available", None)]
