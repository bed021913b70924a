"""VolumeGroupSnapshots of the simulated cluster: members of one moment, that come and go with their group snapshot."""

import time

import pytest

from keel_common.kube import GROUP_SNAPSHOT, PVC, SNAPSHOT, Kube
from keel_dev.kubesim import KubeSim


@pytest.fixture(scope="module")
def sim():
    with KubeSim(seed=3, speed=50) as found:
        yield found


@pytest.fixture
def kube(sim):
    return Kube(str(sim.kubeconfig))


def claim(kube, name, group):
    spec = {"accessModes": ["ReadWriteOnce"], "volumeMode": "Block", "resources": {"requests": {"storage": "1Gi"}}}
    body = PVC.body(name, "default", spec=spec)
    body["metadata"]["labels"] = {"group": group}
    kube.create(PVC, body)


def group_snapshot(kube, name, group):
    body = GROUP_SNAPSHOT.body(name, "default", spec={"source": {"selector": {"matchLabels": {"group": group}}}})
    kube.create(GROUP_SNAPSHOT, body)


def test_every_chosen_claim_gets_a_snapshot_that_goes_with_the_group(kube):
    for name in ("one", "two"):
        claim(kube, name, "a")
    claim(kube, "other", "b")
    group_snapshot(kube, "cut", "a")
    found = eventually(lambda: _ready(kube, "cut"))
    members = [item for item in kube.list(SNAPSHOT, "default") if _owner(item) == found["metadata"]["uid"]]
    assert {item["spec"]["source"]["persistentVolumeClaimName"] for item in members} == {"one", "two"}
    assert all(item["status"]["readyToUse"] for item in members)
    assert {item["status"]["volumeGroupSnapshotName"] for item in members} == {"cut"}
    kube.delete(SNAPSHOT, members[0]["metadata"]["name"], "default")
    assert kube.find(SNAPSHOT, members[0]["metadata"]["name"], "default"), "a member stays with its group"
    kube.delete(GROUP_SNAPSHOT, "cut", "default")
    eventually(lambda: kube.find(GROUP_SNAPSHOT, "cut", "default") is None)
    assert kube.list(SNAPSHOT, "default") == []


def test_a_selector_without_claims_is_an_error_that_is_told(kube):
    group_snapshot(kube, "nothing", "none")
    found = eventually(lambda: _error(kube, "nothing"))
    assert "no PVC matches" in found
    kube.delete(GROUP_SNAPSHOT, "nothing", "default")
    eventually(lambda: kube.find(GROUP_SNAPSHOT, "nothing", "default") is None)


def eventually(fact):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if found := fact():
            return found
        time.sleep(0.02)
    pytest.fail("did not happen within 20 s")


def _owner(item):
    return (item["metadata"].get("ownerReferences") or [{"uid": None}])[0]["uid"]


def _ready(kube, name):
    found = kube.get(GROUP_SNAPSHOT, name, "default")
    return found if found.get("status", {}).get("readyToUse") else None


def _error(kube, name):
    return kube.get(GROUP_SNAPSHOT, name, "default").get("status", {}).get("error", {}).get("message")
