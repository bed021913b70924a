"""HVSpec (objects of nova)."""

from __future__ import annotations

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import values


@REGISTRY.register
class HVSpec(NovaObject):
    """A combination of architecture, hypervisor and VM mode that a node can run."""

    VERSION = "1.2"
    fields = {
        "arch": enums.ArchitectureField(),
        "hv_type": values(enums.HVTypeField(), become={"vz": ("1.1", "parallels")}),
        "vm_mode": enums.VMModeField(),
    }
