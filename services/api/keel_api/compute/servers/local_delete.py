"""Deletes a server in the API itself, because no host is there to do it (nova 34.0.0 flows 3.5)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import bdms, servers_change, servers_create

LOG = logging.getLogger(__name__)
_UNBOUND = {"device_id": "", "device_owner": "", "binding:host_id": ""}


def delete_here(req: Request, server: dict[str, Any], cell: Cell) -> bool:
    """Take everything of the server back: ports, volumes, allocation, rows. A later DELETE goes on where one broke off.

    A guest that its dead host still holds is removed by the host when it comes back. False, with nothing changed, when
    a host took the server over since it was read.
    """
    uuid = server["uuid"]
    if not cell.db.run(servers_change.mark_deleting_here, uuid, server["host"]):
        return False
    _release_ports(req, server)
    devices = cell.db.read(bdms.of_servers, [uuid])
    release_volumes(req, devices)
    _release_allocation(req, uuid)
    if cell.db.run(servers_change.destroy, uuid, server["host"], begin.action_row(req, "delete")):
        req.services.cells.api.run(servers_create.queue_for_delete, uuid)
        return True
    raise Fault(409, f"Instance {uuid} was changed while it was being deleted")


def _release_ports(req: Request, server: dict[str, Any]) -> None:
    """Delete the ports that were made for the server; give back those that were there before."""
    neutron = req.services.clients.neutron
    kept = {vif["id"] for vif in server["network_info"] if vif.get("preserve_on_delete")}
    for port in neutron.list_ports(None, device_id=server["uuid"]):
        if port["id"] in kept:
            neutron.update_port(port["id"], _UNBOUND)
        else:
            neutron.delete_port(port["id"])


def release_volumes(req: Request, devices: Iterable[Mapping[str, Any]]) -> None:
    """End the attachments of a server's volumes and delete those that go with it; a failure is logged, the rest go on.

    A volume whose attachment cannot be ended must not keep the server alive (nova 34.0.0 flows 3.5).
    """
    cinder = req.services.clients.cinder
    for device in devices:
        volume = device.get("volume_id")
        if not volume:
            continue
        try:
            if device.get("attachment_id"):
                cinder.delete_attachment(req.context, device["attachment_id"])
            if device.get("delete_on_termination"):
                cinder.delete_volume(req.context, volume)
        except errors.NotFound:
            continue
        except errors.ClientError:
            LOG.exception("Volume %s of a deleted server is left over", volume)


def release_allocation_of_build(req: Request, uuid: str) -> None:
    """Give back what the scheduler may have claimed for a server that no cell has.

    A conductor that goes on with it does the same when it finds the build request gone; one that died does not.
    """
    try:
        req.services.clients.placement.delete_allocations(uuid)
    except errors.ClientError as error:
        LOG.warning("It is not known whether %s holds an allocation: %s", uuid, error)


def _release_allocation(req: Request, uuid: str) -> None:
    try:
        req.services.clients.placement.delete_allocations(uuid)
    except errors.ClientError as error:
        LOG.warning("Allocation of %s stays: %s", uuid, error)
        raise Fault(409, f"Failed to delete allocations for consumer {uuid}") from None
