"""VirtualMachines: defaults, refusals, and the sequence of states from start to stop and deletion."""

from __future__ import annotations

from collections.abc import Callable

import pytest

VMI, VM = "virtualmachineinstances", "virtualmachines"


def denied(answer) -> str:
    body = answer.json()
    assert (answer.status_code, body["reason"]) == (422, "Invalid")
    assert set(body["details"]) == {"causes"}
    assert body["message"].startswith('admission webhook "virtualmachine')
    return body["message"]


def test_the_mutating_hook_completes_the_template(client, machine):
    made = client.made(VM, machine())
    template = made["spec"]["template"]
    domain = template["spec"]["domain"]
    assert template["spec"]["architecture"] == "amd64" and domain["machine"]["type"] == "q35"
    assert len(domain["firmware"]["uuid"]) == 36 and domain["firmware"]["serial"]
    assert made["metadata"]["annotations"]["kubevirt.io/pci-topology-version"] == "v3"
    assert "status" not in made
    settled = client.wait(lambda: (found := client.read(VM, "vm1")).get("status") and found)
    assert settled["metadata"]["finalizers"] == ["kubevirt.io/virtualMachineControllerFinalize"]
    assert settled.get("status", {}).get("printableStatus") == "Stopped"
    ready = settled["status"]["conditions"][0]
    assert (ready["type"], ready["status"], ready["reason"]) == ("Ready", "False", "VMINotExists")


def test_a_given_firmware_uuid_is_kept(client, machine):
    body = machine()
    body["spec"]["template"]["spec"]["domain"]["firmware"] = {"uuid": "11111111-2222-3333-4444-555555555555"}
    made = client.made(VM, body)
    assert made["spec"]["template"]["spec"]["domain"]["firmware"]["uuid"] == "11111111-2222-3333-4444-555555555555"


def broken(machine, change) -> dict:
    body = machine(claims=("root",))
    change(body["spec"], body["spec"]["template"]["spec"])
    return body


def disks(template: dict) -> list:
    return template["domain"]["devices"]["disks"]


