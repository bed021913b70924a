"""Forms of arguments that peers took before they took objects (nova 34.0.0 rpc_client, observed on its packages).

Plain dicts of objects, the request and filter properties that became RequestSpec, requested networks as tuples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_contract import errors
from keel_contract.nova import objects
from keel_contract.objects import ListBase, VersionedObject

_NAME = "instance-{:08x}"  # the default of [DEFAULT]instance_name_template
_OF_INSTANCE = ("numa_topology", "pci_requests", "project_id", "user_id", "availability_zone")
_OF_FLAVOR = ("root_gb", "ephemeral_gb", "memory_mb", "vcpus")
_LISTS = ("ignore_hosts", "force_hosts", "force_nodes")
_LIMITS = ("numa_topology", "vcpu", "disk_gb", "memory_mb")


def plain(value: Any) -> Any:
    """Objects within ``value`` as dicts and lists of the fields that are set; an instance has its name too."""
    if isinstance(value, ListBase):
        return [plain(part) for part in value.objects]
    if isinstance(value, VersionedObject):
        found = {name: _part(value, name, declared) for name, declared in value.fields.items() if value.is_set(name)}
        if isinstance(value, objects.Instance) and value.is_set("id"):
            found["name"] = _NAME.format(value.get("id"))
        return found
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def _part(obj: VersionedObject, name: str, declared: Any) -> Any:
    value = getattr(obj, name)
    if isinstance(value, VersionedObject | list | dict):
        return plain(value)
    return declared.to_primitive(obj, name, value)


def with_plain_flavor(properties: Any) -> Any:
    """Filter properties whose flavor is a dict."""
    if properties and "instance_type" in properties:
        return {**properties, "instance_type": plain(properties["instance_type"])}
    return properties


def network_tuples(networks: Any) -> Any:
    """A NetworkRequestList as tuples: network, address, port, PCI request, and two for accelerators nobody had then."""
    if not isinstance(networks, objects.NetworkRequestList):
        return networks
    names = ("network_id", "address", "port_id", "pci_request_id", "arq_uuid", "device_profile")
    return [tuple(_text(request.get(name)) for name in names) for request in networks.objects]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def request_properties(spec: Any) -> Any:
    """The "request_spec" dict that RequestSpec replaced."""
    if not isinstance(spec, objects.RequestSpec):
        return spec
    instance = {name: getattr(spec, name) for name in _OF_INSTANCE if spec.is_set(name)}
    if spec.is_set("instance_uuid"):
        instance["uuid"] = spec.get("instance_uuid")
    flavor = spec.get("flavor")
    if flavor is not None:
        instance |= {name: getattr(flavor, name) for name in _OF_FLAVOR}
    return {
        "num_instances": spec.get("num_instances", 1),
        "image": plain(spec.get("image")) or {},
        "instance_properties": instance,
        "instance_type": flavor or {},
    }


def filter_properties(spec: Any) -> dict[str, Any]:
    """The "filter_properties" dict beside it: what says something."""
    found: dict[str, Any] = {name: spec.get(name) for name in _LISTS if spec.get(name)}
    retry, limits, group = spec.get("retry"), spec.get("limits"), spec.get("instance_group")
    if retry is not None:
        nodes = retry.hosts.objects
        found["retry"] = {
            "num_attempts": retry.num_attempts,
            "hosts": [[node.host, node.hypervisor_hostname] for node in nodes],
        }
    if limits is not None:
        values = {name: plain(limits.get(name)) for name in _LIMITS}
        found["limits"] = {name: value for name, value in values.items() if value is not None}
    if group is not None:
        found |= {
            "group_updated": True,
            "group_hosts": sorted(group.hosts or ()),
            "group_policies": [group.policy],
            "group_members": sorted(group.members or ()),
            "group_uuid": group.uuid,
        }
    if spec.get("scheduler_hints"):
        hints = spec.scheduler_hints
        found["scheduler_hints"] = {name: value[0] if len(value) == 1 else value for name, value in hints.items()}
    if spec.get("requested_destination"):
        found["requested_destination"] = spec.requested_destination
    return found


def request_spec(wire: Mapping[str, Any]) -> objects.RequestSpec:
    """The RequestSpec of a message with "request_spec" and "filter_properties" instead.

    :raises BadArguments: they are not there
    """
    request, wanted = wire.get("request_spec"), wire.get("filter_properties") or {}
    if not isinstance(request, Mapping) or not isinstance(wanted, Mapping):
        raise errors.BadArguments("select_destinations needs spec_obj")
    instance = request.get("instance_properties", {})
    found: dict[str, Any] = {name: instance[name] for name in _OF_INSTANCE if name in instance}
    found |= {name: wanted.get(name) for name in (*_LISTS, "requested_destination")}
    if "uuid" in instance:
        found["instance_uuid"] = instance["uuid"]
    if isinstance(request.get("instance_type"), objects.Flavor):
        found["flavor"] = request["instance_type"]
    hints = wanted.get("scheduler_hints") or {}
    return objects.RequestSpec(
        num_instances=request.get("num_instances", 1),
        image=_image(request.get("image") or {}),
        retry=_retries(wanted.get("retry")),
        limits=objects.SchedulerLimits(**{name: wanted.get("limits", {}).get(name) for name in _LIMITS}),
        instance_group=_group(wanted),
        scheduler_hints={name: value if isinstance(value, list) else [value] for name, value in hints.items()},
        requested_resources=None,
        **found,
    )


def _image(image: Mapping[str, Any]) -> objects.ImageMeta:
    known = objects.ImageMetaProps.fields
    properties = {name: value for name, value in image.get("properties", {}).items() if name in known}
    fields = {name: value for name, value in image.items() if name in objects.ImageMeta.fields and name != "properties"}
    return objects.ImageMeta(properties=objects.ImageMetaProps(**properties), **fields)


def _retries(retry: Any) -> objects.SchedulerRetries | None:
    if not retry:
        return None
    nodes = [objects.ComputeNode(host=host, hypervisor_hostname=node) for host, node in retry.get("hosts", ())]
    return objects.SchedulerRetries(
        num_attempts=retry.get("num_attempts"), hosts=objects.ComputeNodeList(objects=nodes)
    )


def _group(wanted: Mapping[str, Any]) -> objects.InstanceGroup | None:
    if not wanted.get("group_hosts") and not wanted.get("group_policies"):
        return None
    policies = list(wanted.get("group_policies") or ())
    return objects.InstanceGroup(
        uuid=wanted.get("group_uuid"),
        policy=policies[0] if policies else None,
        hosts=list(wanted.get("group_hosts") or ()),
        members=list(wanted.get("group_members") or ()),
    )
