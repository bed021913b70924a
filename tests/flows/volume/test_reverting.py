"""Back to the latest snapshot: a claim made of it takes the place of the volume's own, whoever dies meanwhile."""

import pytest

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import snapshots
from keel_common.kube import PVC, names
from keel_common.wire import cinder as wire

from . import killing
from .conftest import BACKEND, CONNECTOR


@pytest.fixture(scope="module")
def volume(world):
    return world.volume()


@pytest.fixture(scope="module")
def cut(world, volume):
    return world.snapshot(volume)


def ask(world, volume, cut):
    """What the API writes."""
    world.suite.set_status(volume, status="reverting")
    world.suite.set_snapshot(cut, status="restoring")


def tell(world, endpoint, volume, cut):
    snapshot = wire.snapshot(world.db.read(snapshots.show, cut))
    endpoint.revert_to_snapshot(world.suite.context, world.suite.full(volume), snapshot)


def is_over(world, volume):
    return world.suite.row(volume)["status"] in ("available", "error") and world.is_settled(volume)


def put_back(world, volume, cut):
    ask(world, volume, cut)
    life = world.life()
    tell(world, life.endpoint, volume, cut)
    killing.run(life, lambda: is_over(world, volume))
    return world.suite.row(volume)


def status_of(world, cut):
    return world.db.read(rows.snapshot, cut)["status"]


def test_a_volume_is_put_back_on_a_claim_made_of_the_snapshot(world, volume, cut):
    before = world.claims(volume)
    row = put_back(world, volume, cut)
    assert (row["status"], status_of(world, cut)) == ("available", "available")
    held = world.claims(volume)
    assert held == {row["provider_location"]} != before
    source = world.kube.get(PVC, row["provider_location"], world.suite.namespace)["spec"]["dataSource"]
    assert (source["kind"], source["name"]) == ("VolumeSnapshot", names.snapshot(cut))


def test_where_claims_wait_for_a_pod_it_is_filled_at_once(world):
    volume = world.volume()
    cut = world.snapshot(volume)
    world.suite.set_status(volume, host=f"{BACKEND}#late")
    row = put_back(world, volume, cut)
    assert row["status"] == "available"
    assert world.kube.get(PVC, row["provider_location"], world.suite.namespace)["status"]["phase"] == "Bound"
    world.delete(volume)


def test_everything_that_names_the_claim_names_the_new_one(world, volume, cut):
    row = put_back(world, volume, cut)
    info = world.life().endpoint.initialize_connection(world.suite.context, world.suite.full(volume), CONNECTOR)
    assert info["data"]["claim_name"] == row["provider_location"]
    copy = world.volume(source_volid=volume)
    source = world.kube.get(PVC, names.claim(copy), world.suite.namespace)["spec"]["dataSource"]
    assert source["name"] == row["provider_location"]
    world.delete(copy)
    assert status_of(world, world.snapshot(volume)) == "available"


def test_a_snapshot_that_cannot_be_used_leaves_the_volume_in_error_and_its_claim_as_it_was(world):
    volume = world.volume()
    cut = world.snapshot(volume)
    knobs = world.suite.sim.cluster.knobs
    knobs.set_behaviour("provisioners", "*", {"outcome": "fails"})
    try:
        row = put_back(world, volume, cut)
    finally:
        knobs.set_behaviour("provisioners", "*", {"outcome": "works"})
    assert (row["status"], status_of(world, cut), row["provider_location"]) == ("error", "available", None)
    assert world.claims(volume) == {names.claim(volume)}
    world.suite.set_status(volume, status="available")
    assert put_back(world, volume, cut)["status"] == "available"


def test_a_deletion_in_the_middle_leaves_nothing(world):
    volume = world.volume()
    cut = world.snapshot(volume)
    ask(world, volume, cut)
    life = world.life()
    life.work()
    assert len(world.claims(volume)) == 2
    world.delete(volume)
    assert world.claims(volume) == set()


def test_it_ends_well_whenever_the_process_is_killed(world, volume, cut):
    def prepare():
        ask(world, volume, cut)
        return world.claims(volume)

    def check(before):
        row = world.suite.row(volume)
        assert (row["status"], status_of(world, cut)) == ("available", "available")
        assert world.claims(volume) == {row["provider_location"]} != before

    writes = killing.survive(
        world,
        BACKEND,
        prepare,
        lambda endpoint, case: tell(world, endpoint, volume, cut),
        lambda case: is_over(world, volume),
        check,
    )
    assert writes >= 4
