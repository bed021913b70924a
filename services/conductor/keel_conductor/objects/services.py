"""Service and ServiceList."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import aggregates, compute_nodes
from keel_common.db.stores.nova import services as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "Service"
COMPUTE = "nova-compute"
TABLE = store.TABLE


def _object(row: dict[str, Any] | None) -> Any:
    return None if row is None else wire.record(NAME, row)


def _found(row: dict[str, Any] | None, name: str, what: str, **facts: Any) -> Any:
    if row is None:
        raise not_found(name, what, **facts)
    return wire.record(NAME, row)


@class_action(NAME, "get_by_id")
def get_by_id(call: Call, service_id: int) -> Any:
    row = call.db.read(store.by_id, service_id)
    return _found(row, "ServiceNotFound", f"Service {service_id}", service_id=service_id)


@class_action(NAME, "get_by_uuid")
def get_by_uuid(call: Call, service_uuid: str) -> Any:
    row = call.db.read(store.by_uuid, service_uuid)
    return _found(row, "ServiceNotFound", f"Service {service_uuid}", service_id=service_uuid)


@class_action(NAME, "get_by_host_and_binary")
def get_by_host_and_binary(call: Call, host: str, binary: str) -> Any:
    return _object(call.db.read(store.by_host_and_binary, host, binary))


@class_action(NAME, "get_by_args")
def get_by_args(call: Call, host: str, binary: str) -> Any:
    row = call.db.read(store.by_host_and_binary, host, binary)
    return _found(row, "HostBinaryNotFound", f"{binary} of host {host}", host=host, binary=binary)


@class_action(NAME, "get_by_host_and_topic")
def get_by_host_and_topic(call: Call, host: str, topic: str) -> Any:
    return _object(call.db.read(store.by_host_and_topic, host, topic))


@class_action(NAME, "get_by_compute_host")
def get_by_compute_host(call: Call, host: str, use_slave: bool = False) -> Any:
    row = call.db.read(store.by_host_and_binary, host, COMPUTE)
    return _found(row, "ComputeHostNotFound", f"Compute host {host}", host=host)


@class_action(NAME, "get_minimum_version")
def get_minimum_version(call: Call, binary: str, use_slave: bool = False) -> int:
    return get_minimum_version_multi(call, [binary])


@class_action(NAME, "get_minimum_version_multi")
def get_minimum_version_multi(call: Call, binaries: list[str], use_slave: bool = False) -> int:
    """Lowest version of all these binaries; 0 when none of them has a row."""
    if not all(binary.startswith("nova-") for binary in binaries):
        facts = {"action": "get_minimum_version", "reason": "Invalid binary prefix"}
        raise Refused("ObjectActionError", f"Not all services of nova: {binaries}", **facts)
    return min(call.db.read(store.minimum_versions, binaries).values(), default=0)


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The service exists.", action="create", reason="already created")
    values = _values(obj)
    _guard_version(call, values)
    host, binary, topic = values.get("host", ""), values.get("binary", ""), values.get("topic")
    if call.db.read(store.by_host_and_binary, host, binary) is not None:
        raise Refused("ServiceBinaryExists", f"Host {host} has a {binary}.", host=host, binary=binary)
    if call.db.read(store.listing, [TABLE.c.host == host, TABLE.c.topic == topic]):
        raise Refused("ServiceTopicExists", f"Host {host} has a service on {topic}.", host=host, topic=topic)
    if binary == COMPUTE and not call.conf.enable_new_services:
        values |= {
            "disabled": True,
            "disabled_reason": "New computes are disabled: [DEFAULT]enable_new_services is off",
        }
    return Done(wire.fields(NAME, call.db.run(store.create, values)))


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    values = _values(obj)
    if not values:
        return Done({})
    if "version" in values:
        _guard_version(call, {"binary": obj.get("binary"), **values})
    if not call.db.run(store.update, obj.id, values):
        raise not_found("ServiceNotFound", f"Service {obj.id}", service_id=obj.id)
    row: dict[str, Any] | None = call.db.read(store.by_id, obj.id)
    return Done(wire.fields(NAME, row or {}))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    if not call.db.run(store.destroy, obj.id):
        raise not_found("ServiceNotFound", f"Service {obj.id}", service_id=obj.id)
    return Done({})


def _values(obj: Any) -> dict[str, Any]:
    known = wire.changed(obj).items()
    return {name: value for name, value in known if name not in ("compute_node", "availability_zone", "id")}


def _guard_version(call: Call, values: dict[str, Any]) -> None:
    """A service older than the oldest of its kind is refused (nova 34.0.0 db semantics, too_old_guard)."""
    own, binary = values.get("version", 0), values.get("binary")
    lowest = get_minimum_version_multi(call, [binary]) if binary else 0
    if own < lowest:
        text = f"{binary} of version {own} is older than the oldest one, {lowest}."
        raise Refused("ServiceTooOld", text, thisver=own, minver=lowest)


@class_action("ServiceList", "get_all")
def get_all(call: Call, disabled: bool | None = None, set_zones: bool = False) -> Any:
    found = _listed(call, *([] if disabled is None else [TABLE.c.disabled == disabled]))
    if set_zones:
        zones = call.api.read(aggregates.zones)
        for service in found.objects:
            service.availability_zone = _zone(call, service, zones)
            service.obj_reset_changes(["availability_zone"])
    return found


def _zone(call: Call, service: Any, zones: dict[str, str]) -> str:
    """A compute is in the zone an aggregate puts it into, anything else in the internal one."""
    if service.topic != "compute":
        return str(call.conf.internal_service_availability_zone)
    return zones.get(service.host, call.conf.default_availability_zone)


@class_action("ServiceList", "get_all_computes_by_hv_type")
def get_all_computes_by_hv_type(call: Call, hv_type: str) -> Any:
    """Enabled computes whose node has this hypervisor type."""
    nodes = call.db.read(compute_nodes.listing, hypervisor_type=[hv_type])
    hosts = {row["host"] for row in nodes}
    return _listed(call, TABLE.c.host.in_(hosts), TABLE.c.binary == COMPUTE, TABLE.c.disabled == False)  # noqa: E712


@class_action("ServiceList", "get_by_host")
def get_by_host(call: Call, host: str) -> Any:
    return _listed(call, TABLE.c.host == host)


@class_action("ServiceList", "get_by_topic")
def get_by_topic(call: Call, topic: str) -> Any:
    return _listed(call, TABLE.c.topic == topic, TABLE.c.disabled == False)  # noqa: E712 - a condition of SQL


@class_action("ServiceList", "get_by_binary")
def get_by_binary(call: Call, binary: str, include_disabled: bool = False) -> Any:
    enabled = [] if include_disabled else [TABLE.c.disabled == False]  # noqa: E712 - a condition of SQL
    return _listed(call, TABLE.c.binary == binary, *enabled)


def _listed(call: Call, *where: Any) -> Any:
    return wire.listed("ServiceList", call.db.read(store.listing, where), NAME)
