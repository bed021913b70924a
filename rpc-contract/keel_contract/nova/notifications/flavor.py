"""Notifications: flavor (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class FlavorPayload(Payload):
    """What is told of: flavor."""

    VERSION = "1.4"
    fields = {
        "description": f.StringField(nullable=True),
        "disabled": f.BooleanField(),
        "ephemeral_gb": f.IntegerField(nullable=True),
        "extra_specs": f.DictOfStringsField(nullable=True),
        "flavorid": f.StringField(nullable=True),
        "is_public": f.BooleanField(),
        "memory_mb": f.IntegerField(nullable=True),
        "name": f.StringField(),
        "projects": f.ListOfStringsField(nullable=True),
        "root_gb": f.IntegerField(nullable=True),
        "rxtx_factor": f.FloatField(nullable=True),
        "swap": f.IntegerField(),
        "vcpu_weight": f.IntegerField(nullable=True),
        "vcpus": f.IntegerField(nullable=True),
    }
    SCHEMA = taken(
        "flavor",
        "description",
        "disabled",
        "ephemeral_gb",
        "extra_specs",
        "flavorid",
        "is_public",
        "memory_mb",
        "name",
        "projects",
        "root_gb",
        "rxtx_factor",
        "swap",
        "vcpu_weight",
        "vcpus",
    )


FlavorNotification = notification("FlavorNotification", "FlavorPayload", "1.0")
