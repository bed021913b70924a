"""Refusals come as typed Status objects, in the API server's words."""

from __future__ import annotations

import json

import pytest
import requests


def status_of(answer: requests.Response) -> dict:
    body = answer.json()
    assert body["kind"] == "Status" and body["status"] == "Failure" and body["metadata"] == {}
    assert body["code"] == answer.status_code
    return body


def test_a_request_without_token_is_unauthorized(client):
    answer = requests.get(client.url("pods"), verify=str(client.sim.ca_file), timeout=5)
    assert status_of(answer)["reason"] == "Unauthorized" and answer.status_code == 401


def test_a_restricted_token_is_forbidden_in_the_words_of_rbac(client):
    rule = {"verbs": ["get"], "resources": ["virtualmachines"]}
    client.sim_call("POST", "tokens", {"token": "weak", "user": "alice", "rules": [rule]})
    client.http.headers["Authorization"] = "Bearer weak"
    answer = client.get("virtualmachines", namespace="nova")
    client.http.headers["Authorization"] = f"Bearer {client.sim.token}"
    body = status_of(answer)
    assert (body["code"], body["reason"]) == (403, "Forbidden")
    assert body["message"] == (
        'virtualmachines.kubevirt.io is forbidden: User "alice" cannot list resource "virtualmachines" '
        'in API group "kubevirt.io" in the namespace "nova"'
    )
    assert body["details"] == {"group": "kubevirt.io", "kind": "virtualmachines"}


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_an_absent_object_is_not_found(client, method):
    path = f"/apis/kubevirt.io/v1/namespaces/{client.namespace}/virtualmachines/none"
    headers = {"Content-Type": "application/merge-patch+json"}
    body = status_of(client.call(method, path, {}, headers=headers))
    assert body["message"] == 'virtualmachines.kubevirt.io "none" not found'
    assert body["details"] == {"name": "none", "group": "kubevirt.io", "kind": "virtualmachines"}


def test_an_absent_namespace_refuses_creation_and_lists_nothing(client, machine):
    answer = client.create("virtualmachines", machine(), namespace="nons")
    assert status_of(answer)["message"] == 'namespaces "nons" not found'
    assert client.get("virtualmachines", namespace="nons").json()["items"] == []


@pytest.mark.parametrize(
    "path",
    [
        "/apis/nothing.example/v1/things",
        "/api/v1/widgets",
        "/api/v1/namespaces/x/nodes",
        "/apis/kubevirt.io/v9/virtualmachines",
    ],
)
def test_an_unknown_path_is_plain_text(client, path):
    answer = client.call("GET", path)
    assert (answer.status_code, answer.text.strip()) == (404, "404 page not found")


def test_creating_twice_already_exists(client, claim):
    client.made("persistentvolumeclaims", claim())
    body = status_of(client.create("persistentvolumeclaims", claim()))
    assert (body["code"], body["reason"]) == (409, "AlreadyExists")
    assert body["message"] == 'persistentvolumeclaims "claim1" already exists'


def test_a_stale_version_conflicts(client, machine):
    old = client.made("virtualmachines", machine())
    client.patch("virtualmachines", "vm1", {"metadata": {"labels": {"a": "b"}}})
    body = status_of(client.put("virtualmachines", "vm1", old))
    assert body["message"] == (
        'Operation cannot be fulfilled on virtualmachines.kubevirt.io "vm1": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    patch = {"metadata": {"resourceVersion": old["metadata"]["resourceVersion"], "labels": {"c": "d"}}}
    assert client.patch("virtualmachines", "vm1", patch).status_code == 409


def test_replacing_a_custom_object_needs_a_version(client, machine):
    client.made("virtualmachines", machine())
    body = status_of(client.put("virtualmachines", "vm1", machine()))
    assert body["code"] == 422
    assert "metadata.resourceVersion: Invalid value: 0: must be specified for an update" in body["message"]


def test_a_wrong_uid_precondition_conflicts(client, machine):
    client.made("virtualmachines", machine())
    body = status_of(client.delete("virtualmachines", "vm1", {"preconditions": {"uid": "zzz"}}))
    assert body["code"] == 409
    assert "the UID in the precondition (zzz) does not match the UID in record" in body["message"]


def test_bodies_that_are_no_objects_are_bad_requests(client, machine):
    url = client.url("virtualmachines")
    answer = client.http.post(url, data="{nonsense", headers={"Content-Type": "application/json"}, timeout=5)
    body = status_of(answer)
    assert body["code"] == 400
    assert body["message"].startswith(
        "the object provided is unrecognized (must be of type VirtualMachine): couldn't get "
        "version/kind; json parse error"
    )
    elsewhere = {**machine(), "metadata": {"name": "x", "namespace": "other"}}
    assert status_of(client.create("virtualmachines", elsewhere))["message"] == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )
    client.made("virtualmachines", machine("pg3"))
    body = status_of(client.put("virtualmachines", "pg3", machine("pg4")))
    assert body["message"] == "the name of the object (pg4) does not match the name on the URL (pg3)"


