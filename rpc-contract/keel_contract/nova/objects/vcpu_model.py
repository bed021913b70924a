"""VirtCPUFeature and VirtCPUModel (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import signatures


@REGISTRY.register
class VirtCPUFeature(NovaObject):
    """A flag of a CPU model."""

    VERSION = "1.0"
    fields = {
        "name": f.StringField(),
        "policy": enums.CPUFeaturePolicyField(nullable=True),
    }


@REGISTRY.register
class VirtCPUModel(NovaObject):
    """The CPU model of a server."""

    VERSION = "1.0"
    fields = {
        "arch": enums.ArchitectureField(nullable=True),
        "features": f.ListOfObjectsField("VirtCPUFeature", default=[]),
        "match": enums.CPUMatchField(nullable=True),
        "mode": enums.CPUModeField(nullable=True),
        "model": f.StringField(nullable=True),
        "topology": f.ObjectField("VirtCPUTopology", nullable=True),
        "vendor": f.StringField(nullable=True),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
