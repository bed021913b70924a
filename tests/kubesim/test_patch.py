"""Patch types and server-side apply."""

from __future__ import annotations


def config_map(name: str = "c", **data: str) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_a_merge_patch_deletes_with_null(client):
    client.made("configmaps", config_map(a="1", b="2"))
    assert client.patch("configmaps", "c", {"data": {"a": None, "d": "4"}}).json()["data"] == {"b": "2", "d": "4"}


def test_a_merge_patch_replaces_lists_and_drops_nulls_in_their_members(client, machine):
    client.made("virtualmachines", machine())
    disks = [{"name": "x", "disk": {"bus": "virtio"}, "serial": None}]
    volumes = [{"name": "x", "emptyDisk": {"capacity": "1Gi"}}]
    body = {"spec": {"template": {"spec": {"volumes": volumes, "domain": {"devices": {"disks": disks}}}}}}
    found = client.patch("virtualmachines", "vm1", body).json()["spec"]["template"]["spec"]
    assert found["domain"]["devices"]["disks"] == [{"name": "x", "disk": {"bus": "virtio"}}]


def test_json_patch_tests_and_paths(client):
    client.made("configmaps", config_map(a="1"))
    good = [{"op": "test", "path": "/data/a", "value": "1"}, {"op": "add", "path": "/data/b", "value": "2"}]
    assert client.patch("configmaps", "c", good, "json-patch+json").json()["data"] == {"a": "1", "b": "2"}
    wrong = [{"op": "test", "path": "/data/a", "value": "9"}]
    for operations in (wrong, [{"op": "remove", "path": "/data/none"}]):
        answer = client.patch("configmaps", "c", operations, "json-patch+json")
        assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")
        assert answer.json()["message"] == "the server rejected our request due to an error in our request"
    answer = client.patch("configmaps", "c", [{"op": "dance"}], "json-patch+json")
    assert answer.status_code == 400 and answer.json()["message"].startswith("error decoding patch")


def test_strategic_merge_is_for_built_in_types_only(client, machine):
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "i"}]}}
    client.made("pods", pod)
    change = {"spec": {"containers": [{"name": "a", "image": "j"}]}, "metadata": {"labels": {"x": "y"}}}
    found = client.patch("pods", "p", change, "strategic-merge-patch+json").json()
    assert found["spec"]["containers"][0]["image"] == "j"
    client.made("virtualmachines", machine())
    answer = client.patch("virtualmachines", "vm1", {}, "strategic-merge-patch+json")
    assert (answer.status_code, answer.json()["reason"]) == (415, "UnsupportedMediaType")
    assert (
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
        in answer.json()["message"]
    )


def test_apply_creates_changes_and_takes_back_its_own_fields(client):
    body = config_map(a="1", b="2")
    assert client.apply("configmaps", "c", body).status_code == 201
    client.patch("configmaps", "c", {"data": {"other": "x"}})
    answer = client.apply("configmaps", "c", config_map(a="3"))
    assert answer.status_code == 200
    assert answer.json()["data"] == {"a": "3", "other": "x"}
    managers = {entry["manager"]: entry["operation"] for entry in answer.json()["metadata"]["managedFields"]}
    assert managers == {"keel": "Apply", "test-agent": "Update"}


def test_applying_the_same_again_changes_nothing(client, machine):
    first = client.apply("virtualmachines", "vm1", machine()).json()
    client.wait(lambda: "printableStatus" in client.read("virtualmachines", "vm1").get("status", {}))
    settled = client.read("virtualmachines", "vm1")
    again = client.apply("virtualmachines", "vm1", machine()).json()
    assert again["metadata"]["resourceVersion"] == settled["metadata"]["resourceVersion"]
    assert (
        again["spec"]["template"]["spec"]["domain"]["firmware"]
        == first["spec"]["template"]["spec"]["domain"]["firmware"]
    )


def test_apply_conflicts_with_other_owners_unless_forced(client, machine):
    client.apply("virtualmachines", "vm1", machine())
    client.patch("virtualmachines", "vm1", {"spec": {"runStrategy": "Halted"}})
    answer = client.apply("virtualmachines", "vm1", machine())
    assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")
    assert (
        answer.json()["message"]
        == 'Apply failed with 1 conflict: conflict with "test-agent" using kubevirt.io/v1: .spec.runStrategy'
    )
    assert answer.json()["details"]["causes"][0]["reason"] == "FieldManagerConflict"
    assert client.apply("virtualmachines", "vm1", machine(), force="true").json()["spec"]["runStrategy"] == "Manual"


def test_apply_needs_a_manager(client):
    answer = client.patch("configmaps", "c", config_map(), "apply-patch+yaml")
    assert answer.status_code == 422
    assert (
        answer.json()["message"]
        == 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
    )


def test_two_managers_share_a_map_of_labels(client):
    one = {**config_map(), "metadata": {"name": "c", "labels": {"one": "1"}}}
    two = {**config_map(), "metadata": {"name": "c", "labels": {"two": "2"}}}
    client.apply("configmaps", "c", one, manager="one")
    client.apply("configmaps", "c", two, manager="two")
    found = client.apply("configmaps", "c", config_map(), manager="one").json()
    assert found["metadata"]["labels"] == {"two": "2"}
