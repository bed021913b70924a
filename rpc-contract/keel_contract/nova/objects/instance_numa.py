"""InstanceNUMACell and InstanceNUMATopology (objects of nova)."""
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from typing import Any

from oslo_versionedobjects import fields as f

from keel_contract import versions
from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import WithDefaults, signatures, since


@REGISTRY.register
class InstanceNUMACell(WithDefaults, NovaObject):
    """A NUMA node of a server."""

    VERSION = "1.6"
    fields = {
        "cpu_pinning_raw": f.DictOfIntegersField(default=None, nullable=True),
        "cpu_policy": since(
            "1.3", enums.CPUAllocationPolicyField(default=None, nullable=True), refuse={"mixed": "1.6"}
        ),
        "cpu_thread_policy": since("1.3", enums.CPUThreadAllocationPolicyField(default=None, nullable=True)),
        "cpu_topology": f.ObjectField("VirtCPUTopology", nullable=True),
        "cpuset": f.SetOfIntegersField(),
        "cpuset_reserved": since("1.4", f.SetOfIntegersField(default=None, nullable=True)),
        "id": f.IntegerField(),
        "memory": f.IntegerField(),
        "pagesize": f.IntegerField(default=None, nullable=True),
        "pcpuset": since("1.5", f.SetOfIntegersField()),
    }

    def backport(self, primitive: dict[str, Any], target_version: str) -> None:
        # Before pinned CPUs had a set of their own, the cpuset of a dedicated cell held them. Without them the cell is
        # not complete: KeyError, as in a real service.
        if versions.older(target_version, "1.5") and primitive.get("cpu_policy") == "dedicated":
            primitive["cpuset"] = primitive["pcpuset"]


@REGISTRY.register
class InstanceNUMATopology(NovaObject):
    """The NUMA nodes of a server."""

    VERSION = "1.3"
    fields = {
        "cells": f.ListOfObjectsField("InstanceNUMACell"),
        "emulator_threads_policy": since("1.3", enums.CPUEmulatorThreadsPolicyField(nullable=True)),
        "id": f.IntegerField(),
        "instance_uuid": f.UUIDField(),
    }
    actions = signatures("create()")
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")


def with_pinned_sets(topology: Any) -> Any:
    """``topology`` with cells of today: those stored before version 1.5 kept pinned CPUs in the one set they had."""
    for cell in topology.cells:
        if versions.older(cell.VERSION, "1.5"):
            pinned = cell.get("cpu_policy") == "dedicated"
            cell.pcpuset = cell.cpuset if pinned else set()
            cell.cpuset = set() if pinned else cell.cpuset
            cell.VERSION = type(cell).VERSION
    return topology
