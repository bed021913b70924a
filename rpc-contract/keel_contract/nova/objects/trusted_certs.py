"""TrustedCerts (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import signatures


@REGISTRY.register
class TrustedCerts(NovaObject):
    """Certificates that may have signed the image."""

    VERSION = "1.0"
    fields = {
        "ids": f.ListOfStringsField(),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid)")
