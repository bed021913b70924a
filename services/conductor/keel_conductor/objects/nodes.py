"""ComputeNode and ComputeNodeList."""

import json
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import compute_nodes as store
from keel_common.db.violations import IntegrityError
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action
from keel_contract.nova import objects

NAME = "ComputeNode"
LIST = "ComputeNodeList"
_RATIOS = ("cpu_allocation_ratio", "ram_allocation_ratio", "disk_allocation_ratio")


def fields(call: Call, row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a ComputeNode from its row (nova 34.0.0 db semantics, serialized columns).

    A row of a node that never reported a ratio says 0.0 or nothing: the configured one holds, else the first one, and
    the row gets it.
    """
    values = wire.fields(NAME, row)
    lacking = {ratio: _ratio(call, ratio) for ratio in _RATIOS if not row[ratio]}
    if lacking:
        call.db.run(store.update, row["id"], lacking)
    values.update(lacking)
    values["stats"] = json.loads(row["stats"] or "{}")
    if row["supported_instances"]:
        specs = json.loads(row["supported_instances"])
        values["supported_hv_specs"] = [
            objects.HVSpec(**dict(zip(("arch", "hv_type", "vm_mode"), spec, strict=True))) for spec in specs
        ]
    pools = json.loads(row["pci_stats"]) if row["pci_stats"] else None
    values["pci_device_pools"] = wire.stored(pools) if isinstance(pools, dict) else None
    return values


def _ratio(call: Call, name: str) -> float:
    return float(getattr(call.conf, name) or getattr(call.conf, f"initial_{name}"))


def _object(call: Call, row: dict[str, Any]) -> Any:
    return wire.read(objects.ComputeNode, fields(call, row))


def _values(obj: Any) -> dict[str, Any]:
    """The changed fields of a ComputeNode as columns."""
    values = wire.changed(obj)
    values.pop("id", None)
    if "stats" in values:
        values["stats"] = json.dumps(values["stats"] or {})
    if values.pop("supported_hv_specs", None) is not None:
        specs = [[spec.arch, spec.hv_type, spec.vm_mode] for spec in obj.supported_hv_specs]
        values["supported_instances"] = json.dumps(specs)
    if "pci_device_pools" in values:
        del values["pci_device_pools"]
        values["pci_stats"] = wire.text(obj.pci_device_pools)
    return values


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The node exists.", action="create", reason="already created")
    values = {"stats": "{}"} | _values(obj)
    try:
        row = call.db.run(store.create, values)
    except IntegrityError as error:
        target = f"compute node {obj.get('host')}:{obj.get('uuid')}"
        raise Refused("DuplicateRecord", f"There is a {target}.", 409, target=target) from error
    return Done(fields(call, row), None, _unsaved(obj))


def _unsaved(obj: Any) -> list[str]:
    """PCI pools with changes of their own stay named."""
    pools = obj.get("pci_device_pools")
    return ["pci_device_pools"] if pools is not None and pools.obj_what_changed() else []


@action(NAME, "save")
def save(call: Call, obj: Any, prune_stats: bool = False) -> Done:
    return Done(fields(call, call.db.run(store.update, obj.id, _values(obj))), None, _unsaved(obj))


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    call.db.run(store.destroy, obj.id, obj.get("host"))
    return Done({})


def _get(call: Call, what: Any, **equal: Any) -> Any:
    row = call.db.read(store.find, **equal)
    if row is None:
        raise not_found("ComputeHostNotFound", f"Compute host {what}", host=what)
    return _object(call, row)


@class_action(NAME, "get_by_id")
def get_by_id(call: Call, compute_id: int) -> Any:
    return _get(call, compute_id, id=compute_id)


@class_action(NAME, "get_by_uuid")
def get_by_uuid(call: Call, compute_uuid: str) -> Any:
    return _get(call, compute_uuid, uuid=compute_uuid)


@class_action(NAME, "get_by_service_id")
def get_by_service_id(call: Call, service_id: int) -> Any:
    row = call.db.read(store.find, service_id=service_id)
    if row is None:
        raise not_found("ServiceNotFound", f"Node of service {service_id}", service_id=service_id)
    return _object(call, row)


@class_action(NAME, "get_by_host_and_nodename")
def get_by_host_and_nodename(call: Call, host: str, nodename: str) -> Any:
    return _get(call, host, host=host, hypervisor_hostname=nodename)


@class_action(NAME, "get_by_nodename")
def get_by_nodename(call: Call, hypervisor_hostname: str) -> Any:
    return _get(call, hypervisor_hostname, hypervisor_hostname=hypervisor_hostname)


@class_action(NAME, "get_first_node_by_host_for_old_compat")
def get_first_node(call: Call, host: str, use_slave: bool = False) -> Any:
    return _get(call, host, host=host)


def _listed(call: Call, rows: list[dict[str, Any]]) -> Any:
    return wire.listed(LIST, [_object(call, row) for row in rows])


@class_action(LIST, "get_all")
def get_all(call: Call) -> Any:
    return _listed(call, call.db.read(store.listing))


@class_action(LIST, "get_all_by_host")
def get_all_by_host(call: Call, host: str, use_slave: bool = False) -> Any:
    rows = call.db.read(store.listing, host=host)
    if not rows:
        raise not_found("ComputeHostNotFound", f"Compute host {host}", host=host)
    return _listed(call, rows)


@class_action(LIST, "get_all_by_uuids")
def get_all_by_uuids(call: Call, compute_uuids: list[str]) -> Any:
    return _listed(call, call.db.read(store.listing, uuid=list(compute_uuids)))


@class_action(LIST, "_get_by_service")
def get_by_service(call: Call, service_id: int, use_slave: bool = False) -> Any:
    return _listed(call, call.db.read(store.listing, service_id=service_id))


@class_action(LIST, "get_by_hypervisor")
def get_by_hypervisor(call: Call, hypervisor_match: str) -> Any:
    return _listed(call, call.db.read(store.matching, hypervisor_match))


@class_action(LIST, "get_all_by_not_mapped")
def get_all_by_not_mapped(call: Call, mapped_less_than: int) -> Any:
    return _listed(call, call.db.read(store.not_mapped, mapped_less_than))


@class_action(LIST, "get_by_pagination")
def get_by_pagination(call: Call, limit: int | None = None, marker: int | None = None) -> Any:
    return _listed(call, call.db.read(store.page, limit, marker))
