"""Rows of the stores as versioned objects, and objects as values for the stores."""

import datetime
import json
from collections.abc import Iterable, Mapping
from typing import Any

from keel_common.db.stores.nova.instances_save import Changes
from keel_contract.fields import is_boolean
from keel_contract.nova import objects
from keel_contract.nova.objects import REGISTRY
from keel_contract.nova.objects.instance_numa import with_pinned_sets

Row = Mapping[str, Any]

EXTRA_OBJECTS = (
    "device_metadata",
    "keypairs",
    "migration_context",
    "numa_topology",
    "resources",
    "trusted_certs",
    "vcpu_model",
)
"""Columns of instance_extra that hold a whole object as JSON."""
NEVER_NONE = ("flavor", "keypairs")
"""Fields that are left out where nothing is stored."""
FLAVORS = {"flavor": "cur", "old_flavor": "old", "new_flavor": "new"}


def read(cls: type, values: Mapping[str, Any]) -> Any:
    """An object with these values and no changes."""
    made = cls(**values)
    made.obj_reset_changes(recursive=False)
    return made


def record(name: str, row: Row, **more: Any) -> Any:
    """The object `name` of a row whose columns have the names of its fields; `more` adds or overrides fields."""
    cls = REGISTRY.classes[name]
    return read(cls, fields(name, row) | more)


def fields(name: str, row: Row) -> dict[str, Any]:
    """The fields of object `name` that a row fills, as the object takes them."""
    values = {}
    for field, declared in REGISTRY.classes[name].fields.items():
        if field not in row:
            continue
        value = aware(row[field])
        if is_boolean(declared):
            value = bool(value)
        values[field] = value
    return values


def listed(name: str, rows: Iterable[Any], of: str | None = None) -> Any:
    """The list object `name` of rows (made into objects `of`) or of objects (`of` None)."""
    made = [record(of, row) for row in rows] if of else list(rows)
    return read(REGISTRY.classes[name], {"objects": made})


def aware(value: Any) -> Any:
    """Times of the database are UTC; objects want that said."""
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        return value.replace(tzinfo=datetime.UTC)
    return value


