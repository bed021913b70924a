"""Which cells there are, and which host and which server is in which: CellMapping, HostMapping, InstanceMapping."""

from collections.abc import Iterable, Mapping
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import cell_mappings, placed, records
from keel_common.db.stores.nova import mappings as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

CELL, HOST, SERVER = "CellMapping", "HostMapping", "InstanceMapping"
_CELLS, _HOSTS, _SERVERS = records.api("cell_mappings"), records.api("host_mappings"), records.api("instance_mappings")


def _no_cell(uuid: str) -> Refused:
    return not_found("CellMappingNotFound", f"Cell {uuid}", uuid=uuid)


def _no_host(host: str) -> Refused:
    return not_found("HostMappingNotFound", f"Mapping of host {host}", name=host)


def _no_server(uuid: str) -> Refused:
    return not_found("InstanceMappingNotFound", f"Mapping of server {uuid}", uuid=uuid)


def cell_object(row: Mapping[str, Any] | None) -> Any:
    """A CellMapping, None for no row."""
    return None if row is None else wire.record(CELL, row)


# -- cells


@action(CELL, "create")
def create_cell(call: Call, obj: Any) -> Done:
    return Done(wire.fields(CELL, call.api.run(records.create, _CELLS, {"disabled": False} | wire.changed(obj))))


@action(CELL, "save")
def save_cell(call: Call, obj: Any) -> Done:
    row = call.api.run(records.change, _CELLS, wire.changed(obj), uuid=obj.uuid)
    if row is None:
        raise _no_cell(obj.uuid)
    return Done(wire.fields(CELL, row))


@action(CELL, "destroy")
def destroy_cell(call: Call, obj: Any) -> Done:
    if not call.api.run(records.remove, _CELLS, uuid=obj.uuid):
        raise _no_cell(obj.uuid)
    return Done.untouched(obj)


@class_action(CELL, "get_by_uuid")
def get_cell(call: Call, uuid: str) -> Any:
    row = call.api.read(records.one, _CELLS, uuid=uuid)
    if row is None:
        raise _no_cell(uuid)
    return cell_object(row)


@class_action("CellMappingList", "get_all")
def get_cells(call: Call) -> Any:
    return wire.listed("CellMappingList", call.api.read(records.many, _CELLS), CELL)


@class_action("CellMappingList", "get_by_disabled")
def get_cells_by_disabled(call: Call, disabled: bool) -> Any:
    return wire.listed("CellMappingList", call.api.read(records.many, _CELLS, disabled=bool(disabled)), CELL)


# -- hosts


def _values(obj: Any) -> dict[str, Any]:
    """Changed fields as columns: the cell is referred to by the id of its row."""
    values = wire.changed(obj)
    if "cell_mapping" in values:
        del values["cell_mapping"]
        if obj.cell_mapping is not None:
            values["cell_id"] = obj.cell_mapping.id
    return values


def _host_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    return wire.fields(HOST, row) | {"cell_mapping": cell_object(row["cell"])}


@action(HOST, "create")
def create_host(call: Call, obj: Any) -> Done:
    return Done(_host_fields(call.api.run(store.create_host, _values(obj))))


@action(HOST, "save")
def save_host(call: Call, obj: Any) -> Done:
    row = call.api.run(store.change_host, obj.id, _values(obj))
    if row is None:
        raise _no_host(obj.host)
    return Done(_host_fields(row))


@action(HOST, "destroy")
def destroy_host(call: Call, obj: Any) -> Done:
    if not call.api.run(cell_mappings.unmap_host, obj.host):
        raise _no_host(obj.host)
    return Done.untouched(obj)


@class_action(HOST, "get_by_host")
def get_host(call: Call, host: str) -> Any:
    row = call.api.read(cell_mappings.host, host)
    if row is None:
        raise _no_host(host)
    return wire.record(HOST, row, cell_mapping=cell_object(row["cell"]))


def _hosts(rows: Iterable[Mapping[str, Any]]) -> Any:
    made = [wire.record(HOST, row, cell_mapping=cell_object(row["cell"])) for row in rows]
    return wire.listed("HostMappingList", made)


@class_action("HostMappingList", "get_all")
def get_hosts(call: Call) -> Any:
    return _hosts(call.api.read(store.hosts))


@class_action("HostMappingList", "get_by_cell_id")
def get_hosts_of_cell(call: Call, cell_id: int) -> Any:
    return _hosts(call.api.read(store.hosts, cell_id=cell_id))


# -- servers


def _server_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """user_id is left out where an old row has none."""
    values = wire.fields(SERVER, row) | {"cell_mapping": cell_object(row["cell"])}
    values["queued_for_delete"] = bool(row["queued_for_delete"])
    if row["user_id"] is None:
        del values["user_id"]
    return values


def _server(row: Mapping[str, Any]) -> Any:
    return wire.read(wire.REGISTRY.classes[SERVER], _server_fields(row))


@action(SERVER, "create")
def create_server(call: Call, obj: Any) -> Done:
    values = {"queued_for_delete": False} | _values(obj)
    return Done(_server_fields(call.api.run(store.create_server, values)))


@action(SERVER, "save")
def save_server(call: Call, obj: Any) -> Done:
    row = call.api.run(store.change_server, obj.instance_uuid, _values(obj))
    if row is None:
        raise _no_server(obj.instance_uuid)
    return Done(_server_fields(row))


@action(SERVER, "destroy")
def destroy_server(call: Call, obj: Any) -> Done:
    if not call.api.run(placed.delete_mapping, obj.instance_uuid):
        raise _no_server(obj.instance_uuid)
    return Done.untouched(obj)


@class_action(SERVER, "get_by_instance_uuid")
def get_server(call: Call, instance_uuid: str) -> Any:
    row = call.api.read(placed.mapping, instance_uuid)
    if row is None:
        raise _no_server(instance_uuid)
    return _server(row)


def _servers(rows: Iterable[Mapping[str, Any]]) -> Any:
    return wire.listed("InstanceMappingList", [_server(row) for row in rows])


@class_action("InstanceMappingList", "get_by_project_id")
def get_servers_of_project(call: Call, project_id: str) -> Any:
    return _servers(call.api.read(store.servers, project_id=project_id))


@class_action("InstanceMappingList", "get_by_cell_id")
def get_servers_of_cell(call: Call, cell_id: int) -> Any:
    return _servers(call.api.read(store.servers, cell_id=cell_id))


@class_action("InstanceMappingList", "get_by_instance_uuids")
def get_servers(call: Call, uuids: list[str]) -> Any:
    return _servers(call.api.read(store.servers, instance_uuid=list(uuids)))


@class_action("InstanceMappingList", "get_counts")
def get_counts(call: Call, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    """Servers that are not queued for deletion."""
    return call.api.read(store.count_servers, project_id, user_id)
