"""A compute gave a build back: the next host is tried (nova 34.0.0 flows 2)."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.db import Cell
from keel_common.db.stores.nova import bdms, instances_save, placed
from keel_conductor.flows import bury, schedule
from keel_conductor.flows.build import Order, Wanted, send_build
from keel_conductor.flows.failure import MaxRetriesExceeded, fault_of
from keel_conductor.flows.network import give_back_ports
from keel_conductor.objects import wire
from keel_conductor.peers import Peers
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


def rebuild_elsewhere(
    peers: Peers,
    context: Context,
    server: Wanted,
    order: Order,
    properties: dict[str, Any],
    alternates: Sequence[Any] | None,
) -> None:
    """Sends one server to the next host that still has room.

    `alternates` are the hosts the scheduler named at first; None means that it has to be asked again. When none is
    left the server ends in ERROR with a fault and its network is given back.
    """
    server.cell = cell_of(peers, server.uuid)
    try:
        schedule.next_attempt(peers.conf.scheduler.max_attempts, properties, server.uuid)
        chosen, rest = _choose(peers, context, server, alternates, properties)
        _prepare(peers, context, server, chosen)
        properties = {**properties}
        schedule.note_host(properties, chosen)
        send_build(peers, context, server.cell, chosen, server, order, properties, rest)
    except Exception as error:
        LOG.warning("Server %s is given up: %s", server.uuid, error)
        give_up(peers, context, server, error, order.requested_networks)


def cell_of(peers: Peers, uuid: str) -> Cell:
    """The cell a server is mapped to."""
    found = peers.cells.api.read(placed.cell_of, uuid)
    if found is None:
        raise MaxRetriesExceeded(f"Server {uuid} is in no cell")
    return peers.cells.get(found)


def _choose(
    peers: Peers, context: Context, server: Wanted, alternates: Sequence[Any] | None, properties: dict[str, Any]
) -> tuple[Any, list[Any]]:
    """The next host, claimed in Placement, and those behind it."""
    if alternates is None:
        spec = server.spec
        tried = [host for host, _node in properties.get("retry", {}).get("hosts", ())]
        spec.ignore_hosts = sorted({*(spec.get("ignore_hosts") or ()), *tried})
        chosen, *rest = schedule.select(peers, context, spec, [server.uuid])[0]
        return chosen, rest
    left = list(alternates)
    while left:
        chosen = left.pop(0)
        request = json.loads(chosen.allocation_request) if chosen.allocation_request else None
        owner = server.instance.project_id, server.instance.user_id
        if request is None or peers.clients.placement.claim(server.uuid, request, *owner):
            return chosen, left
    raise MaxRetriesExceeded(f"No host is left for server {server.uuid}: every alternative was tried or is full")


def _prepare(peers: Peers, context: Context, server: Wanted, chosen: Any) -> None:
    """Notes the zone of the new host, reserves volumes anew that the last host let go, and reads the block devices."""
    assert server.cell is not None
    zone = schedule.zone_of(peers.conf, chosen)
    changes = instances_save.Changes(values={"availability_zone": zone})
    row = server.cell.db.run(instances_save.save, server.uuid, changes)
    for name, value in wire.fields("Instance", row).items():
        setattr(server.instance, name, value)
    server.instance.obj_reset_changes(recursive=True)
    rows = server.cell.db.read(bdms.of_servers, [server.uuid])
    rows = [_reserved(peers, context, server.cell, row) for row in rows]
    server.devices = wire.listed("BlockDeviceMappingList", rows, "BlockDeviceMapping")


def _reserved(peers: Peers, context: Context, cell: Cell, row: dict[str, Any]) -> dict[str, Any]:
    if not row["volume_id"] or not row["attachment_id"]:
        return row
    try:
        peers.clients.cinder.show_attachment(context, row["attachment_id"])
        return row
    except ClientError as error:
        if error.status != 404:
            raise
    attachment = peers.clients.cinder.create_attachment(context, row["volume_id"], row["instance_uuid"])
    return cell.db.run(bdms.update, row["id"], {"attachment_id": attachment["id"], "connection_info": None})


def give_up(peers: Peers, context: Context, server: Wanted, error: BaseException, networks: Any) -> None:
    """ERROR with a fault; ports and the claim are given back. What cannot be given back is logged, not hidden."""
    assert server.cell is not None
    server.cell.db.run(bury.fail, server.uuid, fault_of(error, peers.host))
    for name, undo in (
        ("ports", lambda: give_back_ports(peers.clients.neutron, server.uuid, networks)),
        ("allocation", lambda: peers.clients.placement.delete_allocations(server.uuid)),
    ):
        try:
            undo()
        except ClientError:
            LOG.exception("Server %s: its %s could not be given back", server.uuid, name)
