"""MonitorMetric and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject
from keel_contract.objects import since


@REGISTRY.register
class MonitorMetric(NovaObject):
    """A value measured on a host."""

    VERSION = "1.1"
    fields = {
        "name": enums.MonitorMetricTypeField(),
        "numa_membw_values": since("1.1", f.DictOfIntegersField(nullable=True)),
        "source": f.StringField(),
        "timestamp": f.DateTimeField(),
        "value": f.IntegerField(),
    }


@REGISTRY.register
class MonitorMetricList(NovaList):
    """A list of MonitorMetric."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("MonitorMetric"),
    }
