"""NetworkMetadata (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject


@REGISTRY.register
class NetworkMetadata(NovaObject):
    """Physical networks a server is on."""

    VERSION = "1.0"
    fields = {
        "physnets": f.SetOfStringsField(),
        "tunneled": f.BooleanField(),
    }
