"""CleanupRequest (objects of cinder)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.cinder.objects.base import REGISTRY, CinderObject


@REGISTRY.register
class CleanupRequest(CinderObject):
    """Which services and resources to clean up."""

    VERSION = "1.0"
    fields = {
        "binary": f.StringField(nullable=True),
        "cluster_name": f.StringField(nullable=True),
        "disabled": f.BooleanField(nullable=True),
        "host": f.StringField(nullable=True),
        "is_up": f.BooleanField(default=False, nullable=True),
        "resource_id": f.UUIDField(nullable=True),
        "resource_type": f.StringField(nullable=True),
        "service_id": f.IntegerField(nullable=True),
        "until": f.DateTimeField(nullable=True),
    }