CD_ROM = {"name": "root", "cdrom": {"bus": "virtio"}}
NIC = {"name": "n", "bridge": {}}
SECURE_BOOT = {"bootloader": {"efi": {}}}
LONG_USER_DATA = {"name": "ci", "cloudInitConfigDrive": {"userData": "x" * 2049}}
SMALL_MAXIMUM = {"guest": "2Gi", "maxGuest": "1Gi"}
NODE_LABEL = {"kubevirt.io/nodeName": "x"}
REFUSED: dict[str, tuple[Callable[[dict, dict], object], str]] = {
    "both running and runStrategy": (lambda s, t: s.update(running=True), "mutually exclusive"),
    "neither": (lambda s, t: s.pop("runStrategy"), "One of Running or RunStrategy must be specified"),
    "an unknown strategy": (lambda s, t: s.update(runStrategy="Sometimes"), "Invalid RunStrategy (Sometimes)"),
    "a disk without volume": (lambda s, t: t.update(volumes=[]), "domain.devices.disks[0].name 'root' not found"),
    "a duplicate volume": (lambda s, t: t["volumes"].append(t["volumes"][0]), "must not have the same Name"),
    "a duplicate disk": (lambda s, t: disks(t).append(disks(t)[0]), "must not have the same Name"),
    "the bus ide": (lambda s, t: disks(t)[0].update(disk={"bus": "ide"}), "IDE bus is not supported"),
    "a virtio CD-ROM": (lambda s, t: disks(t).__setitem__(0, CD_ROM), "Bus type virtio is invalid for CD-ROM device"),
    "boot order 0": (lambda s, t: disks(t)[0].update(bootOrder=0), "must have a boot order > 0"),
    "i440fx": (lambda s, t: t["domain"].update(machine={"type": "pc"}), "machine.type is not supported: pc"),
    "an interface without network": (
        lambda s, t: t["domain"]["devices"].update(interfaces=[NIC]),
        "interfaces[0].name 'n' not found",
    ),
    "a reserved label": (
        lambda s, t: s["template"]["metadata"]["labels"].update(NODE_LABEL),
        "reserved kubevirt.io/ labels",
    ),
    "secure boot without SMM": (lambda s, t: t["domain"].update(firmware=SECURE_BOOT), "SecureBoot requires SMM"),
    "user data above 2048 bytes": (lambda s, t: t["volumes"].append(LONG_USER_DATA), "exceeds 2048 byte limit"),
    "more guest memory than the maximum": (
        lambda s, t: t["domain"].update(memory=SMALL_MAXIMUM),
        "greater than the configured maxGuest",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_machine_is_refused_with(client, machine, what):
    change, text = REFUSED[what]
    assert text in denied(client.create(VM, broken(machine, change)))


def test_type_errors_are_reported_by_the_mutating_hook(client, machine):
    body = machine()
    body["spec"]["template"]["spec"]["domain"]["cpu"]["sockets"] = "many"
    message = denied(client.create(VM, body))
    assert message.startswith('admission webhook "virtualmachines-mutator.kubevirt.io" denied the request: ')
    assert "spec.template.spec.domain.cpu.sockets" in message


def test_a_started_machine_passes_all_phases_and_runs(client, machine, claim):
    client.made("persistentvolumeclaims", claim("root"))
    client.made(VM, machine(claims=("root",)))
    version = client.get(VMI).json()["metadata"]["resourceVersion"]
    stream = client.watch(VMI, resourceVersion=version)
    assert client.sub("vm1", "start").status_code == 202
    phases, first = [], None
    for event in stream:
        first = first or event["object"]
        phase = event["object"]["status"]["phase"]
        if phase not in phases:
            phases.append(phase)
        if phase == "Running":
            break
    assert phases == ["Pending", "Scheduling", "Scheduled", "Running"]
    cpu = first["spec"]["domain"]["cpu"]
    assert (cpu["model"], cpu["maxSockets"], first["spec"]["domain"]["memory"]["maxGuest"]) == ("host-model", 4, "4Gi")
    assert first["metadata"]["ownerReferences"][0]["kind"] == "VirtualMachine"
    assert first["metadata"]["finalizers"] == [
        "kubevirt.io/virtualMachineControllerFinalize",
        "kubevirt.io/foregroundDeleteVirtualMachine",
    ]
    vmi = client.read(VMI, "vm1")
    assert vmi["metadata"]["labels"]["kubevirt.io/nodeName"] == vmi["status"]["nodeName"]
    assert vmi["status"]["volumeStatus"][0]["persistentVolumeClaimInfo"]["claimName"] == "root"
    assert vmi["status"]["volumeStatus"][0]["target"] == "vda"
    vm = client.wait(lambda: (found := client.read(VM, "vm1"))["status"].get("ready") and found)
    assert vm.get("status", {}).get("printableStatus") == "Running" and vm["status"]["created"] is True
    assert "stateChangeRequests" not in vm["status"]
    pods = client.get("pods", labelSelector=f"kubevirt.io/created-by={vmi['metadata']['uid']}").json()["items"]
    assert pods[0]["metadata"]["name"].startswith("virt-launcher-vm1-")
    assert pods[0]["spec"]["nodeName"] == vmi["status"]["nodeName"]


def test_nothing_has_happened_yet_when_start_answers(client, machine):
    client.made(VM, machine())
    client.wait(lambda: client.read(VM, "vm1").get("status"))
    client.sim_call("POST", "controllers/vm", {"paused": True})
    assert client.sub("vm1", "start").status_code == 202
    assert client.read(VM, "vm1")["status"]["stateChangeRequests"] == [{"action": "Start"}]
    assert client.get(VMI, "vm1").status_code == 404
    again = client.sub("vm1", "start")
    assert again.status_code == 500 and "stop/start already underway" in again.json()["message"]
    client.sim_call("POST", "controllers/vm", {"paused": False})
    client.wait_phase(VMI, "vm1", "Running")


def test_starting_twice_and_stopping_twice_conflict(client, running):
    running()
    answer = client.sub("vm1", "start")
    assert answer.status_code == 409
    assert (
        answer.json()["message"]
        == 'Operation cannot be fulfilled on virtualmachine.kubevirt.io "vm1": VM is already running'
    )
    assert answer.json()["details"] == {"name": "vm1", "group": "kubevirt.io", "kind": "virtualmachine"}
    assert client.sub("vm1", "stop").status_code == 202
    client.wait_gone(VMI, "vm1")
    answer = client.sub("vm1", "stop")
    assert answer.status_code == 409 and answer.json()["message"].endswith("VM is not running")
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Stopped")
    assert "created" not in client.read(VM, "vm1")["status"]
    assert client.get("pods").json()["items"] == []


def test_while_it_stops_a_machine_cannot_be_started(client, running):
    client.sim_call("POST", "guests/vm1", {"acpi": False})
    running()
    assert client.sub("vm1", "stop").status_code == 202
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Stopping")
    assert client.sub("vm1", "start").status_code == 409
    client.sim_call("POST", "clock", {"advance": 40})
    client.wait_gone(VMI, "vm1")


def test_a_stop_with_grace_period_zero_pulls_the_plug(client, running):
    client.sim_call("POST", "guests/vm1", {"acpi": False})
    running()
    assert client.sub("vm1", "stop", {"gracePeriod": 0}).status_code == 202
    client.wait_gone(VMI, "vm1")


def test_a_restart_gives_a_new_instance(client, running):
    before = running()
    client.sim_call("POST", "controllers/vm", {"paused": True})
    assert client.sub("vm1", "restart", {"gracePeriodSeconds": 0}).status_code == 202
    assert client.sub("vm1", "restart").status_code == 500
    client.sim_call("POST", "controllers/vm", {"paused": False})
    client.wait(lambda: client.read(VMI, "vm1").get("metadata", {}).get("uid") not in (None, before["metadata"]["uid"]))
    client.wait_phase(VMI, "vm1", "Running")
    assert client.sub("vm1", "restart", {"gracePeriodSeconds": 5}).status_code == 400


def test_pause_and_unpause(client, running):
    running()

    def vmi_call(sub: str) -> int:
        return client.sub("vm1", sub, plural=VMI).status_code

    assert vmi_call("unpause") == 409
    assert vmi_call("pause") == 200
    assert vmi_call("pause") == 409
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Paused")
    assert client.read(VMI, "vm1")["status"]["phase"] == "Running"
    assert vmi_call("softreboot") == 409
    assert vmi_call("unpause") == 200
    assert vmi_call("softreboot") == 200
    assert vmi_call("reset") == 200
    assert client.sub("none", "pause", plural=VMI).status_code == 404


def test_a_guest_that_powers_itself_off_leaves_a_final_instance(client, running):
    before = running()
    client.sim_call("POST", f"guest-events/{client.namespace}/vm1", {"event": "poweroff"})
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Stopped")
    vm = client.read(VM, "vm1")
    assert vm["status"]["created"] is True
    assert client.read(VMI, "vm1")["status"]["phase"] == "Succeeded"
    assert client.sub("vm1", "stop").status_code == 409
    assert client.sub("vm1", "start").status_code == 202
    client.wait(lambda: client.read(VMI, "vm1").get("metadata", {}).get("uid") not in (None, before["metadata"]["uid"]))
    client.wait_phase(VMI, "vm1", "Running")


def test_a_final_instance_can_be_deleted(client, running):
    running()
    client.sim_call("POST", f"guest-events/{client.namespace}/vm1", {"event": "crash"})
    client.wait_phase(VMI, "vm1", "Failed")
    client.delete(VMI, "vm1")
    client.wait_gone(VMI, "vm1")
    client.wait(lambda: "created" not in client.read(VM, "vm1")["status"])


def test_a_guest_that_never_boots_stays_scheduled(client, machine):
    client.sim_call("POST", "guests/vm1", {"boot": "never"})
    client.made(VM, machine())
    client.sub("vm1", "start")
    client.wait_phase(VMI, "vm1", "Scheduled")
    client.sim_call("POST", "clock", {"advance": 600})
    assert client.read(VMI, "vm1")["status"]["phase"] == "Scheduled"
    assert client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Starting"


def test_a_guest_that_crashes_at_boot_backs_off_with_always(client, machine):
    client.sim_call("POST", "guests/vm1", {"boot": "crashes"})
    body = machine()
    body["spec"]["runStrategy"] = "Always"
    client.made(VM, body)
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "CrashLoopBackOff")
    assert client.read(VM, "vm1")["status"]["startFailure"]["consecutiveFailCount"] >= 1


def test_a_missing_claim_is_waited_for(client, machine, claim):
    client.made(VM, machine(claims=("root",)))
    client.sub("vm1", "start")
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "ErrorPvcNotFound")
    vmi = client.read(VMI, "vm1")
    reasons = {row["type"]: row.get("reason") for row in vmi["status"]["conditions"]}
    assert vmi["status"]["phase"] == "Pending"
    assert (reasons["Synchronized"], reasons["PodScheduled"]) == ("FailedPvcNotFound", "Unschedulable")
    client.made("persistentvolumeclaims", claim("root"))
    client.wait_phase(VMI, "vm1", "Running")


