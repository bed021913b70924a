"""Notifications: request spec (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, taken
from keel_contract.nova.objects.enums import (
    CPUAllocationPolicyField,
    CPUEmulatorThreadsPolicyField,
    CPUThreadAllocationPolicyField,
    PCINUMAAffinityPolicyField,
)


@REGISTRY.register
class CellMappingPayload(Payload):
    """What is told of: cell mapping."""

    VERSION = "2.0"
    fields = {
        "disabled": f.BooleanField(default=False),
        "name": f.StringField(nullable=True),
        "uuid": f.UUIDField(),
    }
    SCHEMA = taken("cell", "disabled", "name", "uuid")


@REGISTRY.register
class DestinationPayload(Payload):
    """What is told of: destination."""

    VERSION = "1.0"
    fields = {
        "aggregates": f.ListOfStringsField(default=None, nullable=True),  # type: ignore[arg-type]
        "cell": f.ObjectField("CellMappingPayload", nullable=True),
        "host": f.StringField(),
        "node": f.StringField(nullable=True),
    }
    SCHEMA = taken("destination", "aggregates")


@REGISTRY.register
class InstanceNUMACellPayload(Payload):
    """What is told of: instance numa cell."""

    VERSION = "1.2"
    fields = {
        "cpu_pinning_raw": f.DictOfIntegersField(nullable=True),
        "cpu_policy": CPUAllocationPolicyField(nullable=True),
        "cpu_thread_policy": CPUThreadAllocationPolicyField(nullable=True),
        "cpu_topology": f.ObjectField("VirtCPUTopologyPayload", nullable=True),
        "cpuset": f.SetOfIntegersField(),
        "cpuset_reserved": f.SetOfIntegersField(nullable=True),
        "id": f.IntegerField(),
        "memory": f.IntegerField(),
        "pagesize": f.IntegerField(nullable=True),
        "pcpuset": f.SetOfIntegersField(),
    }
    SCHEMA = taken(
        "numa_cell",
        "cpu_pinning_raw",
        "cpu_policy",
        "cpu_thread_policy",
        "cpuset",
        "cpuset_reserved",
        "id",
        "memory",
        "pagesize",
        "pcpuset",
    )


@REGISTRY.register
class InstanceNUMATopologyPayload(Payload):
    """What is told of: instance numa topology."""

    VERSION = "1.0"
    fields = {
        "cells": f.ListOfObjectsField("InstanceNUMACellPayload"),
        "emulator_threads_policy": CPUEmulatorThreadsPolicyField(nullable=True),
        "instance_uuid": f.UUIDField(),
    }
    SCHEMA = taken("numa_topology", "emulator_threads_policy", "instance_uuid")


@REGISTRY.register
class InstancePCIRequestPayload(Payload):
    """What is told of: instance pci request."""

    VERSION = "1.1"
    fields = {
        "alias_name": f.StringField(nullable=True),
        "count": f.IntegerField(),
        "numa_policy": PCINUMAAffinityPolicyField(nullable=True),
        "request_id": f.UUIDField(nullable=True),
        "spec": f.ListOfDictOfNullableStringsField(),
    }
    SCHEMA = taken("pci_request", "alias_name", "count", "numa_policy", "request_id", "spec")


@REGISTRY.register
class InstancePCIRequestsPayload(Payload):
    """What is told of: instance pci requests."""

    VERSION = "1.0"
    fields = {
        "instance_uuid": f.UUIDField(),
        "requests": f.ListOfObjectsField("InstancePCIRequestPayload"),
    }
    SCHEMA = taken("pci_requests", "instance_uuid")


@REGISTRY.register
class RequestSpecPayload(Payload):
    """What is told of: request spec."""

    VERSION = "1.1"
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "flavor": f.ObjectField("FlavorPayload", nullable=True),
        "force_hosts": f.StringField(nullable=True),
        "force_nodes": f.StringField(nullable=True),
        "ignore_hosts": f.ListOfStringsField(nullable=True),
        "image": f.ObjectField("ImageMetaPayload", nullable=True),
        "image_meta": f.ObjectField("ImageMetaPayload", nullable=True),
        "instance_group": f.ObjectField("ServerGroupPayload", nullable=True),
        "instance_uuid": f.UUIDField(),
        "num_instances": f.IntegerField(default=1),
        "numa_topology": f.ObjectField("InstanceNUMATopologyPayload", nullable=True),
        "pci_requests": f.ObjectField("InstancePCIRequestsPayload", nullable=True),
        "project_id": f.StringField(nullable=True),
        "requested_destination": f.ObjectField("DestinationPayload", nullable=True),
        "retry": f.ObjectField("SchedulerRetriesPayload", nullable=True),
        "scheduler_hints": f.DictOfListOfStringsField(nullable=True),
        "security_groups": f.ListOfStringsField(),
        "user_id": f.StringField(nullable=True),
    }
    SCHEMA = taken(
        "request_spec",
        "availability_zone",
        "ignore_hosts",
        "instance_uuid",
        "num_instances",
        "project_id",
        "scheduler_hints",
        "user_id",
    )


@REGISTRY.register
class SchedulerRetriesPayload(Payload):
    """What is told of: scheduler retries."""

    VERSION = "1.0"
    fields = {
        "hosts": f.ListOfStringsField(),
        "num_attempts": f.IntegerField(),
    }
    SCHEMA = taken("retry", "num_attempts")


@REGISTRY.register
class VirtCPUTopologyPayload(Payload):
    """What is told of: virt cpu topology."""

    VERSION = "1.0"
    fields = {
        "cores": f.IntegerField(default=1, nullable=True),
        "sockets": f.IntegerField(default=1, nullable=True),
        "threads": f.IntegerField(default=1, nullable=True),
    }
    SCHEMA = taken("virt_cpu_topology", "cores", "sockets", "threads")