def test_a_bad_name_and_a_bad_label_are_invalid(client, machine):
    body = status_of(client.create("virtualmachines", machine("VM_bad")))
    assert body["message"].startswith('VirtualMachine.kubevirt.io "VM_bad" is invalid: metadata.name: Invalid value: ')
    assert body["details"]["kind"] == "VirtualMachine"
    assert body["details"]["causes"][0]["reason"] == "FieldValueInvalid"
    labelled = machine()
    labelled["metadata"]["labels"] = {"openstack.org/server-name": "not a label value"}
    body = status_of(client.create("virtualmachines", labelled))
    assert body["details"]["causes"][0]["field"] == "metadata.labels"


def test_schema_violations_name_the_fields(client):
    made = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotClass", "metadata": {"name": "c"}}
    body = status_of(client.create("volumesnapshotclasses", {**made, "driver": "d", "deletionPolicy": "Zap"}))
    assert body["message"] == (
        'VolumeSnapshotClass.snapshot.storage.k8s.io "c" is invalid: deletionPolicy: Unsupported value: "Zap": '
        'supported values: "Delete", "Retain"'
    )
    body = status_of(client.create("volumesnapshotclasses", made))
    assert body["message"].endswith("is invalid: [deletionPolicy: Required value, driver: Required value]")
    assert {cause["reason"] for cause in body["details"]["causes"]} == {"FieldValueRequired"}


def test_type_errors_and_rules_of_a_schema(client):
    made = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": {"name": "sn"}}
    body = status_of(client.create("volumesnapshots", {**made, "spec": {"source": "text"}}))
    assert (
        'spec.source: Invalid value: "string": spec.source in body must be of type object: "string"' in body["message"]
    )
    assert body["details"]["causes"][-1]["field"] == "<nil>"
    body = status_of(client.create("volumesnapshots", {**made, "spec": {"source": {}}}))
    assert body["code"] == 422
    assert "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set" in body["message"]


def test_unknown_fields_are_pruned_with_a_warning_or_refused_when_strict(client, machine):
    body = machine(nonsense=1)
    answer = client.create("virtualmachines", body)
    assert answer.status_code == 201
    assert answer.headers["Warning"] == '299 - "unknown field \\"spec.template.spec.nonsense\\""'
    assert "nonsense" not in answer.json()["spec"]["template"]["spec"]
    strict = {**machine("vm2"), "bogus": 1}
    answer = client.create("virtualmachines", strict, fieldValidation="Strict")
    assert status_of(answer)["message"] == (
        'VirtualMachine in version "v1" cannot be handled as a VirtualMachine: strict decoding '
        'error: unknown field "bogus"'
    )


def test_selectors_that_cannot_be_read_are_bad_requests(client):
    body = status_of(client.get("virtualmachines", fieldSelector="spec.runStrategy=Manual"))
    assert (body["code"], body["message"]) == (400, "field label not supported: spec.runStrategy")
    body = status_of(client.get("virtualmachines", labelSelector="a in b)"))
    assert body["message"].startswith("unable to parse requirement")


def test_injected_failures_strike_as_often_as_they_were_told(client, claim):
    client.sim_call("POST", "failures", {"code": 409, "verb": "create", "resource": "persistentvolumeclaims"})
    assert status_of(client.create("persistentvolumeclaims", claim()))["reason"] == "Conflict"
    client.made("persistentvolumeclaims", claim())
    client.sim_call("POST", "failures", {"code": 429, "verb": "get", "retry_after": 2, "count": 2})
    answers = [client.get("persistentvolumeclaims", "claim1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [429, 429, 200]
    assert answers[0].headers["Retry-After"] == "2"


def test_a_webhook_that_is_down_fails_the_write(client, machine):
    name = "virtualmachine-validator.kubevirt.io"
    client.sim_call("POST", f"webhooks/{name}", {"down": True})
    body = status_of(client.create("virtualmachines", machine()))
    assert (body["code"], body["reason"]) == (500, "InternalError")
    assert f'failed calling webhook "{name}"' in body["message"]
    client.sim_call("POST", f"webhooks/{name}", {"down": False})
    client.made("virtualmachines", machine())


def test_an_unreachable_virt_api_answers_in_plain_text(client):
    client.sim_call("POST", "aggregated-api", {"down": True})
    answer = client.sub("vm1", "start")
    assert answer.status_code == 503
    with pytest.raises(json.JSONDecodeError):
        answer.json()
