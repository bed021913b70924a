"""Volumes on claims: each operation from its message to its end, with the cluster's side."""

import pytest

from keel_common.kube import POD, PVC, SNAPSHOT, names
from keel_contract.errors import RemoteFault

from .conftest import CONNECTOR


def claim(suite, volume_id):
    return suite.kube.find(PVC, names.claim(volume_id), suite.namespace)


@pytest.fixture
def volume(suite):
    # Bound at once: a claim that waits for a pod cannot grow before.
    found = suite.create(kind=suite.kind(pool_name="standard"))
    suite.reach(found, "available")
    return found


def test_an_empty_volume_is_a_bound_claim(suite):
    volume = suite.create(size=2)
    row = suite.reach(volume, "available")
    assert row["host"].startswith("host1@cluster#")
    assert row["launched_at"] is not None
    found = claim(suite, volume)
    assert found["spec"]["resources"]["requests"]["storage"] == "2Gi"
    assert found["spec"]["volumeMode"] == "Block"
    assert found["spec"]["storageClassName"] == row["host"].partition("#")[2]
    assert found["metadata"]["labels"][names.VOLUME] == volume


def test_a_deleted_volume_leaves_nothing(suite, volume):
    suite.delete(volume)
    suite.gone(volume)
    assert claim(suite, volume) is None


def test_a_snapshot_and_a_volume_from_it(suite, volume):
    cut = suite.snapshot(volume)
    assert suite.snapshot_reach(cut, "available")["progress"] == "100%"
    copy = suite.create(snapshot_id=cut)
    suite.reach(copy, "available")
    assert claim(suite, copy)["spec"]["dataSource"]["name"] == names.snapshot(cut)
    assert suite.kube.get(SNAPSHOT, names.snapshot(cut), suite.namespace)["status"]["readyToUse"] is True


def test_a_clone(suite, volume):
    copy = suite.create(source_volid=volume)
    suite.reach(copy, "available")
    assert claim(suite, copy)["spec"]["dataSource"]["name"] == names.claim(volume)


def test_growing_a_volume(suite, volume):
    suite.extend(volume, 3)
    assert suite.reach(volume, "available")["size"] == 3
    suite.until(
        lambda: not claim(suite, volume)["metadata"].get("annotations", {}).get("openstack.org/extend"),
        "the mark of the extension is gone",
    )
    assert claim(suite, volume)["status"]["capacity"]["storage"] == "3Gi"


def test_a_volume_no_pool_takes_is_an_error_with_a_message(suite):
    volume = suite.create(kind=suite.kind(multiattach="<is> False"))
    suite.reach(volume, "error")
    assert suite.until(lambda: suite.messages(volume), "a message") == ["VOLUME_VOLUME_001_003"]


def test_a_claim_that_is_never_bound_is_an_error_after_the_deadline(suite):
    knobs = suite.sim.cluster.knobs
    knobs.set_behaviour("provisioners", "*", {"outcome": "fails"})
    try:
        volume = suite.create()
        suite.reach(volume, "error")
    finally:
        knobs.set_behaviour("provisioners", "*", {"outcome": "works"})
    # The message follows the status.
    assert suite.until(lambda: suite.messages(volume), "a message") == ["VOLUME_VOLUME_008_012"]
    suite.delete(volume)
    suite.gone(volume)
    assert claim(suite, volume) is None


def test_connecting_gives_what_a_kubevirt_consumer_needs(suite, volume):
    info = suite.connect(volume, CONNECTOR)
    assert info["driver_volume_type"] == "csi"
    assert info["data"]["claim_name"] == names.claim(volume)
    assert info["data"]["access_mode"] == "rw"
    assert info["data"]["encrypted"] is False


@pytest.mark.parametrize("change", [{"cluster": "other"}, {"namespace": "other"}, {"platform": "x86_64"}])
def test_a_consumer_that_cannot_use_a_claim_is_refused_by_name(suite, volume, change):
    with pytest.raises(RemoteFault) as refusal:
        suite.connect(volume, CONNECTOR | change)
    assert refusal.value.class_name == "InvalidInput"
    (key,) = change
    assert key in refusal.value.message


def test_a_restart_in_the_middle_goes_on_where_it_was(suite):
    knobs = suite.sim.cluster.knobs
    knobs.paused.add("*")
    try:
        volume = suite.create()
        suite.until(lambda: claim(suite, volume), "the claim is applied")
        suite.stop()
    finally:
        knobs.paused.clear()
        suite.sim.cluster.engine.poke()
    suite.start()
    suite.reach(volume, "available")


def test_the_pools_are_the_storage_classes(suite):
    pools = {pool["name"]: pool["capabilities"] for pool in suite.scheduler.send(suite.context, "get_pools")}
    assert set(pools) >= {"host1@cluster#standard", "host1@cluster#fixed", "host1@cluster#late"}
    assert pools["host1@cluster#standard"]["online_extend_support"] is True
    assert pools["host1@cluster#fixed"]["online_extend_support"] is False


def test_copies_are_filled_at_once_where_claims_wait_for_a_pod(suite):
    late = suite.kind(pool_name="late")
    volume = suite.create(kind=late)
    suite.reach(volume, "available")
    assert claim(suite, volume)["status"]["phase"] == "Pending"
    _use(suite, volume)
    cut = suite.snapshot(volume)
    suite.snapshot_reach(cut, "available")
    for copy in (suite.create(kind=late, source_volid=volume), suite.create(kind=late, snapshot_id=cut)):
        row = suite.reach(copy, "available")
        assert claim(suite, copy)["status"]["phase"] == "Bound"
        assert not row["bootable"]
        suite.delete(copy)
        suite.gone(copy)
        assert claim(suite, copy) is None


def _use(suite, volume_id):
    """A pod lands on a node, so that the claim is bound."""
    name = f"user-{volume_id}"
    spec = {
        "containers": [{"name": "c", "image": "i", "volumeDevices": [{"name": "v", "devicePath": "/dev/v"}]}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": names.claim(volume_id)}}],
    }
    suite.kube.create(POD, POD.body(name, suite.namespace, spec=spec))
    suite.until(lambda: claim(suite, volume_id)["status"]["phase"] == "Bound", "the claim is bound")
    suite.kube.delete(POD, name, suite.namespace)
