"""Notifications: metrics (notification objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.notifications.base import REGISTRY, Payload, notification, taken
from keel_contract.nova.objects.enums import MonitorMetricTypeField


@REGISTRY.register
class MetricPayload(Payload):
    """What is told of: metric."""

    VERSION = "1.0"
    fields = {
        "name": MonitorMetricTypeField(),
        "numa_membw_values": f.DictOfIntegersField(nullable=True),
        "source": f.StringField(),
        "timestamp": f.DateTimeField(),
        "value": f.IntegerField(),
    }
    SCHEMA = taken("monitor_metric", "name", "numa_membw_values", "source", "timestamp", "value")


@REGISTRY.register
class MetricsPayload(Payload):
    """What is told of: metrics."""

    VERSION = "1.0"
    fields = {
        "host": f.StringField(),
        "host_ip": f.StringField(),
        "metrics": f.ListOfObjectsField("MetricPayload"),
        "nodename": f.StringField(),
    }


MetricsNotification = notification("MetricsNotification", "MetricsPayload", "1.0")
