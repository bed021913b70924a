"""What the scheduler is asked for: RequestSpec and its parts."""
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import WithDefaults, signatures, since


@REGISTRY.register
class Destination(NovaObject):
    """Where a request must land."""

    VERSION = "1.4"
    fields = {
        "aggregates": since("1.2", f.ListOfStringsField(default=None, nullable=True)),
        "allow_cross_cell_move": since("1.3", f.BooleanField(default=False)),
        "cell": since("1.1", f.ObjectField("CellMapping", nullable=True)),
        "forbidden_aggregates": since("1.4", f.SetOfStringsField(default=None, nullable=True)),
        "host": f.StringField(),
        "node": f.StringField(nullable=True),
    }


@REGISTRY.register
class RequestGroup(WithDefaults, NovaObject):
    """Resources that must come from one provider."""

    VERSION = "1.3"
    fields = {
        "aggregates": f.ListOfListsOfStringsField(default=[]),
        "forbidden_aggregates": since("1.3", f.SetOfStringsField(default=set())),
        "forbidden_traits": f.SetOfStringsField(default=set()),
        "in_tree": since("1.2", f.UUIDField(default=None, nullable=True)),
        "provider_uuids": since("1.1", f.ListOfUUIDField(default=[])),
        "requester_id": since("1.1", f.StringField(default=None, nullable=True)),
        "required_traits": f.SetOfStringsField(default=set()),
        "resources": f.DictOfIntegersField(default={}),
        "use_same_provider": f.BooleanField(default=True),
    }


@REGISTRY.register
class RequestLevelParams(NovaObject):
    """Parameters of a request that belong to no group."""

    VERSION = "1.1"
    fields = {
        "root_forbidden": f.SetOfStringsField(default=set()),
        "root_required": f.SetOfStringsField(default=set()),
        "same_subtree": since("1.1", f.ListOfListsOfStringsField(default=[])),
    }


@REGISTRY.register
class RequestSpec(NovaObject):
    """What the scheduler must find a host for."""

    VERSION = "1.15"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "flavor": f.ObjectField("Flavor"),
        "force_hosts": f.ListOfStringsField(nullable=True),
        "force_nodes": f.ListOfStringsField(nullable=True),
        "id": f.IntegerField(),
        "ignore_hosts": f.ListOfStringsField(nullable=True),
        "image": f.ObjectField("ImageMeta", nullable=True),
        "instance_group": f.ObjectField("InstanceGroup", nullable=True),
        "instance_uuid": f.UUIDField(),
        "is_bfv": since("1.11", f.BooleanField()),
        "limits": f.ObjectField("SchedulerLimits", nullable=True),
        "network_metadata": since("1.10", f.ObjectField("NetworkMetadata")),
        "num_instances": f.IntegerField(default=1),
        "numa_topology": f.ObjectField("InstanceNUMATopology", nullable=True),
        "pci_requests": f.ObjectField("InstancePCIRequests", nullable=True),
        "project_id": f.StringField(nullable=True),
        "request_level_params": since("1.13", f.ObjectField("RequestLevelParams")),
        "requested_destination": since("1.6", f.ObjectField("Destination", default=None, nullable=True)),
        "requested_networks": since("1.14", f.ObjectField("NetworkRequestList")),
        "requested_resources": since("1.12", f.ListOfObjectsField("RequestGroup", default=None, nullable=True)),
        "retry": f.ObjectField("SchedulerRetries", nullable=True),
        "scheduler_hints": f.DictOfListOfStringsField(nullable=True),
        "security_groups": since("1.8", f.ObjectField("SecurityGroupList")),
        "user_id": since("1.9", f.StringField(nullable=True)),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures(
        "get_by_instance_uuid(context, instance_uuid)",
        "get_by_instance_uuids(context, instance_uuids)",
    )


@REGISTRY.register
class SchedulerLimits(NovaObject):
    """Limits the scheduler gives to a host."""

    VERSION = "1.0"
    fields = {
        "disk_gb": f.IntegerField(default=None, nullable=True),
        "memory_mb": f.IntegerField(default=None, nullable=True),
        "numa_topology": f.ObjectField("NUMATopologyLimits", default=None, nullable=True),
        "vcpu": f.IntegerField(default=None, nullable=True),
    }


@REGISTRY.register
class SchedulerRetries(NovaObject):
    """Hosts that were tried already."""

    VERSION = "1.1"
    fields = {
        "hosts": f.ObjectField("ComputeNodeList"),
        "num_attempts": f.IntegerField(),
    }
