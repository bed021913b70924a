"""ComputeNode and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since, values


@REGISTRY.register
class ComputeNode(Persistent, NovaObject):
    """What a hypervisor reports about itself."""

    VERSION = "1.19"
    fields = {
        "cpu_allocation_ratio": since("1.14", f.FloatField()),
        "cpu_info": f.StringField(nullable=True),
        "current_workload": f.IntegerField(nullable=True),
        "disk_allocation_ratio": since("1.16", f.FloatField()),
        "disk_available_least": f.IntegerField(nullable=True),
        "free_disk_gb": f.IntegerField(nullable=True),
        "free_ram_mb": f.IntegerField(nullable=True),
        "host": since("1.7", f.StringField(nullable=True)),
        "host_ip": since("1.4", f.IPAddressField(nullable=True)),
        "hypervisor_hostname": f.StringField(nullable=True),
        "hypervisor_type": f.StringField(),
        "hypervisor_version": f.IntegerField(),
        "id": f.IntegerField(read_only=True),
        "local_gb": f.IntegerField(),
        "local_gb_used": f.IntegerField(),
        "mapped": since("1.17", f.IntegerField()),
        "memory_mb": f.IntegerField(),
        "memory_mb_used": f.IntegerField(),
        "metrics": f.StringField(nullable=True),
        "numa_topology": since("1.5", f.StringField(nullable=True)),
        "pci_device_pools": since("1.9", f.ObjectField("PciDevicePoolList", nullable=True)),
        "ram_allocation_ratio": since("1.14", f.FloatField()),
        "running_vms": f.IntegerField(nullable=True),
        "service_id": values(f.IntegerField(nullable=True), without=("1.13", -1)),
        "stats": since("1.3", f.DictOfNullableStringsField(nullable=True)),
        "supported_hv_specs": since("1.6", f.ListOfObjectsField("HVSpec")),
        "uuid": since("1.15", f.UUIDField(read_only=True)),
        "vcpus": f.IntegerField(),
        "vcpus_used": f.IntegerField(),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save(prune_stats=False)",
    )
    class_actions = signatures(
        "get_by_host_and_nodename(context, host, nodename)",
        "get_by_id(context, compute_id)",
        "get_by_nodename(context, hypervisor_hostname)",
        "get_by_service_id(context, service_id)",
        "get_by_uuid(context, compute_uuid)",
        "get_first_node_by_host_for_old_compat(context, host, use_slave=False)",
    )


@REGISTRY.register
class ComputeNodeList(NovaList):
    """A list of ComputeNode."""

    VERSION = "1.17"
    fields = {
        "objects": f.ListOfObjectsField("ComputeNode"),
    }
    class_actions = signatures(
        "_get_by_service(context, service_id, use_slave=False)",
        "get_all(context)",
        "get_all_by_host(context, host, use_slave=False)",
        "get_all_by_not_mapped(context, mapped_less_than)",
        "get_all_by_uuids(context, compute_uuids)",
        "get_by_hypervisor(context, hypervisor_match)",
        "get_by_pagination(context, limit=None, marker=None)",
    )