def test_a_machine_that_fits_nowhere_is_unschedulable(client, machine):
    client.made(VM, machine(nodeSelector={"kubernetes.io/hostname": "node-99"}))
    client.sub("vm1", "start")
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "ErrorUnschedulable")
    assert client.read(VMI, "vm1")["status"]["phase"] == "Scheduling"
    large = machine("large")
    large["spec"]["template"]["spec"]["domain"]["memory"] = {"guest": "500Gi"}
    client.made(VM, large)
    client.sub("large", "start")
    client.wait(lambda: client.read(VM, "large").get("status", {}).get("printableStatus") == "ErrorUnschedulable")
    row = next(row for row in client.read(VMI, "large")["status"]["conditions"] if row["type"] == "PodScheduled")
    assert "4 Insufficient memory" in row["message"]
    assert client.sub("vm1", "stop").status_code == 202
    client.wait_gone(VMI, "vm1")


def test_the_node_selector_decides(client, running):
    vmi = running(nodeSelector={"kubernetes.io/hostname": "node-3"})
    assert vmi["status"]["nodeName"] == "node-3"


def test_an_instance_that_is_refused_leaves_the_request_queued(client, machine):
    body = machine()
    body["spec"]["template"]["spec"]["volumes"] = [{"name": "stray", "emptyDisk": {"capacity": "1Gi"}}]
    client.made(VM, body)
    client.sub("vm1", "start")

    def failure():
        rows = client.read(VM, "vm1").get("status", {}).get("conditions") or ()
        return next((row for row in rows if row["type"] == "Failure"), None)

    row = client.wait(failure)
    assert row["reason"] == "FailedCreate" and row["message"].startswith("Failure while starting VMI: ")
    assert client.sub("vm1", "start").status_code == 500
    assert client.sub("vm1", "stop").status_code == 409
    client.patch(VM, "vm1", {"spec": {"template": {"spec": {"volumes": []}}}})
    client.wait_phase(VMI, "vm1", "Running")


