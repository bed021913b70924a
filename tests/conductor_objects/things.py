"""Objects that seeds and cases share, and their wire forms."""

# fmt: off - tables of calls and rows are read line by line

import json
from typing import Any

from conductor_objects import names
from keel_contract.nova.objects import REGISTRY


def wire(obj: Any) -> Any:
    """The wire form of an object (in any nesting), other values as they are."""
    if hasattr(obj, "to_primitive"):
        return obj.to_primitive()
    if isinstance(obj, dict):
        return {key: wire(value) for key, value in obj.items()}
    if isinstance(obj, list | tuple | set):
        return [wire(value) for value in obj]
    return obj


def text(obj: Any) -> str:
    """The wire form as the text of a column."""
    return json.dumps(wire(obj))


def made(name: str, /, **values: Any) -> Any:
    """A new object: every value is a change."""
    return REGISTRY.classes[name](**values)


def held(name: str, values: dict[str, Any], /, **changes: Any) -> Any:
    """An object that was read with `values` and changed since."""
    obj = made(name, **values)
    obj.obj_reset_changes(recursive=True)
    for field, value in changes.items():
        setattr(obj, field, value)
    return obj


def flavor(number: int = 1, **changes: Any) -> Any:
    values = {
        "id": number,
        "name": f"m1.{number}",
        "flavorid": str(number),
        "memory_mb": 512 * number,
        "vcpus": number,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "swap": 0,
        "rxtx_factor": 1.0,
        "vcpu_weight": 0,
        "disabled": False,
        "is_public": True,
        "extra_specs": {"hw:cpu_policy": "shared"} if number == 1 else {},
        "description": None,
        "created_at": None,
        "updated_at": None,
        "deleted_at": None,
        "deleted": False,
    }
    return held("Flavor", values | changes)


def instance(uuid: str = names.ACTIVE, number: int = 1, **changes: Any) -> Any:
    """A server as a compute holds it after it read it, with `changes` since."""
    values = {
        "id": number,
        "uuid": uuid,
        "host": names.HOST,
        "node": names.HOST,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "vm_state": "active",
        "task_state": None,
        "deleted": False,
        "display_name": "active",
        "metadata": {"role": "web"},
        "system_metadata": {"image_min_ram": "0"},
    }
    return held("Instance", values, **changes)


def numa_topology(uuid: str) -> Any:
    cell = made(
        "InstanceNUMACell",
        id=0,
        cpuset={0, 1},
        pcpuset=set(),
        memory=512,
        pagesize=None,
        cpu_policy="shared",
        cpu_thread_policy=None,
        cpuset_reserved=None,
        cpu_pinning_raw=None,
        cpu_topology=None,
    )
    return made("InstanceNUMATopology", instance_uuid=uuid, cells=[cell], emulator_threads_policy=None)


def pci_requests(uuid: str) -> Any:
    request = made(
        "InstancePCIRequest",
        count=1,
        spec=[{"vendor_id": "8086"}],
        alias_name="net",
        is_new=False,
        numa_policy="legacy",
        request_id=names.uuid(0x9C1, 1),
        requester_id=None,
    )
    return made("InstancePCIRequests", instance_uuid=uuid, requests=[request])


def migration_context(uuid: str, number: int = 1) -> Any:
    return made(
        "MigrationContext",
        instance_uuid=uuid,
        migration_id=number,
        new_numa_topology=None,
        old_numa_topology=numa_topology(uuid),
        new_pci_devices=None,
        old_pci_devices=None,
        new_pci_requests=None,
        old_pci_requests=None,
        new_resources=None,
        old_resources=None,
    )


def resources() -> Any:
    one = made(
        "Resource",
        provider_uuid=names.NODE1,
        resource_class="CUSTOM_PMEM",
        identifier="ns_0",
        metadata=made("LibvirtVPMEMDevice", label="4GB", name="ns_0", devpath="/dev/dax0.0", size=4096, align=2097152),
    )
    return made("ResourceList", objects=[one])


def vcpu_model() -> Any:
    return made(
        "VirtCPUModel",
        arch="x86_64",
        vendor="Intel",
        topology=None,
        features=[],
        mode="custom",
        model="Nehalem",
        match="exact",
    )


def device_metadata() -> Any:
    bus = made("PCIDeviceBus", address="0000:00:03.0")
    nic = made("NetworkInterfaceMetadata", mac="fa:16:3e:00:00:01", vlan=7, vf_trusted=False, bus=bus, tags=["public"])
    return made("InstanceDeviceMetadata", devices=[nic])


def key_pair() -> Any:
    return held(
        "KeyPair",
        {
            "id": 1,
            "name": "key",
            "user_id": names.USER,
            "fingerprint": "aa:bb",
            "type": "ssh",
            "public_key": "ssh-rsa AAAA key",
        },
    )


def image() -> Any:
    return made(
        "ImageMeta",
        id=names.IMAGE,
        name="cirros",
        status="active",
        size=1024,
        min_ram=0,
        min_disk=0,
        container_format="bare",
        disk_format="qcow2",
        properties=made("ImageMetaProps", hw_disk_bus="virtio"),
    )


def request_spec(uuid: str = names.ACTIVE, **changes: Any) -> Any:
    values = {
        "instance_uuid": uuid,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "num_instances": 1,
        "flavor": flavor(),
        "image": image(),
        "availability_zone": None,
        "force_hosts": None,
        "force_nodes": None,
        "ignore_hosts": ["node-9"],
        "instance_group": None,
        "is_bfv": False,
        "numa_topology": None,
        "pci_requests": made("InstancePCIRequests", instance_uuid=uuid, requests=[]),
        "requested_destination": None,
        "retry": None,
        "scheduler_hints": {"group": [names.GROUP]},
        "limits": made("SchedulerLimits", numa_topology=None, vcpu=None, memory_mb=None, disk_gb=None),
        "security_groups": made("SecurityGroupList", objects=[]),
        "requested_resources": [],
    }
    return made("RequestSpec", **(values | changes))


def planned(uuid: str = names.PLANNED, **changes: Any) -> Any:
    """A server that is not in a cell yet."""
    values = {
        "uuid": uuid,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "display_name": "planned",
        "hostname": "planned",
        "vm_state": "building",
        "task_state": "scheduling",
        "memory_mb": 512,
        "vcpus": 1,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "launch_index": 0,
        "image_ref": names.IMAGE,
        "metadata": {"role": "new"},
        "system_metadata": {"image_min_ram": "0"},
        "flavor": flavor(),
        "old_flavor": None,
        "new_flavor": None,
        "reservation_id": "r-planned",
        "power_state": 0,
        "locked": False,
        "instance_type_id": 1,
        "info_cache": made("InstanceInfoCache", instance_uuid=uuid, network_info=[]),
        "security_groups": made("SecurityGroupList", objects=[]),
        "config_drive": "",
        "user_data": None,
    }
    return made("Instance", **(values | changes))


def build_request(uuid: str = names.PLANNED, **changes: Any) -> Any:
    devices = made("BlockDeviceMappingList", objects=[])
    tags = made("TagList", objects=[])
    values = {
        "instance_uuid": uuid,
        "project_id": names.PROJECT,
        "instance": planned(uuid),
        "block_device_mappings": devices,
        "tags": tags,
    }
    return made("BuildRequest", **(values | changes))
