"""Interfaces, CPUs and memory that change while the guest runs."""

from __future__ import annotations

VMI, VM = "virtualmachineinstances", "virtualmachines"


def template(client) -> dict:
    return client.read(VM, "vm1")["spec"]["template"]["spec"]


def interfaces(client) -> dict[str, dict]:
    return {row["name"]: row for row in client.read(VMI, "vm1")["status"].get("interfaces") or ()}


def conditions(client, plural: str = VMI) -> dict[str, str]:
    rows = client.read(plural, "vm1").get("status", {}).get("conditions") or ()
    return {row["type"]: f"{row['status']} {row.get('reason', '')}".strip() for row in rows}


def plug(client, name: str, **interface) -> None:
    row = {"name": name, "bridge": {}, "macAddress": "fa:16:3e:00:00:02", **interface}
    network = {"name": name, "multus": {"networkName": "port-2"}}
    spec = template(client)
    rows = [*(spec["domain"]["devices"].get("interfaces") or ()), row]
    networks = [*(spec.get("networks") or ()), network]
    body = {"spec": {"template": {"spec": {"networks": networks, "domain": {"devices": {"interfaces": rows}}}}}}
    assert client.patch(VM, "vm1", body).status_code == 200


def set_state(client, name: str, state: str) -> None:
    rows = [
        {**row, "state": state} if row["name"] == name else row
        for row in template(client)["domain"]["devices"]["interfaces"]
    ]
    assert (
        client.patch(
            VM, "vm1", {"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": rows}}}}}}
        ).status_code
        == 200
    )


def test_an_interface_is_plugged_in_place_and_out_again(client, running):
    running()
    plug(client, "net2")
    client.wait(lambda: "net2" in interfaces(client))
    assert interfaces(client)["net2"]["mac"] == "fa:16:3e:00:00:02"
    set_state(client, "net2", "down")
    client.wait(lambda: interfaces(client)["net2"]["linkState"] == "down")
    set_state(client, "net2", "absent")
    client.wait(lambda: "net2" not in interfaces(client))
    client.wait(
        lambda: not template(client)["domain"]["devices"].get("interfaces") and not template(client).get("networks")
    )
    assert "RestartRequired" not in conditions(client, VM)


def test_without_dynamic_networks_an_interface_comes_with_a_migration(client, running):
    client.sim_call("POST", "networks", {"dynamic": False})
    source = running()["status"]["nodeName"]
    plug(client, "net2")
    client.wait(lambda: conditions(client).get("MigrationRequired") == "False AutoMigrationPending")
    client.wait(lambda: "net2" in interfaces(client))
    assert client.read(VMI, "vm1")["status"]["nodeName"] != source
    assert "MigrationRequired" not in conditions(client)


def resize(client, sockets: int, memory: str) -> None:
    domain = {"cpu": {"sockets": sockets}, "memory": {"guest": memory}}
    assert client.patch(VM, "vm1", {"spec": {"template": {"spec": {"domain": domain}}}}).status_code == 200


def test_more_cpus_and_memory_come_with_a_migration(client, running):
    source = running()["status"]["nodeName"]
    resize(client, 2, "2Gi")
    client.wait(lambda: {"HotVCPUChange", "HotMemoryChange"} <= conditions(client).keys())
    client.wait(lambda: client.read(VMI, "vm1")["status"]["currentCPUTopology"]["sockets"] == 2)
    vmi = client.read(VMI, "vm1")
    assert vmi["status"]["memory"] == {"guestAtBoot": "1Gi", "guestCurrent": "2Gi", "guestRequested": "2Gi"}
    assert vmi["status"]["nodeName"] != source
    assert not {"HotVCPUChange", "HotMemoryChange"} & conditions(client).keys()
    assert "RestartRequired" not in conditions(client, VM)


def test_less_or_too_much_needs_a_restart(client, running):
    running()
    resize(client, 99, "1Gi")
    client.wait(lambda: "RestartRequired" in conditions(client, VM))
    assert client.read(VMI, "vm1")["spec"]["domain"]["cpu"]["sockets"] == 1


def test_plugged_volumes_stay_plugged_through_a_migration(client, running, claim):
    running(claims=("root",))
    client.made("persistentvolumeclaims", claim("data"))
    source = {"persistentVolumeClaim": {"claimName": "data"}}
    client.sub("vm1", "addvolume", {"name": "v", "disk": {"disk": {"bus": "scsi"}}, "volumeSource": source})

    def row() -> dict:
        rows = client.read(VMI, "vm1")["status"].get("volumeStatus") or ()
        return next((row for row in rows if row["name"] == "v"), {})

    client.wait(lambda: row().get("phase") == "Ready")
    before = row()["hotplugVolume"]["attachPodName"]
    migration = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstanceMigration",
        "metadata": {"name": "m1"},
        "spec": {"vmiName": "vm1"},
    }
    client.made("virtualmachineinstancemigrations", migration)
    client.wait_phase("virtualmachineinstancemigrations", "m1", "Succeeded")
    client.wait(lambda: row()["hotplugVolume"]["attachPodName"] != before)
    assert (row()["phase"], row()["target"]) == ("Ready", "sda")
