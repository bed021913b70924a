"""Nodes that are added, cordoned, not ready or lost; and live migration between them."""

from __future__ import annotations

VMI, VM, MIGRATION = "virtualmachineinstances", "virtualmachines", "virtualmachineinstancemigrations"


def ready(client, name: str) -> str:
    return next(row["status"] for row in client.read("nodes", name)["status"]["conditions"] if row["type"] == "Ready")


def terminating(client) -> list[dict]:
    return [pod for pod in client.get("pods").json()["items"] if pod["metadata"].get("deletionTimestamp")]


def advance_until(client, seconds: float, reached):
    """Let virtual time pass, again and again where a countdown had not begun yet, until something is so."""

    def look():
        client.sim_call("POST", "clock", {"advance": seconds})
        return reached()

    return client.wait(look)


def test_a_new_cluster_has_four_equal_workers(client):
    nodes = client.get("nodes", labelSelector="kubevirt.io/schedulable=true").json()["items"]
    assert [node["metadata"]["name"] for node in nodes] == ["node-1", "node-2", "node-3", "node-4"]
    assert nodes[0]["status"]["allocatable"]["cpu"] == "32" and nodes[0]["status"]["allocatable"]["memory"] == "64Gi"
    assert nodes[0]["metadata"]["labels"]["kubernetes.io/hostname"] == "node-1"


def test_a_node_can_be_added_and_taken_away(client, running):
    client.sim_call("POST", "nodes/extra", {"cpu": "4", "memory": "8Gi", "labels": {"pool": "extra"}})
    vmi = running(nodeSelector={"pool": "extra"})
    assert vmi["status"]["nodeName"] == "extra"
    client.sim_call("DELETE", "nodes/extra")
    client.wait_phase(VMI, "vm1", "Failed")


def test_a_cordoned_node_takes_no_new_guests(client, machine):
    client.patch("nodes", "node-2", {"spec": {"unschedulable": True}})
    client.made(VM, machine(nodeSelector={"kubernetes.io/hostname": "node-2"}))
    client.sub("vm1", "start")
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "ErrorUnschedulable")
    client.patch("nodes", "node-2", {"spec": {"unschedulable": None}})
    client.wait_phase(VMI, "vm1", "Running")


def test_a_dead_node_keeps_its_guest_running_on_paper(client, running):
    running(nodeSelector={"kubernetes.io/hostname": "node-4"})
    client.sim_call("POST", "nodes/node-4", {"state": "dead"})
    advance_until(client, 45, lambda: ready(client, "node-4") == "Unknown")
    client.wait(
        lambda: (
            next(r for r in client.read(VMI, "vm1")["status"]["conditions"] if r["type"] == "Ready")["status"]
            == "False"
        )
    )
    assert client.read(VMI, "vm1")["status"]["phase"] == "Running"
    answer = client.sub("vm1", "pause", plural=VMI)
    assert answer.status_code == 500 and "connect: connection refused" in answer.json()["message"]
    pod = advance_until(client, 310, lambda: next(iter(terminating(client)), None))
    assert client.read("nodes", "node-4")["metadata"]["labels"]["kubevirt.io/schedulable"] == "false"
    assert client.sub("vm1", "stop").status_code == 202
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Stopping")
    client.delete("pods", pod["metadata"]["name"], {"gracePeriodSeconds": 0})
    client.wait_gone(VMI, "vm1")
    client.sim_call("POST", "nodes/node-4", {"state": "ready"})
    client.wait(lambda: ready(client, "node-4") == "True")


def test_a_guest_of_a_dead_node_fails_when_its_pod_is_removed(client, running):
    running(nodeSelector={"kubernetes.io/hostname": "node-4"})
    client.sim_call("POST", "nodes/node-4", {"state": "dead"})
    pod = client.get("pods").json()["items"][0]["metadata"]["name"]
    client.delete("pods", pod, {"gracePeriodSeconds": 0})
    vmi = client.wait_phase(VMI, "vm1", "Failed")
    assert vmi["status"]["reason"] == "NodeUnresponsive"


