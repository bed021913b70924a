"""The VirtualMachine of a server: what each property of flavor, image, port and volume becomes."""

import json
from types import SimpleNamespace

import pytest

from keel_compute.kubevirt import cloudinit, hardware, storage
from keel_compute.kubevirt.disks import Disk, LocalDisk, local_disk, local_disks, next_device, volume_disk
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.kubevirt.nics import Nic, nic_of
from keel_compute.kubevirt.spec import Machine, absent_patch, attach_patch, detach_patch, virtual_machine

SERVER = "11111111-1111-4111-8111-111111111111"
VOLUME = "dddddddd-dddd-4ddd-8ddd-dddddddddddd"
PORT = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"
LABELS = {
    "openstack.org/managed-by": "openkeel-compute",
    "openstack.org/project-id": "p",
    "openstack.org/server-id": SERVER,
}


def machine(**changes) -> Machine:
    values = {"server": SERVER, "project": "p", "host": "node-1", "node_label": "node-1", "vcpus": 2, "memory_mb": 2048}
    return Machine(**{**values, **changes})


def spec(**changes) -> dict:
    return virtual_machine(machine(**changes), "openkeel")["spec"]["template"]["spec"]


def domain(extra_specs=None, properties=None, vcpus=2) -> dict:
    return hardware.domain(vcpus, 2048, extra_specs or {}, properties or {})


