"""Volumes plugged into and out of a running guest."""

from __future__ import annotations

VMI, VM = "virtualmachineinstances", "virtualmachines"


def status_of(client, name: str) -> dict:
    rows = client.read(VMI, "vm1").get("status", {}).get("volumeStatus") or ()
    return next((row for row in rows if row["name"] == name), {})


def add(client, name: str, claim: str, bus: str = "virtio"):
    disk = {"disk": {"bus": bus}, "serial": "abc"}
    return client.sub(
        "vm1",
        "addvolume",
        {"name": name, "disk": disk, "volumeSource": {"persistentVolumeClaim": {"claimName": claim}}},
    )


def test_a_volume_passes_all_phases_and_goes_again(client, running, claim):
    running(claims=("root",))
    client.made("persistentvolumeclaims", claim("data"))
    version = client.get(VMI).json()["metadata"]["resourceVersion"]
    stream = client.watch(VMI, resourceVersion=version)
    assert add(client, "v-data", "data").status_code == 202
    phases = []
    for event in stream:
        for row in event["object"]["status"].get("volumeStatus") or ():
            if row["name"] == "v-data" and row["phase"] not in phases:
                phases.append(row["phase"])
        if "Ready" in phases:
            break
    assert phases == ["Pending", "AttachedToNode", "MountedToPod", "Ready"]
    row = status_of(client, "v-data")
    assert row["target"] == "vdb" and row["hotplugVolume"]["attachPodName"].startswith("hp-volume-")
    assert row["persistentVolumeClaimInfo"]["claimName"] == "data"
    assert (
        client.read(VM, "vm1")["spec"]["template"]["spec"]["volumes"][1]["persistentVolumeClaim"]["hotpluggable"]
        is True
    )
    assert client.delete("persistentvolumeclaims", "data").status_code == 200
    assert client.read("persistentvolumeclaims", "data")["metadata"]["deletionTimestamp"]
    assert client.sub("vm1", "removevolume", {"name": "v-data"}).status_code == 202
    client.wait(lambda: not status_of(client, "v-data"))
    client.wait_gone("pods", row["hotplugVolume"]["attachPodName"])
    client.wait_gone("persistentvolumeclaims", "data")


def test_the_template_alone_is_enough(client, running, claim):
    running(claims=("root",))
    client.made("persistentvolumeclaims", claim("data"))
    operations = [
        {
            "op": "add",
            "path": "/spec/template/spec/volumes/-",
            "value": {"name": "v", "persistentVolumeClaim": {"claimName": "data", "hotpluggable": True}},
        },
        {
            "op": "add",
            "path": "/spec/template/spec/domain/devices/disks/-",
            "value": {"name": "v", "disk": {"bus": "scsi"}},
        },
    ]
    assert client.patch(VM, "vm1", operations, "json-patch+json").status_code == 200
    client.wait(lambda: status_of(client, "v").get("phase") == "Ready")
    assert status_of(client, "v")["target"] == "sda"


def test_refusals_of_addvolume_and_removevolume(client, running, claim):
    running(claims=("root",))
    client.made("persistentvolumeclaims", claim("data"))
    assert client.sub("vm1", "addvolume", {"disk": {}, "volumeSource": {}}).status_code == 400
    assert add(client, "root", "data").status_code == 409
    assert add(client, "other", "root").status_code == 409
    assert client.sub("vm1", "removevolume", {"name": "none"}).status_code == 409
    assert client.sub("vm1", "removevolume", {"name": "root"}).status_code == 409
    assert client.sub("vm1", "addvolume", {"name": "x"}, plural=VMI).status_code == 400


def test_a_bus_that_cannot_be_plugged_is_accepted_and_fails_later(client, running, claim):
    running(claims=("root",))
    client.made("persistentvolumeclaims", claim("data"))
    assert add(client, "v", "data", bus="sata").status_code == 202

    def failure():
        rows = client.read(VM, "vm1")["status"]["conditions"]
        return next((row for row in rows if row["type"] == "Failure"), None)

    assert client.wait(failure)["reason"] == "HotPlugVolumeError"
    assert not status_of(client, "v")
    client.sub("vm1", "removevolume", {"name": "v"})
    client.wait(lambda: failure() is None)


def test_a_volume_in_the_template_of_a_stopped_machine_is_there_after_the_start(client, machine, claim):
    client.made("persistentvolumeclaims", claim("root"))
    client.made("persistentvolumeclaims", claim("data"))
    client.made(VM, machine(claims=("root",)))
    assert add(client, "v", "data").status_code == 202
    client.sub("vm1", "start")
    client.wait(lambda: status_of(client, "v").get("phase") == "Ready")


def test_a_missing_claim_is_waited_for(client, running, claim):
    running()
    assert add(client, "v", "late").status_code == 202
    client.wait(lambda: status_of(client, "v").get("phase") == "Pending")
    client.made("persistentvolumeclaims", claim("late"))
    client.wait(lambda: status_of(client, "v").get("phase") == "Ready")