# -- migration


def migration(name: str = "m1", **spec) -> dict:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstanceMigration",
        "metadata": {"name": name},
        "spec": {"vmiName": "vm1", **spec},
    }


def test_a_migration_moves_the_guest(client, running):
    before = running(claims=("root",))
    source = before["status"]["nodeName"]
    made = client.made(MIGRATION, migration())
    assert made["metadata"]["labels"] == {"kubevirt.io/vmi-name": "vm1"}
    seen = []
    for event in client.watch(MIGRATION, resourceVersion=made["metadata"]["resourceVersion"]):
        phase = event["object"].get("status", {}).get("phase")
        if phase and phase not in seen:
            seen.append(phase)
        if phase in ("Succeeded", "Failed"):
            break
    assert seen == ["Pending", "Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running", "Succeeded"]
    vmi = client.read(VMI, "vm1")
    assert vmi["status"]["nodeName"] != source
    assert vmi["metadata"]["labels"]["kubevirt.io/nodeName"] == vmi["status"]["nodeName"]
    state = vmi["status"]["migrationState"]
    assert (state["sourceNode"], state["completed"], state["migrationUid"]) == (source, True, made["metadata"]["uid"])
    assert vmi["metadata"]["uid"] == before["metadata"]["uid"]
    assert client.sub("vm1", "stop").status_code == 202
    client.wait_gone(VMI, "vm1")


def test_a_migration_to_the_pinned_host_stays_unschedulable_until_it_is_aborted(client, running):
    running(nodeSelector={"kubernetes.io/hostname": "node-1"})
    client.made(MIGRATION, migration())
    client.wait_phase(MIGRATION, "m1", "Scheduling")
    again = client.create(MIGRATION, migration("m2"))
    assert again.status_code == 400 and "in-flight migration detected" in again.json()["message"]
    assert "reason" not in again.json()
    client.delete(MIGRATION, "m1")
    client.wait_gone(MIGRATION, "m1")
    assert client.read(VMI, "vm1")["status"]["phase"] == "Running"


def test_a_failed_migration_leaves_the_guest_where_it_is(client, running):
    source = running()["status"]["nodeName"]
    client.sim_call("POST", "guests/vm1", {"migration": "fails"})
    client.made(MIGRATION, migration())
    client.wait_phase(MIGRATION, "m1", "Failed")
    vmi = client.read(VMI, "vm1")
    assert (vmi["status"]["nodeName"], vmi["status"]["phase"]) == (source, "Running")
    assert vmi["status"]["migrationState"]["failed"] is True


def test_what_cannot_be_migrated_is_refused(client, running, claim, machine):
    client.made("persistentvolumeclaims", claim("single", accessModes=["ReadWriteOnce"]))
    client.made(VM, machine(claims=("single",)))
    client.sub("vm1", "start")
    client.wait_phase(VMI, "vm1", "Running")
    answer = client.create(MIGRATION, migration())
    assert answer.status_code == 400 and "Reason: DisksNotLiveMigratable" in answer.json()["message"]
    assert client.sub("vm1", "migrate").status_code == 500
    assert client.create(MIGRATION, migration(vmiName="")).status_code == 422


def test_an_eviction_asks_for_a_move_instead(client, running):
    vmi = running(evictionStrategy="External")
    pod = client.get("pods").json()["items"][0]["metadata"]["name"]
    answer = client.create(
        f"pods/{pod}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    )
    assert answer.status_code == 429 and "Eviction triggered evacuation of VMI" in answer.json()["message"]
    assert client.read(VMI, "vm1")["status"]["evacuationNodeName"] == vmi["status"]["nodeName"]
    assert client.sub("vm1", "evacuate/cancel", plural=VMI).status_code == 200
    assert "evacuationNodeName" not in client.read(VMI, "vm1")["status"]