def test_halted_and_always_are_switched_by_start_and_stop(client, machine):
    body = machine()
    body["spec"]["runStrategy"] = "Halted"
    client.made(VM, body)
    assert client.sub("vm1", "stop").status_code == 409
    assert client.sub("vm1", "start").status_code == 202
    assert client.read(VM, "vm1")["spec"]["runStrategy"] == "Always"
    client.wait_phase(VMI, "vm1", "Running")
    assert client.sub("vm1", "start").status_code == 409
    assert client.sub("vm1", "stop").status_code == 202
    assert client.read(VM, "vm1")["spec"]["runStrategy"] == "Halted"
    client.wait_gone(VMI, "vm1")


def test_a_paused_start(client, machine):
    client.made(VM, machine())
    assert client.sub("vm1", "start", {"paused": True}).status_code == 202
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Paused")
    assert client.sub("vm1", "unpause", plural=VMI).status_code == 200
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus") == "Running")


def test_deleting_a_machine_ends_its_instance_and_keeps_its_claims(client, running):
    running(claims=("root",))
    answer = client.delete(VM, "vm1")
    assert answer.status_code == 200 and answer.json()["metadata"]["deletionTimestamp"]
    client.wait(lambda: client.read(VM, "vm1").get("status", {}).get("printableStatus", "Terminating") == "Terminating")
    client.wait_gone(VM, "vm1")
    assert client.get(VMI, "vm1").status_code == 404
    assert client.read("persistentvolumeclaims", "root")["status"]["phase"] == "Bound"


