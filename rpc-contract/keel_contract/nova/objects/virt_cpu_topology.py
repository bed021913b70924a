"""VirtCPUTopology (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject


@REGISTRY.register
class VirtCPUTopology(NovaObject):
    """Sockets, cores and threads of a server."""

    VERSION = "1.0"
    fields = {
        "cores": f.IntegerField(default=1, nullable=True),
        "sockets": f.IntegerField(default=1, nullable=True),
        "threads": f.IntegerField(default=1, nullable=True),
    }
