"""Service and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since
from keel_contract.releases import SERVICE_VERSION


@REGISTRY.register
class Service(Persistent, NovaObject):
    """A service process as it reports itself."""

    VERSION = "1.22"
    when_not_sent = {"version": SERVICE_VERSION}
    fields = {
        "availability_zone": f.StringField(nullable=True),
        "binary": f.StringField(nullable=True),
        "compute_node": f.ObjectField("ComputeNode"),
        "disabled": f.BooleanField(),
        "disabled_reason": f.StringField(nullable=True),
        "forced_down": since("1.14", f.BooleanField()),
        "host": f.StringField(nullable=True),
        "id": f.IntegerField(read_only=True),
        "last_seen_up": since("1.13", f.DateTimeField(nullable=True)),
        "report_count": f.IntegerField(),
        "topic": f.StringField(nullable=True),
        "uuid": since("1.21", f.UUIDField()),
        "version": since("1.16", f.IntegerField()),
    }
    actions = signatures(
        "create()",
        "destroy()",
        "save()",
    )
    class_actions = signatures(
        "get_by_args(context, host, binary)",
        "get_by_compute_host(context, host, use_slave=False)",
        "get_by_host_and_binary(context, host, binary)",
        "get_by_host_and_topic(context, host, topic)",
        "get_by_id(context, service_id)",
        "get_by_uuid(context, service_uuid)",
        "get_minimum_version(context, binary, use_slave=False)",
        "get_minimum_version_multi(context, binaries, use_slave=False)",
    )


@REGISTRY.register
class ServiceList(NovaList):
    """A list of Service."""

    VERSION = "1.19"
    fields = {
        "objects": f.ListOfObjectsField("Service"),
    }
    class_actions = signatures(
        "get_all(context, disabled=None, set_zones=False)",
        "get_all_computes_by_hv_type(context, hv_type)",
        "get_by_binary(context, binary, include_disabled=False)",
        "get_by_host(context, host)",
        "get_by_topic(context, topic)",
    )
