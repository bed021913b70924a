"""InstanceList."""

from typing import Any

from keel_common.db import now
from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import instances as store
from keel_common.db.stores.nova import quotas
from keel_common.db.stores.nova import server_search as search
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, class_action
from keel_contract.errors import ExpectedFault

NAME = "InstanceList"
TABLE = store.TABLE


def _list(call: Call, where: list[Any], parts: Any, **more: Any) -> Any:
    found = call.db.read(store.load, where, tuple(parts or ()), call.context.read_deleted, **more)
    return wire.listed(NAME, [_server(server) for server in found])


@class_action(NAME, "get_by_host")
def get_by_host(call: Call, host: str, expected_attrs: Any = None, use_slave: bool = False) -> Any:
    return _list(call, [TABLE.c.host == host], expected_attrs)


@class_action(NAME, "get_by_host_and_node")
def get_by_host_and_node(call: Call, host: str, node: str, expected_attrs: Any = None) -> Any:
    return _list(call, [TABLE.c.host == host, TABLE.c.node == node], expected_attrs)


@class_action(NAME, "get_by_host_and_not_type")
def get_by_host_and_not_type(call: Call, host: str, type_id: Any = None, expected_attrs: Any = None) -> Any:
    """Without parts, whatever is named (as nova 34.0.0 answers)."""
    other = [] if type_id is None else [TABLE.c.instance_type_id != type_id]
    return _list(call, [TABLE.c.host == host, *other], ())


@class_action(NAME, "get_all")
def get_all(call: Call, expected_attrs: Any = None) -> Any:
    mine = [] if call.context.is_admin else [TABLE.c.project_id == call.context.project_id]
    return _list(call, mine, expected_attrs)


@class_action(NAME, "get_uuids_by_host")
def get_uuids_by_host(call: Call, host: str) -> list[str]:
    return call.db.read(store.uuids, TABLE.c.host == host)


@class_action(NAME, "get_uuids_by_host_and_node")
def get_uuids_by_host_and_node(call: Call, host: str, node: str) -> list[str]:
    return call.db.read(store.uuids, TABLE.c.host == host, TABLE.c.node == node)


@class_action(NAME, "get_uuids_by_hosts")
def get_uuids_by_hosts(call: Call, hosts: list[str]) -> dict[str, list[str]]:
    """Hosts without servers are left out."""
    found = {host: call.db.read(store.uuids, TABLE.c.host == host) for host in hosts}
    return {host: uuids for host, uuids in found.items() if uuids}


@class_action(NAME, "get_by_filters")
def get_by_filters(
    call: Call,
    filters: dict[str, Any],
    sort_key: str = "created_at",
    sort_dir: str = "desc",
    limit: int | None = None,
    marker: str | None = None,
    expected_attrs: Any = None,
    use_slave: bool = False,
    sort_keys: Any = None,
    sort_dirs: Any = None,
) -> Any:
    """Servers by filters in order, behind the one with uuid `marker`."""
    if limit == 0:
        return wire.listed(NAME, [])
    wanted = {name: wire.moment(value) if name in MOMENTS else value for name, value in filters.items()}
    where = search.conditions(wanted, call.db.dialect)
    order = _order(sort_keys or [sort_key], sort_dirs or [sort_dir])
    if marker is not None:
        where.append(_behind(call, marker, order))
    return _read(call, where, expected_attrs, "yes", search.ordered(order), limit)


MOMENTS = ("changes-since", "changes-before")


def _order(keys: list[str], ways: list[str]) -> list[tuple[str, str]]:
    """The order with creation and id behind it, so that it is a whole one. Raises Refused InvalidSortKey, Invalid..."""
    ways = [*ways, *([ways[0] if ways else "asc"] * (len(keys) - len(ways)))]
    for key, way in zip(keys, ways, strict=False):
        if key not in TABLE.c:
            raise Refused("InvalidSortKey", f"{key} is no column of servers.", 400)
        if way not in ("asc", "desc"):
            text = f"{way} is no way to sort: asc or desc"
            raise Refused("InvalidInput", text, 400, reason=text)
    order = list(zip(keys, ways, strict=False))
    return order + [(key, order[-1][1]) for key in ("created_at", "id") if key not in keys]


def _behind(call: Call, marker: str, order: list[tuple[str, str]]) -> Any:
    try:
        return call.db.read(search.behind, marker, order)
    except search.NoMarker as unknown:
        raise not_found("MarkerNotFound", f"Server {marker}", marker=marker) from unknown


def _read(
    call: Call, where: list[Any], parts: Any, read_deleted: str, order: Any = None, limit: int | None = None
) -> Any:
    found = call.db.read(store.load, where, tuple(parts or ()), read_deleted, order, limit)
    return wire.listed(NAME, [_server(server) for server in found])


def _server(server: dict[str, Any]) -> Any:
    """Lists tell allocated PCI devices alone, and a fault as a change (as nova 34.0.0 answers)."""
    if "pci_devices" in server:
        server["pci_devices"] = [row for row in server["pci_devices"] if row["status"] == "allocated"]
    made = wire.instance(server)
    if "fault" in server:
        made.fault = made.fault
    return made


@class_action(NAME, "_get_active_by_window_joined")
def get_active_by_window(
    call: Call,
    begin: Any,
    end: Any = None,
    project_id: str | None = None,
    host: str | None = None,
    expected_attrs: Any = None,
    use_slave: bool = False,
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    """Servers, deleted ones too, that ran at some time of a period."""
    where = search.active(wire.moment(begin), wire.moment(end))
    where += [TABLE.c[name] == value for name, value in (("project_id", project_id), ("host", host)) if value]
    order = [("project_id", "asc"), ("uuid", "asc")]
    if marker is not None:
        where.append(_behind(call, marker, order))
    return _read(call, where, expected_attrs, "yes", search.ordered(order), limit)


@class_action(NAME, "get_hung_in_rebooting")
def get_hung_in_rebooting(call: Call, reboot_window: int, expected_attrs: Any = None) -> Any:
    where = search.hung_in_reboot(reboot_window, now())
    return _read(call, where, expected_attrs, call.context.read_deleted)


@class_action(NAME, "get_by_security_group_id")
def get_by_security_group_id(call: Call, security_group_id: int) -> Any:
    raise _not_any_more("get_by_security_group_id")


@class_action(NAME, "get_by_grantee_security_group_ids")
def get_by_grantee_security_group_ids(call: Call, security_group_ids: list[int]) -> Any:
    raise _not_any_more("get_by_grantee_security_group_ids")


def _not_any_more(method: str) -> ExpectedFault:
    """What nova 34.0.0 answers: the rules of groups are the network service's."""
    return ExpectedFault("NotImplementedError", f"{method} ended with nova-network.", module="builtins")


@class_action(NAME, "get_counts")
def get_counts(call: Call, project_id: str, user_id: str | None = None) -> dict[str, dict[str, int]]:
    found = call.db.read(quotas.usage, project_id, user_id)
    return found if user_id is not None else {"project": found["project"]}


@class_action(NAME, "get_count_by_vm_state")
def get_count_by_vm_state(call: Call, project_id: str, user_id: str, vm_state: str) -> int:
    return call.db.read(search.count_in_state, project_id, user_id, vm_state)
