"""DELETE /servers/{id} (nova 34.0.0 flows 3): before scheduling, without a living host, through the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.server_actions import begin, confirm
from keel_api.compute.servers import lookup
from keel_api.compute.servers.local_delete import delete_here, release_allocation_of_build, release_volumes
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell, now
from keel_common.db.stores.nova import bdms, servers_change, servers_create
from keel_common.domain.server import guards
from keel_common.domain.server.status import service_is_up
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

COLUMNS = begin.COLUMNS | {"service"}
"""What `remove` needs of a server: what the message carries, and whether its host is there to get it."""
_DELETING, _SOFT_DELETING = "deleting", "soft-deleting"


@handles("DELETE /servers/{id}")
def delete(req: Request) -> None:
    deleted(req, "os_compute_api:servers:delete", "delete", soft=req.services.conf.reclaim_instance_interval > 0)


def deleted(req: Request, rule: str, verb: str, soft: bool) -> None:
    """Delete the server of a request wherever it is, once the caller is known to have the right."""
    uuid = req.path["id"]
    found = lookup.located(req, uuid)
    server, cell = lookup.read_found(req, found, COLUMNS)
    req.must(rule, lookup.target_of(server))
    _check(req, server, verb)
    if cell is None:
        if _delete_build(req, uuid):
            return
        # the conductor was faster: the server is in a cell now
        server, cell = _again(req, uuid)
    remove(req, server, cell, soft=soft)


def _check(req: Request, server: dict[str, Any], verb: str) -> None:
    try:
        guards.guard("delete").check(server, verb, req.context.is_admin)
    except guards.Refused as refused:
        raise Fault(409, str(refused)) from None


def _delete_build(req: Request, uuid: str) -> bool:
    """Delete a server that no cell has: its build request, its reserved volumes. False when it is in a cell now."""
    api = req.services.cells.api
    devices = api.read(servers_create.devices_of_build, uuid)
    if not api.run(servers_create.delete_build, uuid):
        return False
    release_volumes(req, devices)
    release_allocation_of_build(req, uuid)
    api.run(servers_create.queue_for_delete, uuid)
    return True


def remove(req: Request, server: dict[str, Any], cell: Cell, soft: bool = False) -> None:
    """Delete a server that a cell has; `soft` leaves it to be reclaimed later when it was ever active."""
    _forget_shelved_image(req, server)
    if not server["host"] or not _host_is_up(req, server["service"]):
        if delete_here(req, server, cell):
            return
        # a host began to build it meanwhile and takes back what it made
        server, cell = _again(req, server["uuid"])
    soft = soft and bool(server["launched_at"])
    task_state = _SOFT_DELETING if soft else _DELETING
    uuid = server["uuid"]
    resized = server["vm_state"] == "resized"
    record = None if resized else begin.action_row(req, "delete")
    if not cell.db.run(servers_change.mark_deleting, uuid, task_state, record):
        return  # it is on its way out already: asking twice is no error
    server_now = {**server, "task_state": task_state, "progress": 0}
    with begin.reverting(cell, server, task_state):
        if resized:
            confirm.before_delete(req, server_now, cell)
            begin.record(req, server, cell, "delete")
        _tell_host(req, server_now, cell, soft)
    req.services.cells.api.run(servers_create.queue_for_delete, uuid)


def _tell_host(req: Request, server: dict[str, Any], cell: Cell, soft: bool) -> None:
    compute, instance = req.services.rpc(COMPUTE, cell), wire.instance(server)
    if soft:
        compute.send(req.context, "soft_delete_instance", instance=instance)
        return
    devices = wire.devices(cell.db.read(bdms.of_servers, [server["uuid"]]))
    compute.send(req.context, "terminate_instance", instance=instance, bdms=devices)


def _again(req: Request, uuid: str) -> tuple[dict[str, Any], Cell]:
    server, cell = lookup.read_found(req, lookup.located(req, uuid), COLUMNS)
    if cell is None:
        raise lookup.not_found(uuid)
    return server, cell


def _host_is_up(req: Request, row: Mapping[str, Any] | None) -> bool:
    if row is None:
        return False
    down_after = req.services.conf.service_down_time
    return service_is_up(row["last_seen_up"], row["created_at"], bool(row["forced_down"]), now(), down_after)


def _forget_shelved_image(req: Request, server: dict[str, Any]) -> None:
    """The image a shelved server would come back from is of no use to anybody else."""
    image = server["system_metadata"].get("shelved_image_id")
    if image and server["vm_state"] in ("shelved", "shelved_offloaded"):
        try:
            req.services.clients.glance.delete(req.context, image)
        except errors.NotFound:
            return
