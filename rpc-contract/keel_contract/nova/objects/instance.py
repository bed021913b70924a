"""Instance and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class Instance(Persistent, NovaObject):
    """A server."""

    VERSION = "2.8"
    fields = {
        "access_ip_v4": f.IPV4AddressField(nullable=True),
        "access_ip_v6": f.IPV6AddressField(nullable=True),
        "architecture": f.StringField(nullable=True),
        "auto_disk_config": f.BooleanField(default=False),
        "availability_zone": f.StringField(nullable=True),
        "cell_name": f.StringField(nullable=True),
        "cleaned": f.BooleanField(default=False),
        "compute_id": since("2.8", f.IntegerField(nullable=True)),
        "config_drive": f.StringField(nullable=True),
        "default_ephemeral_device": f.StringField(nullable=True),
        "default_swap_device": f.StringField(nullable=True),
        "device_metadata": since("2.3", f.ObjectField("InstanceDeviceMetadata", nullable=True)),
        "disable_terminate": f.BooleanField(default=False),
        "display_description": f.StringField(nullable=True),
        "display_name": f.StringField(nullable=True),
        "ec2_ids": f.ObjectField("EC2Ids"),
        "ephemeral_gb": f.IntegerField(nullable=True),
        "ephemeral_key_uuid": f.UUIDField(nullable=True),
        "fault": f.ObjectField("InstanceFault", nullable=True),
        "flavor": f.ObjectField("Flavor"),
        "hidden": since("2.6", f.BooleanField(default=False)),
        "host": f.StringField(nullable=True),
        "hostname": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "image_ref": f.StringField(nullable=True),
        "info_cache": f.ObjectField("InstanceInfoCache", nullable=True),
        "instance_type_id": f.IntegerField(nullable=True),
        "kernel_id": f.StringField(nullable=True),
        "key_data": f.StringField(nullable=True),
        "key_name": f.StringField(nullable=True),
        "keypairs": since("2.2", f.ObjectField("KeyPairList")),
        "launch_index": f.IntegerField(nullable=True),
        "launched_at": f.DateTimeField(nullable=True),
        "launched_on": f.StringField(nullable=True),
        "locked": f.BooleanField(default=False),
        "locked_by": f.StringField(nullable=True),
        "memory_mb": f.IntegerField(nullable=True),
        "metadata": f.DictOfStringsField(),
        "migration_context": f.ObjectField("MigrationContext", nullable=True),
        "new_flavor": f.ObjectField("Flavor", nullable=True),
        "node": f.StringField(nullable=True),
        "numa_topology": f.ObjectField("InstanceNUMATopology", nullable=True),
        "old_flavor": f.ObjectField("Flavor", nullable=True),
        "os_type": f.StringField(nullable=True),
        "pci_devices": f.ObjectField("PciDeviceList", nullable=True),
        "pci_requests": f.ObjectField("InstancePCIRequests", nullable=True),
        "power_state": f.IntegerField(nullable=True),
        "progress": f.IntegerField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "ramdisk_id": f.StringField(nullable=True),
        "reservation_id": f.StringField(nullable=True),
        "resources": since("2.7", f.ObjectField("ResourceList", nullable=True)),
        "root_device_name": f.StringField(nullable=True),
        "root_gb": f.IntegerField(nullable=True),
        "security_groups": f.ObjectField("SecurityGroupList"),
        "services": since("2.1", f.ObjectField("ServiceList")),
        "shutdown_terminate": f.BooleanField(default=False),
        "system_metadata": f.DictOfNullableStringsField(),
        "tags": f.ObjectField("TagList"),
        "task_state": f.StringField(nullable=True),
        "terminated_at": f.DateTimeField(nullable=True),
        "trusted_certs": since("2.4", f.ObjectField("TrustedCerts", nullable=True)),
        "user_data": f.StringField(nullable=True),
        "user_id": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
        "vcpu_model": f.ObjectField("VirtCPUModel", nullable=True),
        "vcpus": f.IntegerField(nullable=True),
        "vm_mode": f.StringField(nullable=True),
        "vm_state": f.StringField(nullable=True),
    }
    actions = signatures(
        "create()",
        "delete_metadata_key(key)",
        "destroy(hard_delete=False)",
        "drop_migration_context()",
        "refresh(use_slave=False)",
        "save(expected_vm_state=None, expected_task_state=None, admin_state_reset=False)",
    )
    class_actions = signatures(
        "get_by_id(context, inst_id, expected_attrs=None)",
        "get_by_uuid(context, uuid, expected_attrs=None, use_slave=False)",
    )


@REGISTRY.register
class InstanceList(NovaList):
    """A list of Instance."""

    VERSION = "2.6"
    fields = {
        "objects": f.ListOfObjectsField("Instance"),
    }
    class_actions = signatures(
        "_get_active_by_window_joined(context, begin, end=None, project_id=None, host=None, "
        "expected_attrs=None, use_slave=False, limit=None, marker=None)",
        "get_all(context, expected_attrs=None)",
        "get_by_filters(context, filters, sort_key='created_at', sort_dir='desc', limit=None, marker=None, "
        "expected_attrs=None, use_slave=False, sort_keys=None, sort_dirs=None)",
        "get_by_grantee_security_group_ids(context, security_group_ids)",
        "get_by_host(context, host, expected_attrs=None, use_slave=False)",
        "get_by_host_and_node(context, host, node, expected_attrs=None)",
        "get_by_host_and_not_type(context, host, type_id=None, expected_attrs=None)",
        "get_by_security_group_id(context, security_group_id)",
        "get_count_by_vm_state(context, project_id, user_id, vm_state)",
        "get_counts(context, project_id, user_id=None)",
        "get_hung_in_rebooting(context, reboot_window, expected_attrs=None)",
        "get_uuids_by_host(context, host)",
        "get_uuids_by_host_and_node(context, host, node)",
        "get_uuids_by_hosts(context, hosts)",
    )
