"""Values for the parameters of Nova's clients.

Whatever a client hands on as it is gets a made-up text. What it looks into or turns into an older form is a real
object, filled so that the older form shows every part.
"""

from nova import objects

A = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
B = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
C = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"


def samples():
    """Name of a parameter -> value."""
    flavor = _flavor()
    found = {
        "instance": _instance(),
        "instances": [_instance()],
        "migration": objects.Migration(source_compute="<source>", dest_compute="<destination>", id=1),
        "flavor": flavor,
        "image": {"id": A, "name": "image", "properties": {"hw_disk_bus": "virtio"}},
        "filter_properties": {"instance_type": flavor, "retry": {"num_attempts": 1}},
        "filter_properties~other": {"retry": {"num_attempts": 2}},
        "request_spec": _spec(flavor),
        "spec_obj": _spec(flavor),
        "requested_networks": _networks(),
        "block_device_mapping": _devices(),
        "bdms": _devices(),
        "limits": objects.SchedulerLimits(memory_mb=512, disk_gb=10, vcpu=2, numa_topology=None),
        "security_groups": ["default"],
        "arg": {"some": ["thing"]},
        "objname": "Instance",
        "objver": objects.Instance.VERSION,
        "timeout": 7,
    }
    for name in FLAGS:
        found[name] = True
    for value in found.values():
        _saved(value)
    return found


FLAGS = (
    "block_migration", "cast", "clean_shutdown", "delete_attachment", "delete_on_termination", "destroy_disks",
    "disk_over_commit", "do_cast", "enabled", "legacy_bdm", "live", "multiattach", "on_shared_storage",
    "preserve_ephemeral", "rebuild", "recreate", "reimage_boot_volume", "return_alternates", "return_objects",
    "supports_multiattach",
)  # fmt: skip


def _flavor():
    return objects.Flavor(
        id=1, name="m1.small", memory_mb=512, vcpus=1, root_gb=1, ephemeral_gb=0, flavorid="1", swap=0,
        rxtx_factor=1.0, vcpu_weight=0, disabled=False, is_public=True, extra_specs={"hw:cpu_policy": "shared"},
        projects=["p"],
    )  # fmt: skip


def _instance():
    return objects.Instance(
        id=1, uuid=A, host="<instance.host>", node="node", project_id="p", user_id="u", memory_mb=512
    )


def _networks():
    return objects.NetworkRequestList(
        objects=[
            objects.NetworkRequest(network_id=B, address="192.0.2.1", port_id=None, pci_request_id=None, tag=None),
            objects.NetworkRequest(network_id=None, address=None, port_id=C, pci_request_id=None, tag="x"),
        ]
    )


def _devices():
    return objects.BlockDeviceMappingList(
        objects=[
            objects.BlockDeviceMapping(
                id=1, uuid=B, instance_uuid=A, source_type="volume", destination_type="volume", boot_index=0,
                volume_id=C, volume_size=1, delete_on_termination=False, device_name="/dev/vda",
            )
        ]
    )  # fmt: skip


def _spec(flavor):
    return objects.RequestSpec(
        id=1, instance_uuid=A, project_id="p", user_id="u", num_instances=1, availability_zone="az", flavor=flavor,
        image=objects.ImageMeta(
            id=C, name="image", min_ram=0, min_disk=0,
            properties=objects.ImageMetaProps(hw_disk_bus="virtio", os_type="linux"),
        ),
        numa_topology=None, pci_requests=objects.InstancePCIRequests(instance_uuid=A, requests=[]),
        ignore_hosts=["bad"], force_hosts=["good"], force_nodes=["node"],
        retry=objects.SchedulerRetries(
            num_attempts=1,
            hosts=objects.ComputeNodeList(objects=[objects.ComputeNode(host="h", hypervisor_hostname="n")]),
        ),
        limits=objects.SchedulerLimits(memory_mb=512, disk_gb=10, vcpu=2, numa_topology=None),
        instance_group=objects.InstanceGroup(
            policy="affinity", hosts=["h"], members=[A], name="group", uuid=B, _rules={"max_server_per_host": "1"}
        ),
        scheduler_hints={"same_host": [B], "query": ["q"]}, requested_destination=None, is_bfv=False,
    )  # fmt: skip


def _saved(value):
    """An object as it is after it was read: nothing counts as changed."""
    if isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            _saved(part)
    elif hasattr(value, "obj_reset_changes"):
        value.obj_reset_changes(recursive=True)
