"""NetworkRequest and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import since


@REGISTRY.register
class NetworkRequest(NovaObject):
    """A network, port or address a server asks for."""

    VERSION = "1.3"
    fields = {
        "address": f.IPAddressField(nullable=True),
        "arq_uuid": since("1.3", f.UUIDField(nullable=True)),
        "device_profile": since("1.3", f.StringField(nullable=True)),
        "network_id": f.StringField(nullable=True),
        "pci_request_id": f.UUIDField(nullable=True),
        "port_id": f.UUIDField(nullable=True),
        "tag": since("1.2", f.StringField(nullable=True)),
    }


@REGISTRY.register
class NetworkRequestList(NovaList):
    """A list of NetworkRequest."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("NetworkRequest"),
    }
