"""Notifications: aggregate (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken


@REGISTRY.register
class AggregateCachePayload(Payload):
    """What is told of: aggregate cache."""

    VERSION = "1.0"
    fields = {
        "host": f.StringField(),
        "id": f.IntegerField(),
        "images_cached": f.ListOfStringsField(),
        "images_failed": f.ListOfStringsField(),
        "index": f.IntegerField(),
        "name": f.StringField(),
        "total": f.IntegerField(),
        "uuid": f.UUIDField(),
    }
    SCHEMA = taken("aggregate", "id", "name", "uuid")


@REGISTRY.register
class AggregatePayload(Payload):
    """What is told of: aggregate."""

    VERSION = "1.1"
    fields = {
        "hosts": f.ListOfStringsField(nullable=True),
        "id": f.IntegerField(nullable=True),
        "metadata": f.DictOfStringsField(nullable=True),
        "name": f.StringField(),
        "uuid": f.UUIDField(),
    }
    SCHEMA = taken("aggregate", "hosts", "id", "metadata", "name", "uuid")


AggregateCacheNotification = notification("AggregateCacheNotification", "AggregateCachePayload", "1.0")
AggregateNotification = notification("AggregateNotification", "AggregatePayload", "1.0")
