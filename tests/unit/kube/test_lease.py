"""Membership: who is alive, and what a process does that slept too long."""

import time

from fakes.kube import Answer

from keel_common.kube import Kube
from keel_common.kube.lease import Membership

LEASES = "/apis/coordination.k8s.io/v1/namespaces/ns/leases"


def lease(member: str, version: str) -> dict:
    return {"metadata": {"name": member, "resourceVersion": version}, "spec": {"holderIdentity": member}}


def until(fact, patience=5.0):
    deadline = time.monotonic() + patience
    while not fact():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.01)


def listing(*leases: dict) -> Answer:
    return Answer(200, {"metadata": {"resourceVersion": "1"}, "items": list(leases)})


def test_silent_member_is_forgotten(server):
    told = []
    server.script["PATCH", f"{LEASES}/g-a"] = [Answer(200, {"metadata": {}})]
    fresh = [listing(lease("a", str(number)), lease("b", "1")) for number in range(50)]
    server.script["GET", LEASES] = fresh
    member = Membership(Kube(server.kubeconfig), "ns", "g", "a", told.append, seconds=0.3)
    member.start()
    until(lambda: ("a",) in told)
    assert told == [("a", "b"), ("a",)]
    server.script["DELETE", f"{LEASES}/g-a"] = [Answer(200, {})]
    member.stop(time.monotonic() + 2)
    assert server.count("DELETE", f"{LEASES}/g-a") == 1


def test_member_that_cannot_renew_lets_go(server):
    told = []
    server.script["PATCH", f"{LEASES}/g-a"] = [
        Answer(200, {"metadata": {}}),
        Answer(403, {"kind": "Status", "code": 403}),
    ]
    server.script["GET", LEASES] = [listing(lease("a", "1"))]
    member = Membership(Kube(server.kubeconfig, attempts=1), "ns", "g", "a", told.append, seconds=0.3)
    member.start()
    until(lambda: told == [("a",), ()])
    member.stop(time.monotonic() + 2)
