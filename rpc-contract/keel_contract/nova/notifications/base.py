"""The common ground of Nova's versioned notifications.

They are objects too, but travel on the notification bus: they stand in a registry of their own, and a peer cannot send
one over RPC.
"""

from __future__ import annotations

from typing import Any, ClassVar

from oslo_versionedobjects import fields as f

from keel_contract.fields import enum
from keel_contract.objects import Registry, VersionedObject

REGISTRY = Registry("nova", serial="nova_object")

PriorityField = enum("NotificationPriority", ("audit", "critical", "debug", "info", "error", "sample", "warn"))


class NotificationObject(VersionedObject):
    """Base of everything in a notification."""

    OBJ_SERIAL_NAMESPACE = "nova_object"
    OBJ_PROJECT_NAMESPACE = "nova"
    registry = REGISTRY
    suite = "nova"


class Payload(NotificationObject):
    """What a notification tells.

    :cvar SCHEMA: field -> (object, field of it) that its value is taken from; part of the fingerprints
    """

    SCHEMA: ClassVar[dict[str, tuple[str, str]]] = {}


def taken(source: str, *same: str, **renamed: str) -> dict[str, tuple[str, str]]:
    """SCHEMA rows: fields taken from ``source``, those in ``renamed`` from a field of another name there."""
    return {name: (source, renamed.get(name, name)) for name in (*same, *renamed)}


def notification(name: str, payload: str, version: str) -> type[NotificationObject]:
    """Declare a notification: an event of a publisher with a priority and a payload."""
    fields: dict[str, Any] = {
        "event_type": f.ObjectField("EventType"),
        "payload": f.ObjectField(payload),
        "priority": PriorityField(),
        "publisher": f.ObjectField("NotificationPublisher"),
    }
    return REGISTRY.register(type(name, (NotificationObject,), {"VERSION": version, "fields": fields}))