def test_status_and_spec_of_an_instance_are_not_for_clients(client, running):
    running()
    assert client.patch(VMI, "vm1", {"status": {"phase": "Failed"}}).json()["status"]["phase"] == "Running"
    answer = client.patch(VMI, "vm1", {"spec": {"hostname": "other"}})
    assert answer.status_code == 422 and "update of VMI object is restricted" in answer.json()["message"]


def test_networks_reach_the_launcher_as_a_multus_annotation(client, machine):
    interfaces = [{"name": "net1", "bridge": {}, "macAddress": "fa:16:3e:00:00:01"}]
    body = machine(networks=[{"name": "net1", "multus": {"networkName": "port-1"}}])
    body["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"] = interfaces
    client.made(VM, body)
    client.sub("vm1", "start")
    vmi = client.wait_phase(VMI, "vm1", "Running")
    assert vmi["status"]["interfaces"][0]["mac"] == "fa:16:3e:00:00:01"
    pod = client.get("pods").json()["items"][0]
    networks = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]
    assert '"name":"port-1"' in networks and '"mac":"fa:16:3e:00:00:01"' in networks


def test_a_changed_template_asks_for_a_restart(client, running):
    running()
    client.patch(VM, "vm1", {"spec": {"template": {"spec": {"hostname": "other"}}}})

    def restart():
        return any(row["type"] == "RestartRequired" for row in client.read(VM, "vm1")["status"]["conditions"])

    client.wait(restart)
    client.patch(VM, "vm1", {"spec": {"template": {"spec": {"hostname": None}}}})
    client.wait(lambda: not restart())


def test_an_instancetype_gives_cpu_and_memory(client, machine):
    small = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "small"},
        "spec": {"cpu": {"guest": 3}, "memory": {"guest": "3Gi"}},
    }
    client.made("virtualmachineclusterinstancetypes", small)
    body = machine()
    body["spec"]["instancetype"] = {"name": "small"}
    assert "conflicts with selected instance type" in denied(client.create(VM, body))
    body["spec"]["template"]["spec"]["domain"].update(cpu={}, memory={})
    client.made(VM, body)
    client.sub("vm1", "start")
    vmi = client.wait_phase(VMI, "vm1", "Running")
    assert vmi["status"]["currentCPUTopology"]["sockets"] == 3 and vmi["spec"]["domain"]["memory"]["guest"] == "3Gi"
    client.delete("virtualmachineclusterinstancetypes", "small")


def test_the_console_log_is_that_of_the_launcher(client, running):
    running()
    pod = client.get("pods").json()["items"][0]["metadata"]["name"]
    assert "Simulated Linux booting" in client.get("pods", f"{pod}/log", container="guest-console-log").text
    assert client.get("pods", f"{pod}/log", container="none").status_code == 400


def test_what_virt_api_does_not_know_is_refused(client, running):
    running()
    assert client.sub("vm1", "explode").status_code == 404
    assert client.sub("vm1", "start", method="POST").status_code == 405
    assert client.sub("vm1", "guestosinfo", plural=VMI, method="GET").status_code in (200, 500)