def plain(value: Any) -> Any:
    """A field value as a column takes it: naive UTC, text for addresses."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    if value is None or isinstance(value, str | int | float | bool | dict | list):
        return value
    return str(value)


def moment(value: Any) -> Any:
    """A moment that came as text or as a datetime, as a column takes it; None stays."""
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    return plain(value)


def value(obj: Any, name: str, default: Any = None) -> Any:
    """The value of a field, `default` when it has none; for objects that have an action named `get`."""
    return getattr(obj, name) if obj.is_set(name) else default


def changed(obj: Any) -> dict[str, Any]:
    """The changed fields of an object as plain values."""
    return {name: plain(getattr(obj, name)) for name in obj.obj_what_changed() if obj.is_set(name)}


def stored(primitive: Any) -> Any:
    """The object of a parsed JSON column, None for an empty one."""
    return REGISTRY.from_primitive(primitive) if primitive else None


def topology(primitive: Any) -> Any:
    """The NUMA topology of a parsed JSON column, None for an empty one; older ones are brought up to date."""
    found = stored(primitive)
    return None if found is None else with_pinned_sets(found)


def text(obj: Any) -> str | None:
    """An object as the JSON text of a column."""
    return None if obj is None else json.dumps(obj.to_primitive())


# -- servers


def instance(server: Row) -> Any:
    """An Instance with the columns and parts of a server of `stores.nova.instances`."""
    return read(objects.Instance, instance_fields(server))


def instance_fields(server: Row) -> dict[str, Any]:
    """The fields of an Instance that a server fills."""
    values = fields("Instance", {name: value for name, value in server.items() if name not in _PARTS})
    for name, make in _PARTS.items():
        if name in server and (name not in NEVER_NONE or server[name] is not None):
            values[name] = make(server)
    return values


def _child(name: str) -> Any:
    return lambda server: stored(server[name])


def _info_cache(server: Row) -> Any:
    cache = server["info_cache"]
    return None if cache is None else info_cache(cache)


def info_cache(row: Row) -> Any:
    """An InstanceInfoCache; its network info is JSON text in the row."""
    return record("InstanceInfoCache", row, network_info=json.loads(row["network_info"] or "[]"))


def _fault(server: Row) -> Any:
    return None if server["fault"] is None else record("InstanceFault", server["fault"])


def _tags(server: Row) -> Any:
    return listed("TagList", server["tags"], "Tag")


def pci_requests(uuid: str, requests: list[dict[str, Any]] | None) -> Any:
    """The PCI requests of a server from the plain list that is stored; what was new is not new any more."""
    made = [read(objects.InstancePCIRequest, {**request, "is_new": False}) for request in requests or ()]
    return read(objects.InstancePCIRequests, {"instance_uuid": uuid, "requests": made})


def pci_device(row: Row) -> Any:
    """A PciDevice; extra_info is JSON text in the row."""
    return record("PciDevice", row, extra_info=json.loads(row["extra_info"] or "{}"))


_PARTS: dict[str, Any] = {
    **{name: _child(name) for name in (*FLAVORS, *EXTRA_OBJECTS)},
    "numa_topology": lambda server: topology(server["numa_topology"]),
    "info_cache": _info_cache,
    "fault": _fault,
    "tags": _tags,
    "metadata": lambda server: dict(server["metadata"]),
    "system_metadata": lambda server: dict(server["system_metadata"]),
    "pci_requests": lambda server: pci_requests(server["uuid"], server["pci_requests"]),
    "pci_devices": lambda server: listed("PciDeviceList", [pci_device(row) for row in server["pci_devices"]]),
    "services": lambda server: listed("ServiceList", server["services"], "Service"),
    "security_groups": lambda server: listed("SecurityGroupList", []),
    "ec2_ids": lambda server: objects.EC2Ids(**server["ec2_ids"]),
}


def extra_texts(obj: Any, names: Iterable[str]) -> dict[str, str | None]:
    """Those of the named fields of an Instance that live in instance_extra, as JSON text by column (flavor
    excepted)."""
    texts = {name: text(getattr(obj, name)) for name in EXTRA_OBJECTS if name in names}
    if "pci_requests" in names:
        requests = obj.pci_requests.requests if obj.pci_requests else []
        texts["pci_requests"] = json.dumps([_request(request) for request in requests]) if requests else None
    return texts


def _request(request: Any) -> dict[str, Any]:
    return {name: request.get(name) for name in request.fields if name != "obj_what_changed" and request.is_set(name)}


def flavors(obj: Any, names: Iterable[str]) -> dict[str, Any]:
    """Stored flavors (cur, old, new) of an Instance when one of the named fields is a flavor; all that the object has,
    for they are stored together. Descriptions are never stored."""
    if FLAVORS.keys().isdisjoint(names):
        return {}
    return {key: _flavor_primitive(getattr(obj, name)) for name, key in FLAVORS.items() if obj.is_set(name)}


def _flavor_primitive(flavor: Any) -> dict[str, Any] | None:
    if flavor is None:
        return None
    primitive = flavor.to_primitive()
    if primitive["nova_object.data"].get("description") is not None:
        primitive["nova_object.data"]["description"] = None
    return primitive


_NO_COLUMN = {"deleted", "id", "created_at", "updated_at", "deleted_at"}


def instance_values(obj: Any, names: Iterable[str]) -> dict[str, Any]:
    """Those of the named fields of an Instance that are columns of `instances`, as plain values."""
    values = {name: plain(getattr(obj, name)) for name in names if name not in _PARTS and name not in _NO_COLUMN}
    if "cleaned" in values:
        values["cleaned"] = int(values["cleaned"])
    return values


def instance_changes(obj: Any) -> Changes:
    """What an Instance was changed in, for the stores."""
    names = {name for name in obj.obj_what_changed() if obj.is_set(name)}
    cache = obj.info_cache if "info_cache" in names else None
    return Changes(
        values=instance_values(obj, names),
        extra=extra_texts(obj, names),
        flavors=flavors(obj, names),
        metadata=obj.metadata if "metadata" in names else None,
        system_metadata=obj.system_metadata if "system_metadata" in names else None,
        network_info=json.dumps(cache.network_info) if cache is not None and cache.is_set("network_info") else None,
    )
