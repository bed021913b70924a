"""Selection (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import since


@REGISTRY.register
class Selection(NovaObject):
    """A host the scheduler chose, with the claim it made."""

    VERSION = "1.1"
    fields = {
        "allocation_request": f.StringField(nullable=True),
        "allocation_request_version": f.StringField(nullable=True),
        "availability_zone": since("1.1", f.StringField(nullable=True)),
        "cell_uuid": f.UUIDField(),
        "compute_node_uuid": f.UUIDField(),
        "limits": f.ObjectField("SchedulerLimits", nullable=True),
        "nodename": f.StringField(),
        "service_host": f.StringField(),
    }
