"""PersistentVolumeClaims, their volumes, growth, protection; and snapshots of them."""

from __future__ import annotations

import pytest

PVC, PV = "persistentvolumeclaims", "persistentvolumes"


def bound(client, claim: dict) -> dict:
    client.made(PVC, claim)
    return client.wait_phase(PVC, claim["metadata"]["name"], "Bound")


def test_a_claim_is_pending_first_and_bound_a_moment_later(client, claim):
    made = client.made(PVC, claim(storage_class=None))
    assert made["status"] == {"phase": "Pending"}
    assert made["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert made["spec"]["storageClassName"] == "standard" and "volumeName" not in made["spec"]
    found = client.wait_phase(PVC, "claim1", "Bound")
    assert found["spec"]["volumeName"] == f"pvc-{made['metadata']['uid']}"
    assert found["status"]["capacity"] == {"storage": "1Gi"} and found["status"]["accessModes"] == ["ReadWriteMany"]
    annotations = found["metadata"]["annotations"]
    assert annotations["volume.kubernetes.io/storage-provisioner"] == "csi.kubesim.io"
    assert annotations["pv.kubernetes.io/bind-completed"] == "yes"
    volume = client.read(PV, found["spec"]["volumeName"])
    assert volume["status"]["phase"] == "Bound" and volume["spec"]["claimRef"]["uid"] == made["metadata"]["uid"]
    assert {"ExternalProvisioning", "ProvisioningSucceeded"} <= set(client.events("claim1"))


def test_volume_mode_defaults_to_filesystem_and_an_empty_class_stays_empty(client, claim):
    made = client.made(PVC, claim(storage_class="", volumeMode=None))
    assert made["spec"]["volumeMode"] == "Filesystem" and made["spec"]["storageClassName"] == ""


def test_a_late_class_waits_for_a_consumer(client, claim):
    client.made(PVC, claim(storage_class="late"))
    client.wait(lambda: "WaitForFirstConsumer" in client.events("claim1"))
    assert client.read(PVC, "claim1")["status"]["phase"] == "Pending"
    mount = {"name": "v", "persistentVolumeClaim": {"claimName": "claim1"}}
    client.made(
        "pods",
        {"metadata": {"name": "user"}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [mount]}},
    )
    found = client.wait_phase(PVC, "claim1", "Bound")
    pod = client.wait_phase("pods", "user", "Running")
    assert found["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == pod["spec"]["nodeName"]


def test_an_unknown_class_never_binds(client, claim):
    client.made(PVC, claim(storage_class="none"))
    message = client.wait(lambda: client.events("claim1").get("ProvisioningFailed"))
    assert message == 'storageclass.storage.k8s.io "none" not found'


def test_a_failing_provisioner_heals(client, claim):
    client.sim_call("POST", "provisioners/standard", {"outcome": "fails", "message": "pool is full"})
    client.made(PVC, claim())
    assert "pool is full" in client.wait(lambda: client.events("claim1").get("ProvisioningFailed"))
    assert client.read(PVC, "claim1")["status"]["phase"] == "Pending"
    client.sim_call("POST", "provisioners/standard", {"outcome": "works"})
    client.wait_phase(PVC, "claim1", "Bound")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"accessModes": []}, "spec.accessModes: Required value"),
        ({"accessModes": ["Sometimes"]}, 'Unsupported value: "Sometimes"'),
        ({"resources": {}}, "spec.resources[storage]: Required value"),
        ({"resources": {"requests": {"storage": "0"}}}, "must be greater than zero"),
        ({"volumeMode": "Tape"}, 'supported values: "Block", "Filesystem"'),
    ],
)
def test_a_claim_is_refused(client, claim, change, text):
    answer = client.create(PVC, claim(**change))
    assert answer.status_code == 422 and text in answer.json()["message"]


def test_a_quota_forbids(client, claim):
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "small"},
        "spec": {"hard": {"requests.storage": "2Gi"}},
    }
    client.made("resourcequotas", quota)
    client.made(PVC, claim())
    answer = client.create(PVC, claim("claim2", "5Gi"))
    assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")
    assert answer.json()["message"] == (
        'persistentvolumeclaims "claim2" is forbidden: exceeded quota: small, requested: requests.storage=5Gi, '
        "used: requests.storage=1Gi, limited: requests.storage=2Gi"
    )


def grow(client, name: str, size: str):
    return client.patch(PVC, name, {"spec": {"resources": {"requests": {"storage": size}}}})


def test_a_block_claim_grows(client, claim):
    bound(client, claim())
    assert grow(client, "claim1", "2Gi").status_code == 200
    assert client.read(PVC, "claim1")["status"]["capacity"] == {"storage": "1Gi"}
    client.wait(lambda: client.read(PVC, "claim1")["status"]["capacity"] == {"storage": "2Gi"})
    assert "conditions" not in client.read(PVC, "claim1")["status"]


def test_a_filesystem_claim_waits_for_its_mount_to_grow(client, claim):
    bound(client, claim(volumeMode="Filesystem", accessModes=["ReadWriteOnce"]))
    grow(client, "claim1", "2Gi")
    client.wait(
        lambda: (
            [row["type"] for row in client.read(PVC, "claim1")["status"].get("conditions") or ()]
            == ["FileSystemResizePending"]
        )
    )
    mount = {"name": "v", "persistentVolumeClaim": {"claimName": "claim1"}}
    client.made(
        "pods",
        {"metadata": {"name": "user"}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [mount]}},
    )
    client.wait(lambda: client.read(PVC, "claim1")["status"]["capacity"] == {"storage": "2Gi"})


