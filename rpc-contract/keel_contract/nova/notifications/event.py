"""What happened and who tells it (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, NotificationObject
from keel_contract.nova.notifications.enums import (
    NotificationActionField,
    NotificationPhaseField,
    NotificationSourceField,
)


@REGISTRY.register
class EventType(NotificationObject):
    """What happened to which kind of thing, and where in its course."""

    VERSION = "1.22"
    fields = {
        "action": NotificationActionField(),
        "object": f.StringField(),
        "phase": NotificationPhaseField(nullable=True),
    }


@REGISTRY.register
class NotificationPublisher(NotificationObject):
    """The service that tells it."""

    VERSION = "2.2"
    fields = {
        "host": f.StringField(),
        "source": NotificationSourceField(),
    }
