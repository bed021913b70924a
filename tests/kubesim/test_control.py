"""The control endpoint, and a cluster that is stopped and started again."""

from __future__ import annotations

import time

import requests

from keel_dev.kubesim import KubeSim


def test_the_state_tells_everything_that_was_told(client):
    state = client.sim_call("GET", "")
    assert state["clock"]["speed"] == 40 and state["controllers"]["vm"] is True
    client.sim_call("POST", "provisioners/standard", {"delay": 3})
    assert client.sim_call("GET", "")["behaviours"]["provisioners"]["standard"]["delay"] == 3
    client.sim_call("POST", "reset")
    assert client.sim_call("GET", "")["behaviours"]["provisioners"] == {}


def test_words_it_does_not_know_are_refused(client):
    assert client.call("POST", "/sim/v1/failures", {"cod": 500}).status_code == 400
    assert client.call("POST", "/sim/v1/delays", {"nap": 5}).status_code == 400
    assert client.call("POST", "/sim/v1/nodes/node-1", {"state": "tired"}).status_code == 400
    assert client.call("POST", "/sim/v1/controllers/none", {"paused": True}).status_code == 400
    assert client.call("GET", "/sim/v1/nothing").status_code == 404
    assert requests.get(f"{client.sim.url}/sim/v1", verify=str(client.sim.ca_file), timeout=5).status_code == 401


def test_a_clock_that_stands_still_lets_nothing_happen(client, claim):
    client.sim_call("POST", "clock", {"paused": True})
    client.made("persistentvolumeclaims", claim())
    time.sleep(0.3)
    assert client.read("persistentvolumeclaims", "claim1")["status"]["phase"] == "Pending"
    client.sim_call("POST", "clock", {"advance": 1})
    client.wait_phase("persistentvolumeclaims", "claim1", "Bound")
    client.sim_call("POST", "clock", {"paused": False})


def test_latency_is_added(client):
    client.sim_call("POST", "failures", {"code": 0, "latency": 0.3, "verb": "get", "resource": "configmaps"})
    began = time.monotonic()
    assert client.get("configmaps", "none").status_code == 404
    assert time.monotonic() - began >= 0.3


def test_a_cluster_remembers_everything_over_a_restart(tmp_path, machine, claim):
    def http(sim: KubeSim) -> requests.Session:
        session = requests.Session()
        session.trust_env = False
        session.verify = str(sim.ca_file)
        session.headers["Authorization"] = f"Bearer {sim.token}"
        return session

    with KubeSim(tmp_path, speed=40, nodes=2) as first:
        session, base = http(first), f"{first.url}/api/v1"
        place = f"{base}/namespaces/openstack/persistentvolumeclaims"
        assert session.post(place, json=claim()).status_code == 201
        vms = f"{first.url}/apis/kubevirt.io/v1/namespaces/openstack/virtualmachines"
        assert session.post(vms, json=machine(claims=("claim1",))).status_code == 201
        subresources = f"{first.url}/apis/subresources.kubevirt.io/v1/namespaces/openstack/virtualmachines"
        assert session.put(f"{subresources}/vm1/start").status_code == 202
        before = session.get(f"{vms}/vm1").json()
    with KubeSim(tmp_path, speed=40, nodes=9) as second:
        session = http(second)
        vms = f"{second.url}/apis/kubevirt.io/v1/namespaces/openstack/virtualmachines"
        found = session.get(f"{vms}/vm1").json()
        assert found["metadata"]["uid"] == before["metadata"]["uid"]
        assert int(found["metadata"]["resourceVersion"]) >= int(before["metadata"]["resourceVersion"])
        assert len(session.get(f"{second.url}/api/v1/nodes").json()["items"]) == 2
        # What was under way goes on.
        deadline = time.monotonic() + 10
        while session.get(f"{vms}/vm1").json().get("status", {}).get("printableStatus") != "Running":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        old = session.get(vms, params={"watch": 1, "resourceVersion": "1001", "timeoutSeconds": 1})
        assert '"code":410' in old.text


def test_equal_seeds_give_equal_uids():
    with KubeSim(seed=3) as one, KubeSim(seed=3) as two:
        assert [n["metadata"]["uid"] for n in one.cluster.list("nodes")] == [
            n["metadata"]["uid"] for n in two.cluster.list("nodes")
        ]