def test_growth_is_refused_where_it_cannot_be(client, claim):
    bound(client, claim())
    shrunk = grow(client, "claim1", "500Mi")
    assert shrunk.status_code == 422 and "field can not be less than status.capacity" in shrunk.json()["message"]
    bound(client, claim("claim2", storage_class="fixed"))
    fixed = grow(client, "claim2", "2Gi")
    assert (
        fixed.status_code == 403
        and "storageclass that provisions the pvc must support resize" in fixed.json()["message"]
    )
    client.made(PVC, claim("claim3", storage_class="late"))
    unbound = grow(client, "claim3", "2Gi")
    assert unbound.status_code == 422 and "spec is immutable after creation" in unbound.json()["message"]
    other = client.patch(PVC, "claim1", {"spec": {"accessModes": ["ReadWriteOnce"]}})
    assert other.status_code == 422


def test_a_claim_in_use_lives_until_the_pod_is_gone(client, claim):
    bound(client, claim())
    mount = {"name": "v", "persistentVolumeClaim": {"claimName": "claim1"}}
    client.made(
        "pods",
        {"metadata": {"name": "user"}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [mount]}},
    )
    client.wait_phase("pods", "user", "Running")
    client.delete(PVC, "claim1")
    held = client.read(PVC, "claim1")
    assert held["metadata"]["deletionTimestamp"] and held["status"]["phase"] == "Bound"
    client.delete("pods", "user")
    client.wait_gone("pods", "user")
    client.wait_gone(PVC, "claim1")
    client.wait_gone(PV, held["spec"]["volumeName"])


def test_a_volume_that_is_retained_stays_released(client, claim):
    keeping = {"metadata": {"name": "keeping"}, "provisioner": "csi.kubesim.io", "reclaimPolicy": "Retain"}
    client.made("storageclasses", keeping)
    name = bound(client, claim(storage_class="keeping"))["spec"]["volumeName"]
    client.delete(PVC, "claim1")
    client.wait_phase(PV, name, "Released")
    assert client.read(PV, name)["spec"]["claimRef"]["name"] == "claim1"
    client.delete(PV, name)
    client.delete("storageclasses", "keeping")


def test_an_attributes_class_changes_a_bound_claim(client, claim):
    gold = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttributesClass",
        "metadata": {"name": "gold"},
        "driverName": "csi.kubesim.io",
    }
    client.made("volumeattributesclasses", gold)
    bound(client, claim())
    assert client.patch(PVC, "claim1", {"spec": {"volumeAttributesClassName": "gold"}}).status_code == 200
    found = client.wait(
        lambda: (c := client.read(PVC, "claim1"))["status"].get("currentVolumeAttributesClassName") == "gold" and c
    )
    assert "modifyVolumeStatus" not in found["status"]
    client.delete("volumeattributesclasses", "gold")


def test_a_clone_needs_a_bound_source_of_its_class(client, claim):
    bound(client, claim("source"))
    source = {"kind": "PersistentVolumeClaim", "name": "source"}
    found = bound(client, claim("copy", dataSource=source))
    assert found["spec"]["dataSourceRef"] == source
    client.made(PVC, claim("wrong", storage_class="fixed", dataSource=source))
    message = client.wait(lambda: client.events("wrong").get("ProvisioningFailed"))
    assert "same storage class" in message


# -- snapshots


def snapshot(name: str = "snap1", claim: str = "claim1", **spec) -> dict:
    source = {"persistentVolumeClaimName": claim}
    return {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshot",
        "metadata": {"name": name},
        "spec": {"source": source, **spec},
    }


def ready(client, name: str) -> dict:
    return client.wait(lambda: (s := client.read("volumesnapshots", name)).get("status", {}).get("readyToUse") and s)


def test_a_snapshot_becomes_ready_and_can_be_restored(client, claim):
    bound(client, claim())
    made = client.made("volumesnapshots", snapshot())
    assert "status" not in made
    found = ready(client, "snap1")
    assert found["status"]["boundVolumeSnapshotContentName"] == f"snapcontent-{made['metadata']['uid']}"
    assert found["status"]["restoreSize"] == "1Gi" and found["status"]["creationTime"]
    assert "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection" in found["metadata"]["finalizers"]
    source = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "snap1"}
    bound(client, claim("restored", "2Gi", dataSource=source))
    client.made(PVC, claim("small", "500Mi", dataSource=source))
    assert "less than the size" in client.wait(lambda: client.events("small").get("ProvisioningFailed"))
    client.delete(PVC, "small")
    client.wait_gone(PVC, "small")
    client.delete("volumesnapshots", "snap1")
    client.wait_gone("volumesnapshots", "snap1")
    client.wait_gone("volumesnapshotcontents", found["status"]["boundVolumeSnapshotContentName"])


def test_a_snapshot_of_nothing_reports_an_error_and_heals(client, claim):
    client.made("volumesnapshots", snapshot())
    found = client.wait(lambda: (s := client.read("volumesnapshots", "snap1")).get("status", {}).get("error") and s)
    assert found["status"]["readyToUse"] is False
    client.made(PVC, claim())
    assert "error" not in ready(client, "snap1")["status"]


def test_a_snapshot_keeps_its_source(client, claim):
    bound(client, claim())
    client.made("volumesnapshots", snapshot())
    answer = client.patch("volumesnapshots", "snap1", {"spec": {"source": {"persistentVolumeClaimName": "other"}}})
    assert answer.status_code == 422 and "persistentVolumeClaimName is immutable" in answer.json()["message"]


def test_an_unknown_snapshot_class_is_an_error(client, claim):
    bound(client, claim())
    client.made("volumesnapshots", snapshot(volumeSnapshotClassName="none"))
    found = client.wait(lambda: client.read("volumesnapshots", "snap1").get("status", {}).get("error"))
    assert 'volumesnapshotclasses.snapshot.storage.k8s.io "none" not found' in found["message"]