def test_identity_and_lifecycle_belong_to_nova():
    body = virtual_machine(machine(hostname="web.example.org"), "openkeel")
    inner = body["spec"]["template"]["spec"]
    assert body["metadata"]["name"] == f"nova-{SERVER}"
    assert body["metadata"]["labels"] == {**LABELS, "openstack.org/host": "node-1"}
    assert body["spec"]["template"]["metadata"]["labels"] == LABELS
    assert body["spec"]["runStrategy"] == "Manual"
    assert inner["evictionStrategy"] == "External"
    assert inner["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
    assert inner["domain"]["firmware"] == {"uuid": SERVER, "serial": SERVER}
    assert inner["domain"]["devices"]["autoattachPodInterface"] is False
    assert inner["hostname"] == "web"
    assert inner["terminationGracePeriodSeconds"] == 60


def test_flavor_gives_cpu_and_memory():
    body = domain()
    assert body["cpu"] == {"sockets": 2, "cores": 1, "threads": 1}
    assert body["memory"] == {"guest": "2048Mi"}


@pytest.mark.parametrize(
    ("extra", "image", "expected"),
    [
        ({"hw:cpu_cores": "2"}, {}, {"sockets": 2, "cores": 2, "threads": 1}),
        ({"hw:cpu_sockets": "1", "hw:cpu_threads": "2"}, {}, {"sockets": 1, "cores": 2, "threads": 2}),
        ({}, {"hw_cpu_threads": "4"}, {"sockets": 1, "cores": 1, "threads": 4}),
    ],
)
def test_topology_is_filled_up_to_the_vcpus(extra, image, expected):
    assert domain(extra, image, vcpus=4)["cpu"] == expected


@pytest.mark.parametrize(
    ("extra", "image", "path", "value"),
    [
        ({"hw:cpu_policy": "dedicated"}, {}, "cpu.dedicatedCpuPlacement", True),
        ({"hw:mem_page_size": "1GB"}, {}, "memory.hugepages.pageSize", "1Gi"),
        ({"hw:watchdog_action": "reset"}, {}, "devices.watchdog.i6300esb.action", "reset"),
        ({}, {"hw_machine_type": "pc-q35-rhel9.6.0"}, "machine.type", "pc-q35-rhel9.6.0"),
        ({}, {"hw_firmware_type": "uefi"}, "firmware.bootloader.efi.secureBoot", False),
        ({"os:secure_boot": "required"}, {"hw_firmware_type": "uefi"}, "features.smm.enabled", True),
        ({"hw:tpm_version": "2.0"}, {}, "devices.tpm.persistent", True),
        ({}, {"hw_video_model": "virtio"}, "devices.video.type", "virtio"),
        ({}, {"hw_video_model": "none"}, "devices.autoattachGraphicsDevice", False),
        ({}, {"hw_vif_multiqueue_enabled": "true"}, "devices.networkInterfaceMultiqueue", True),
        ({}, {"os_type": "windows"}, "clock.timer.hpet.present", False),
        ({"quota:cpu_quota": "50000"}, {}, "resources.limits.cpu", "1000m"),
    ],
)
def test_property_becomes_its_field(extra, image, path, value):
    found = domain(extra, image)
    for key in path.split("."):
        found = found[key]
    assert found == value


@pytest.mark.parametrize(
    ("extra", "image", "words"),
    [
        ({"hw:cpu_policy": "mixed"}, {}, "mixed"),
        ({"hw:cpu_thread_policy": "isolate"}, {}, "isolate"),
        ({"hw:numa_nodes": "2"}, {}, "only 1"),
        ({"hw:numa_cpus.0": "0,1"}, {}, "hw:numa_cpus.0"),
        ({"quota:disk_read_iops_sec": "10"}, {}, "quota:disk_read_iops_sec"),
        ({"hw:cpu_sockets": "3"}, {}, "topology"),
        ({"os:secure_boot": "required"}, {}, "without UEFI"),
        ({}, {"hw_machine_type": "pc"}, "machine type"),
        ({}, {"hw_video_model": "qxl"}, "qxl"),
        ({"hw:tpm_version": "1.2"}, {}, "1.2"),
        ({"hw:cpu_policy": "shared"}, {"hw_cpu_policy": "dedicated"}, "contradict"),
    ],
)
def test_what_kubevirt_does_not_have_is_refused_by_name(extra, image, words):
    with pytest.raises(Unsupported, match=words):
        domain(extra, image)


def test_disks_and_config_drive():
    disks = [
        Disk("root", "nova-x-root", boot_index=0),
        Disk(f"v-{VOLUME}", f"volume-{VOLUME}", serial=VOLUME, hotpluggable=True),
    ]
    inner = spec(disks=disks, config_drive=True, ssh_key=True)
    assert inner["domain"]["devices"]["disks"] == [
        {"name": "root", "disk": {"bus": "virtio"}, "bootOrder": 1},
        {"name": f"v-{VOLUME}", "disk": {"bus": "virtio"}, "serial": VOLUME},
        {"name": "config", "cdrom": {"bus": "sata"}},
    ]
    assert inner["volumes"] == [
        {"name": "root", "persistentVolumeClaim": {"claimName": "nova-x-root"}},
        {"name": f"v-{VOLUME}", "persistentVolumeClaim": {"claimName": f"volume-{VOLUME}", "hotpluggable": True}},
        {"name": "config", "cloudInitConfigDrive": {"secretRef": {"name": f"nova-{SERVER}-userdata"}}},
    ]
    assert inner["accessCredentials"][0]["sshPublicKey"]["source"] == {"secret": {"secretName": f"nova-{SERVER}-keys"}}


def bdm(**values):
    names = ("volume_id", "device_type", "disk_bus", "boot_index", "source_type", "destination_type", "guest_format")
    return SimpleNamespace(**{**dict.fromkeys((*names, "volume_size")), "volume_id": VOLUME, **values})


def info(**data) -> dict:
    return {"driver_volume_type": "csi", "data": {"claim_name": f"volume-{VOLUME}", "access_mode": "rw", **data}}


def test_attached_volume_can_leave_a_running_guest():
    disk = volume_disk(bdm(), info(), {}, root=False)
    assert (disk.name, disk.claim, disk.serial, disk.hotpluggable) == (f"v-{VOLUME}", f"volume-{VOLUME}", VOLUME, True)


def test_sata_is_not_used_for_a_volume_that_is_plugged():
    assert volume_disk(bdm(disk_bus="sata"), info(), {}, root=False).bus == "virtio"
    assert volume_disk(bdm(disk_bus="sata", boot_index=0), info(), {}, root=True).bus == "sata"


def test_shared_volume_is_not_cached():
    assert volume_disk(bdm(), info(shareable=True), {}, root=False).disk()["cache"] == "none"


def test_volume_of_another_backend_is_refused():
    with pytest.raises(Unsupported, match="rbd"):
        volume_disk(bdm(), {"driver_volume_type": "rbd", "data": {}}, {}, root=False)


def test_local_disks_follow_the_mappings():
    flavor = SimpleNamespace(root_gb=10, ephemeral_gb=5, swap=1536)
    mappings = [
        bdm(source_type="image", destination_type="local", boot_index=0),
        bdm(source_type="volume", destination_type="volume"),
        bdm(source_type="blank", destination_type="local"),
        bdm(source_type="blank", destination_type="local", guest_format="swap"),
    ]
    assert local_disks(mappings, flavor, {}) == [
        LocalDisk("root", 10, from_image=True),
        LocalDisk("eph0", 5),
        LocalDisk("swap", 2),
    ]


def test_flavor_without_disk_takes_the_size_of_the_image():
    flavor = SimpleNamespace(root_gb=0, ephemeral_gb=0, swap=0)
    mappings = [bdm(source_type="image", destination_type="local", boot_index=0)]
    assert local_disks(mappings, flavor, {"virtual_size": 3 * 1024**3 + 1})[0].size_gb == 4


def test_iso_boots_as_cdrom():
    disk = local_disk(SERVER, LocalDisk("root", 1, from_image=True), {"disk_format": "iso"})
    assert (disk.device, disk.bus) == ("cdrom", "sata")


@pytest.mark.parametrize(
    ("bus", "taken", "name"),
    [
        (None, [], "/dev/vda"),
        ("virtio", ["/dev/vda", None, "/dev/sdb"], "/dev/vdc"),
        ("scsi", ["/dev/vda"], "/dev/sdb"),
        (None, [f"/dev/vd{chr(97 + each)}" for each in range(26)], "/dev/vdaa"),
    ],
)
def test_next_free_device_name(bus, taken, name):
    assert next_device(bus, taken) == name


def test_port_becomes_card_and_attachment():
    nic = Nic(PORT, "fa:16:3e:00:00:05", mtu=1450)
    assert nic.interface() == {
        "name": "p-cccccccccccc",
        "macAddress": "fa:16:3e:00:00:05",
        "model": "virtio",
        "bridge": {},
    }
    assert nic.network() == {"name": "p-cccccccccccc", "multus": {"networkName": f"port-{PORT}"}}
    attachment = nic.attachment("openkeel", LABELS)
    assert attachment["metadata"]["name"] == f"port-{PORT}"
    config = json.loads(attachment["spec"]["config"])
    assert (config["args"], config["bridge"], config["mtu"]) == ({"cni": {"ovnPort": PORT}}, "br-int", 1450)
    assert "ipam" not in config


@pytest.mark.parametrize("kind", ["binding_failed", "unbound"])
def test_port_that_is_not_bound_is_refused(kind):
    vif = {"id": PORT, "type": kind, "details": {}, "address": "fa:16:3e:00:00:05", "network": {}}
    with pytest.raises(Unsupported, match="not bound"):
        nic_of(vif, "virtio")


def test_image_import_carries_token_and_digest():
    source = storage.Source("http://glance/file", "secret", "sha512:abc")
    body = storage.data_volume(SERVER, LocalDisk("root", 5, True), "ns", LABELS, storage.Storage("fast"), source)
    assert body["spec"]["source"]["http"] == {
        "url": "http://glance/file",
        "secretExtraHeaders": ["secret"],
        "checksum": "sha512:abc",
    }
    assert body["spec"]["storage"] == {"resources": {"requests": {"storage": "5Gi"}}, "storageClassName": "fast"}


def test_importer_error_is_told():
    condition = {"type": "Running", "status": "False", "reason": "Error", "message": "401 Unauthorized"}
    volume = {"status": {"phase": "ImportInProgress", "restartCount": 3, "conditions": [condition]}}
    assert storage.progress(volume) == (False, "401 Unauthorized")
    assert storage.gave_up(volume, 3)
    assert not storage.gave_up(volume, 4)


def test_empty_user_data_is_still_cloud_config():
    data = cloudinit.secret(SERVER, "ns", LABELS, None)["data"]
    assert set(data) == {"userdata"}


def test_plugging_twice_is_plugging_once():
    inner = spec(disks=[Disk("root", "claim")])
    disk = Disk("v-1", "volume-1", hotpluggable=True)
    operations = attach_patch(inner, disk)
    assert [each["path"] for each in operations] == [
        "/spec/template/spec/volumes/-",
        "/spec/template/spec/domain/devices/disks/-",
    ]
    inner["volumes"].append(disk.volume())
    assert attach_patch(inner, disk) == []


def test_unplugging_names_what_it_removes():
    inner = spec(disks=[Disk("root", "claim"), Disk("v-1", "volume-1")])
    operations = detach_patch(inner, "v-1")
    assert operations[0] == {"op": "test", "path": "/spec/template/spec/volumes/1/name", "value": "v-1"}
    assert detach_patch(inner, "v-2") == []


def test_card_of_a_running_guest_is_asked_to_leave():
    inner = spec(nics=[Nic(PORT, "fa:16:3e:00:00:05")])
    assert absent_patch(inner, "p-cccccccccccc")[1]["value"] == "absent"


@pytest.mark.parametrize("given", ["I2Nsb3VkLWNv\nbmZpZwo=", "I2Nsb3VkLWNvbmZpZwo=", "I2Ns b3VkLWNvbmZpZwo="])
def test_user_data_is_written_as_strictly_as_the_cluster_reads_it(given):
    data = cloudinit.secret("s", "servers", {}, given)["data"]
    assert data == {"userdata": "I2Nsb3VkLWNvbmZpZwo="}
