"""Rebuild and evacuation: the image is checked or a new host claimed, then the compute rebuilds (nova 34.0.0 flows
5, 6)."""

import logging
from dataclasses import dataclass
from typing import Any

from keel_common.db import Cell
from keel_common.db.stores.nova import compute_nodes, migrations
from keel_conductor.flows import moves, schedule
from keel_conductor.flows.failure import NoValidHost
from keel_conductor.flows.reschedule import cell_of
from keel_conductor.objects import wire
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import RemoteFault

LOG = logging.getLogger(__name__)


@dataclass
class Rebuild:
    """What was asked, under the names of the message."""

    orig_image_ref: str | None
    image_ref: str | None
    injected_files: Any
    new_pass: str | None
    orig_sys_metadata: Any
    bdms: Any
    recreate: bool
    on_shared_storage: bool | None
    preserve_ephemeral: bool
    host: str | None
    request_spec: Any
    reimage_boot_volume: bool
    target_state: str | None


@dataclass
class Place:
    """Where the server is rebuilt."""

    host: str
    node: str | None = None
    limits: Any = None


def rebuild(peers: Peers, context: Context, instance: Any, asked: Rebuild) -> None:
    """Casts `rebuild_instance` to the host that was named or found. When there is none the server goes into ERROR, its
    image is the old one again, and the error is raised."""
    cell = cell_of(peers, instance.uuid)
    migration = _evacuation(cell, instance) if asked.recreate else None
    with moves.event(peers, cell, context, instance.uuid, "rebuild_server"):
        try:
            place = _place(peers, context, cell, instance, asked)
        except Exception as error:
            _give_up(peers, cell, instance, asked, migration, error)
            raise
        _send(peers, context, cell, instance, asked, migration, place)


def _evacuation(cell: Cell, instance: Any) -> Any:
    row = cell.db.read(migrations.by_instance_and_status, instance.uuid, "accepted")
    if row is None:
        LOG.warning("Server %s is evacuated without the record of a move", instance.uuid)
        return None
    return wire.record("Migration", row)


def _place(peers: Peers, context: Context, cell: Cell, instance: Any, asked: Rebuild) -> Place:
    if asked.host:
        node = _claim_by_force(peers, cell, instance, asked.host) if _moves(instance, asked) else None
        return Place(asked.host, node)
    spec = asked.request_spec
    if asked.recreate:
        moves.note_port_resources(peers, instance)
        moves.avoid(spec, instance.host)
        moves.forget_force(spec)
        moves.stay_in_cell(cell, spec)
    chosen = schedule.select(peers, context, spec, [instance.uuid], alternates=False)[0][0]
    moves.zone(peers, instance, chosen)
    return Place(chosen.service_host, chosen.nodename, chosen.get("limits"))


def _moves(instance: Any, asked: Rebuild) -> bool:
    return asked.recreate and asked.host != instance.host


def _claim_by_force(peers: Peers, cell: Cell, instance: Any, host: str) -> str:
    """Claim on a host named by force what the server holds on its source, without asking the scheduler; its node."""
    nodes = cell.db.read(compute_nodes.listing, host=host)
    source = cell.db.read(compute_nodes.find, host=instance.host, hypervisor_hostname=instance.node)
    if not nodes or source is None:
        raise NoValidHost(f"Compute host {host} could not be found")
    held = peers.clients.placement.get_allocations(instance.uuid)["allocations"].get(source["uuid"])
    if held is None:
        LOG.warning("Server %s holds nothing on its source %s", instance.uuid, instance.host)
        return str(nodes[0]["hypervisor_hostname"])
    wish = {"allocations": {nodes[0]["uuid"]: {"resources": held["resources"]}}}
    if not peers.clients.placement.claim(instance.uuid, wish, instance.project_id, instance.user_id):
        raise NoValidHost(f"Host {host} has no room for server {instance.uuid}")
    return str(nodes[0]["hypervisor_hostname"])


def _give_up(peers: Peers, cell: Cell, instance: Any, asked: Rebuild, migration: Any, error: Exception) -> None:
    LOG.warning("Server %s cannot be rebuilt: %s", instance.uuid, error)
    if migration is not None:
        moves.save_migration(cell, migration, status="error")
    none = isinstance(error, NoValidHost) or (isinstance(error, RemoteFault) and error.class_name == "NoValidHost")
    kept = none and asked.recreate and asked.host
    values = {"vm_state": instance.vm_state if kept else "error", "task_state": None}
    if asked.orig_image_ref and not asked.recreate:
        values["image_ref"] = asked.orig_image_ref
    moves.settle(peers, cell, instance, error, values)


def _send(
    peers: Peers, context: Context, cell: Cell, instance: Any, asked: Rebuild, migration: Any, place: Place
) -> None:
    peers.compute(cell).send(
        context,
        "rebuild_instance",
        server=place.host,
        instance=instance,
        orig_image_ref=asked.orig_image_ref,
        image_ref=asked.image_ref,
        injected_files=asked.injected_files,
        new_pass=asked.new_pass,
        orig_sys_metadata=asked.orig_sys_metadata,
        bdms=asked.bdms,
        recreate=asked.recreate,
        on_shared_storage=asked.on_shared_storage,
        preserve_ephemeral=asked.preserve_ephemeral,
        migration=migration,
        scheduled_node=place.node,
        limits=place.limits,
        request_spec=asked.request_spec,
        accel_uuids=[],
        reimage_boot_volume=asked.reimage_boot_volume,
        target_state=asked.target_state,
    )
