"""The client: paths, typed errors, which requests are sent again and which never."""

import pytest
from fakes.kube import Answer

from keel_common.kube import (
    NODE,
    PVC,
    SECRET,
    VM,
    VMI,
    AlreadyExists,
    Conflict,
    Invalid,
    Kube,
    KubeError,
    NotFound,
    Unreachable,
)

CLAIMS = "/api/v1/namespaces/ns/persistentvolumeclaims"
VMS = "/apis/kubevirt.io/v1/namespaces/ns/virtualmachines"


def status(code: int, reason: str, message: str = "no", **details) -> Answer:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }
    return Answer(code, body)


@pytest.mark.parametrize(
    ("kind", "args", "path"),
    [
        (NODE, (), "/api/v1/nodes"),
        (NODE, (None, "n1"), "/api/v1/nodes/n1"),
        (PVC, (None,), "/api/v1/persistentvolumeclaims"),
        (VM, ("ns", "a"), f"{VMS}/a"),
        (VM, ("ns", "a", "start"), "/apis/subresources.kubevirt.io/v1/namespaces/ns/virtualmachines/a/start"),
        (VMI, ("ns", "a", "pause"), "/apis/subresources.kubevirt.io/v1/namespaces/ns/virtualmachineinstances/a/pause"),
        (PVC, ("ns", "a", "status"), f"{CLAIMS}/a/status"),
    ],
)
def test_path_of_a_kind(kind, args, path):
    assert kind.path(*args) == path


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (status(404, "NotFound"), NotFound),
        (status(409, "Conflict"), Conflict),
        (status(409, "AlreadyExists"), AlreadyExists),
        (status(422, "Invalid"), Invalid),
        (Answer(404, "404 page not found"), NotFound),
    ],
)
def test_error_answer_becomes_its_type(server, answer, error):
    server.script["GET", f"{CLAIMS}/a"] = [answer]
    with pytest.raises(error) as caught:
        Kube(server.kubeconfig).get(PVC, "a", "ns")
    assert caught.value.code == answer.code


def test_causes_of_a_refusal_are_kept(server):
    causes = [{"field": "spec", "message": "must be set"}]
    server.script["POST", VMS] = [status(422, "Invalid", "admission said no", causes=causes)]
    with pytest.raises(Invalid, match="admission said no") as caught:
        Kube(server.kubeconfig).create(VM, VM.body("a", "ns"))
    assert caught.value.details["causes"] == causes


def test_token_of_the_kubeconfig_is_sent(server):
    server.script["GET", "/version"] = [Answer(200, {"major": "1"})]
    assert Kube(server.kubeconfig).version() == {"major": "1"}
    headers = {key.lower(): value for key, value in server.seen[0][4].items()}
    assert headers["authorization"] == "Bearer secret-token"


def test_throttled_create_is_sent_again(server):
    throttled = Answer(429, {"kind": "Status", "reason": "TooManyRequests", "code": 429}, {"retry-after": "0"})
    server.script["POST", CLAIMS] = [throttled, throttled, Answer(201, {"metadata": {"name": "a"}})]
    assert Kube(server.kubeconfig).create(PVC, PVC.body("a", "ns"))["metadata"]["name"] == "a"
    assert server.count("POST", CLAIMS) == 3


def test_create_with_a_lost_answer_is_not_sent_again(server):
    server.script["POST", CLAIMS] = [Answer(drop=True)]
    with pytest.raises(Unreachable):
        Kube(server.kubeconfig).create(PVC, PVC.body("a", "ns"))
    assert server.count("POST", CLAIMS) == 1


def test_apply_with_a_lost_answer_is_sent_again(server):
    server.script["PATCH", f"{CLAIMS}/a"] = [Answer(drop=True), Answer(500, "boom"), Answer(200, {"metadata": {}})]
    Kube(server.kubeconfig).apply(PVC, PVC.body("a", "ns"))
    assert server.count("PATCH", f"{CLAIMS}/a") == 3
    assert server.seen[0][2] == {"fieldManager": "openkeel", "force": "true"}


def test_attempts_are_bounded(server):
    server.script["GET", f"{CLAIMS}/a"] = [Answer(500, "boom")]
    with pytest.raises(KubeError, match="boom"):
        Kube(server.kubeconfig, attempts=2).get(PVC, "a", "ns")
    assert server.count("GET", f"{CLAIMS}/a") == 2


def test_subresource_answer_500_is_an_answer(server):
    path = VM.path("ns", "a", "start")
    server.script["PUT", path] = [Answer(500, "already underway")]
    with pytest.raises(KubeError, match="already underway"):
        Kube(server.kubeconfig).subresource("PUT", VM, "a", "ns", "start", {})
    assert server.count("PUT", path) == 1


def test_empty_answer_of_a_subresource_is_accepted(server):
    server.script["PUT", VM.path("ns", "a", "start")] = [Answer(202, "")]
    assert Kube(server.kubeconfig).subresource("PUT", VM, "a", "ns", "start", {}) == {}


def test_list_joins_pages_and_names_the_kind(server):
    page1 = {"metadata": {"resourceVersion": "7", "continue": "more"}, "items": [{"metadata": {"name": "a"}}]}
    page2 = {"metadata": {"resourceVersion": "7"}, "items": [{"metadata": {"name": "b"}}]}
    server.script["GET", CLAIMS] = [Answer(200, page1), Answer(200, page2)]
    found, version = Kube(server.kubeconfig).list_at(PVC, "ns", {"app": "x", "owned": None})
    assert [(each["kind"], each["metadata"]["name"]) for each in found] == [
        ("PersistentVolumeClaim", "a"),
        ("PersistentVolumeClaim", "b"),
    ]
    assert version == "7"
    assert server.seen[0][2]["labelSelector"] == "app=x,owned"
    assert server.seen[1][2]["continue"] == "more"


def test_delete_of_an_absent_object_says_so(server):
    server.script["DELETE", "/api/v1/namespaces/ns/secrets/a"] = [status(404, "NotFound"), Answer(200, {})]
    kube = Kube(server.kubeconfig)
    assert kube.delete(SECRET, "a", "ns", uid="u1") is False
    assert kube.delete(SECRET, "a", "ns") is True
    assert server.seen[0][3]["preconditions"] == {"uid": "u1"}


def test_ensure_returns_what_is_there(server):
    server.script["POST", CLAIMS] = [status(409, "AlreadyExists")]
    server.script["GET", f"{CLAIMS}/a"] = [Answer(200, {"metadata": {"name": "a", "uid": "u"}})]
    assert Kube(server.kubeconfig).ensure(PVC, PVC.body("a", "ns"))["metadata"]["uid"] == "u"
