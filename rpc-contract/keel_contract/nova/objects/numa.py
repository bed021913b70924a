"""NUMACell, NUMAPagesTopology, NUMATopology and NUMATopologyLimits (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import since


@REGISTRY.register
class NUMACell(NovaObject):
    """A NUMA node of a host and its use."""

    VERSION = "1.5"
    fields = {
        "cpu_usage": f.IntegerField(default=0),
        "cpuset": f.SetOfIntegersField(),
        "id": f.IntegerField(read_only=True),
        "memory": f.IntegerField(),
        "memory_usage": f.IntegerField(default=0),
        "mempages": f.ListOfObjectsField("NUMAPagesTopology"),
        "network_metadata": since("1.3", f.ObjectField("NetworkMetadata")),
        "pcpuset": since("1.4", f.SetOfIntegersField()),
        "pinned_cpus": f.SetOfIntegersField(),
        "siblings": f.ListOfSetsOfIntegersField(),
        "socket": since("1.5", f.IntegerField(nullable=True)),
    }


@REGISTRY.register
class NUMAPagesTopology(NovaObject):
    """Memory pages of one size on a NUMA node."""

    VERSION = "1.1"
    fields = {
        "reserved": since("1.1", f.IntegerField(default=0)),
        "size_kb": f.IntegerField(),
        "total": f.IntegerField(),
        "used": f.IntegerField(default=0),
    }


@REGISTRY.register
class NUMATopology(NovaObject):
    """The NUMA nodes of a host."""

    VERSION = "1.2"
    fields = {
        "cells": f.ListOfObjectsField("NUMACell"),
    }


@REGISTRY.register
class NUMATopologyLimits(NovaObject):
    """Overcommit of NUMA nodes, and the networks to be near to."""

    VERSION = "1.1"
    fields = {
        "cpu_allocation_ratio": f.FloatField(),
        "network_metadata": since("1.1", f.ObjectField("NetworkMetadata")),
        "ram_allocation_ratio": f.FloatField(),
    }
