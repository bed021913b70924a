"""Boot: the servers of one request are placed, recorded in their cell and handed to their computes.

Source: nova 34.0.0 flows 1 (steps 3 to 13).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from keel_common.db import Cell
from keel_common.db.stores.nova import instances_create, instances_destroy, placed, quotas
from keel_conductor.flows import bury, schedule
from keel_conductor.flows.failure import TooManyInstances
from keel_conductor.flows.records import action_row, complete, device_rows
from keel_conductor.objects import new_server, wire
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import RemoteFault
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)


@dataclass
class Wanted:
    """One server of a request."""

    request: Any
    spec: Any
    devices: Any
    selections: Sequence[Any] = ()
    cell: Cell | None = None
    instance: Any = None

    @property
    def uuid(self) -> str:
        return self.request.instance_uuid


@dataclass
class Order:
    """What all servers of a request share."""

    image: Any
    admin_password: str | None
    injected_files: Any
    requested_networks: Any
    tags: Sequence[str]


def build(peers: Peers, context: Context, wanted: list[Wanted], order: Order) -> None:
    """Places and starts the servers. One that cannot be placed or recorded ends in ERROR with the reason as its
    fault."""
    try:
        selections = schedule.select(peers, context, wanted[0].spec, [server.uuid for server in wanted])
    except Exception as error:
        LOG.warning("No host for %s: %s", [server.uuid for server in wanted], error)
        _bury_all(peers, context, wanted, order, error)
        return
    for server, chosen in zip(wanted, selections, strict=True):
        server.selections = chosen
    left = peers.cells.api.read(placed.build_requests_left, [server.uuid for server in wanted])
    for server in wanted:
        if server.uuid not in left:
            forget(peers, server)
    recorded = [server for server in wanted if server.uuid in left and _recorded(peers, context, server, order)]
    if _within_quota(peers, context, recorded):
        for server in recorded:
            _start(peers, context, server, order)


def _bury_all(peers: Peers, context: Context, wanted: list[Wanted], order: Order, error: Exception) -> None:
    """Buries every server, also when one of them cannot be: that one is left to the expiry."""
    for server in wanted:
        try:
            if not (isinstance(error, RemoteFault) and error.class_name == "NoValidHost"):
                bury.give_back_claim(peers, server.uuid)  # the scheduler may have claimed before the answer was lost
            bury.in_cell0(peers, context, server, order.tags, error)
        except Exception:
            LOG.exception("Server %s could not be buried", server.uuid)


def forget(peers: Peers, server: Wanted) -> None:
    """The user deleted the server while it was being placed: nothing of it may stay."""
    LOG.info("Server %s was deleted while it was being placed", server.uuid)
    peers.cells.api.run(placed.delete_mapping, server.uuid)
    bury.give_back_claim(peers, server.uuid)


def _recorded(peers: Peers, context: Context, server: Wanted, order: Order) -> bool:
    """Writes the row set of the server into the cell of its host; False when it had to be given up."""
    chosen = server.selections[0]
    try:
        server.cell = peers.cells.get(chosen.cell_uuid)
        instance = server.request.instance
        instance.availability_zone = schedule.zone_of(peers.conf, chosen)
        row_set = new_server.of(
            instance,
            devices=device_rows(server.devices, server.uuid, instance.flavor),
            tags=order.tags,
            action=action_row(context, "create"),
        )
        created = server.cell.db.run(instances_create.create, row_set)
    except Exception as error:
        LOG.exception("Server %s could not be recorded in its cell", server.uuid)
        _bury_all(peers, context, [server], order, error)
        return False
    server.instance = complete(instance, created)
    server.devices = wire.listed("BlockDeviceMappingList", created.devices, "BlockDeviceMapping")
    return True


def _within_quota(peers: Peers, context: Context, recorded: list[Wanted]) -> bool:
    """Counts again, now that the servers are there: of two requests at once one may have been too many."""
    if not recorded or not peers.conf.quota.recheck_quota:
        return True
    owner = recorded[0].instance.project_id, recorded[0].instance.user_id
    configured = quotas.configured(peers.conf)
    defaults = {name: configured[name] for name in ("instances", "cores", "ram")}
    limits = peers.cells.api.read(quotas.limits, *owner, defaults)
    used = quotas.summed(cell.db.read(quotas.usage, *owner) for cell in peers.cells.all())
    over = [name for who in limits for name, limit in limits[who].items() if 0 <= limit < used[who][name]]
    if not over:
        return True
    error = TooManyInstances(f"Quota exceeded for {', '.join(over)}: in use {used}, limits {limits}")
    for server in recorded:
        bury.in_cell(peers, server, error)
        peers.cells.api.run(placed.delete_spec, server.uuid)
    return False


def _start(peers: Peers, context: Context, server: Wanted, order: Order) -> None:
    """Maps the server to its cell, ends its build request and sends it to the compute."""
    cell, chosen = server.cell, server.selections[0]
    assert cell is not None
    if not peers.cells.api.run(placed.put_in_cell, server.uuid, cell.id):
        cell.db.run(instances_destroy.destroy, server.uuid, None)
        bury.give_back_claim(peers, server.uuid)
        LOG.info("Server %s was deleted while it was being recorded", server.uuid)
        return
    properties: dict[str, Any] = {}
    try:
        schedule.next_attempt(peers.conf.scheduler.max_attempts, properties, server.uuid)
        schedule.note_host(properties, chosen)
        send_build(peers, context, cell, chosen, server, order, properties, list(server.selections[1:]))
    except Exception as error:
        LOG.exception("Server %s could not be sent to %s", server.uuid, chosen.service_host)
        bury.in_cell(peers, server, error)


def send_build(
    peers: Peers,
    context: Context,
    cell: Cell,
    chosen: Any,
    server: Wanted,
    order: Order,
    properties: dict[str, Any],
    alternates: list[Any],
) -> None:
    """The cast to the compute of the chosen host."""
    peers.compute(cell).send(
        context,
        "build_and_run_instance",
        server=chosen.service_host,
        instance=server.instance,
        image=order.image,
        request_spec=server.spec,
        filter_properties=properties,
        admin_password=order.admin_password,
        injected_files=order.injected_files,
        requested_networks=order.requested_networks,
        security_groups=group_names(server.spec),
        block_device_mapping=server.devices,
        node=chosen.nodename,
        limits=schedule.limits_of(chosen),
        host_list=alternates,
        accel_uuids=[],
    )


def group_names(spec: Any) -> list[str]:
    """How the security groups of a spec are called: by uuid where one is known, else by name."""
    groups = spec.get("security_groups")
    return [group.uuid if _has_uuid(group) else group.name for group in groups.objects] if groups is not None else []


def _has_uuid(group: Any) -> bool:
    return group.is_set("uuid") and group.uuid is not None


def wanted_servers(build_requests: Any, request_specs: Any, devices: Any) -> list[Wanted]:
    """The servers of a message, each with its own spec.

    Block devices are those of the build request; where it has none, the one list the message carries for all its
    servers (nova 34.0.0 wire examples, schedule_and_build_instances).
    """
    shared = devices or objects.BlockDeviceMappingList(objects=[])
    return [
        Wanted(request, spec, request.get("block_device_mappings") or shared)
        for request, spec in zip(build_requests, request_specs, strict=True)
    ]
