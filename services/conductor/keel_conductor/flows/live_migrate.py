"""Live migration: source and destination are checked and bound, then the source is told to begin (nova 34.0.0 flows
8)."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.db import Cell
from keel_common.db.stores.nova import compute_nodes, services
from keel_conductor.flows import bindings, moves, schedule
from keel_conductor.flows.failure import NoValidHost
from keel_conductor.flows.reschedule import cell_of
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault, RemoteFault, RpcTimeout

LOG = logging.getLogger(__name__)
COMPUTE = "nova-compute"
_MOVABLE = frozenset({1, 3})  # running, paused

#: what leaves the server as it was; anything else is unknown, so the server goes into ERROR
HARMLESS = frozenset(
    {
        "NoValidHost",
        "ComputeHostNotFound",
        "ComputeServiceUnavailable",
        "ComputeHostMetricNotFound",
        "InvalidHypervisorType",
        "InvalidCPUInfo",
        "UnableToMigrateToSelf",
        "DestinationHypervisorTooOld",
        "InvalidLocalStorage",
        "InvalidSharedStorage",
        "HypervisorUnavailable",
        "InstanceInvalidState",
        "MigrationPreCheckError",
        "MigrationSchedulerRPCError",
    }
)
#: refusals of a destination after which the next one is tried
NEXT_HOST = frozenset(
    {
        "MigrationPreCheckError",
        "MigrationPreCheckClientException",
        "InvalidHypervisorType",
        "InvalidCPUInfo",
        "InvalidLocalStorage",
        "InvalidSharedStorage",
        "DestinationHypervisorTooOld",
        "Invalid",
    }
)


@dataclass
class Order:
    """What was asked, under the names of the message; `host` only when it is forced."""

    host: str | None
    block_migration: bool | None
    disk_over_commit: bool | None
    spec: Any


@dataclass
class Destination:
    """A host that passed all checks."""

    host: str
    node: str
    data: Any
    selection: Any = None


def live_migrate(peers: Peers, context: Context, instance: Any, order: Order, event: str) -> None:
    """Casts `live_migration` to the source host. When no host can take the server it stays where it is, without a
    task, and the error is raised."""
    cell = cell_of(peers, instance.uuid)
    with moves.event(peers, cell, context, instance.uuid, event):
        values = {"status": "accepted", "migration_type": "live-migration", "dest_compute": order.host}
        migration = moves.new_migration(cell, context, instance, values)
        try:
            _begin(peers, context, cell, instance, order, migration)
        except Exception as error:
            LOG.warning("Server %s is not moved: %s", instance.uuid, error)
            moves.save_migration(cell, migration, status="error")
            harmless = _name(error) in HARMLESS
            values = {"task_state": None, "vm_state": instance.vm_state if harmless else "error"}
            moves.settle(peers, cell, instance, error, values, expected=["migrating"])
            raise


def _name(error: Exception) -> str:
    if isinstance(error, NoValidHost):
        return "NoValidHost"
    return error.class_name if isinstance(error, ExpectedFault | RemoteFault) else type(error).__name__


def _begin(peers: Peers, context: Context, cell: Cell, instance: Any, order: Order, migration: Any) -> None:
    if instance.power_state not in _MOVABLE:
        raise _invalid_state(instance)
    _must_be_up(peers, cell, instance.host)
    moves.note_port_resources(peers, instance)
    moves.hold_source(peers, instance, migration)
    try:
        find = _forced if order.host else _chosen
        destination = find(peers, context, cell, instance, order, migration)
        try:
            bindings.bind(peers, instance, destination.host, destination.data)
            _cast(peers, context, cell, instance, order, migration, destination)
        except Exception:
            bindings.unbind(peers, instance, destination.host)
            raise
    except Exception:
        moves.give_back_source(peers, instance, migration)
        raise


def _cast(
    peers: Peers, context: Context, cell: Cell, instance: Any, order: Order, migration: Any, to: Destination
) -> None:
    if to.selection is not None:
        moves.zone(peers, instance, to.selection)
    moves.save_migration(cell, migration, source_node=instance.node, dest_node=to.node, dest_compute=to.host)
    peers.compute(cell).send(
        context,
        "live_migration",
        server=instance.host,
        dest=to.host,
        instance=instance,
        block_migration=order.block_migration,
        migration=migration,
        migrate_data=to.data,
    )


def _forced(peers: Peers, context: Context, cell: Cell, instance: Any, order: Order, migration: Any) -> Destination:
    """The host that an administrator forces: nobody schedules, room in memory and Placement are checked here."""
    host = order.host or ""
    if host == instance.host:
        raise _fault("UnableToMigrateToSelf", f"Server {instance.uuid} is on {host} already", host=host)
    _must_be_up(peers, cell, host)
    node = _node(cell, host)
    _must_fit(instance, node)
    _compatible(_node(cell, instance.host), node)
    held = peers.clients.placement.get_allocations(migration.uuid)["allocations"]
    source = _node(cell, instance.host)["uuid"]
    if source in held:
        wish = {"allocations": {node["uuid"]: {"resources": held[source]["resources"]}}}
        if not peers.clients.placement.claim(instance.uuid, wish, instance.project_id, instance.user_id):
            raise _fault("MigrationPreCheckError", f"Host {host} has no room", reason=f"host {host} has no room")
    data = _check(peers, context, cell, instance, order, migration, host, None)
    return Destination(host, node["hypervisor_hostname"], data)


def _chosen(peers: Peers, context: Context, cell: Cell, instance: Any, order: Order, migration: Any) -> Destination:
    """The first host of the scheduler's that agrees; each that refuses is not asked again."""
    spec, tried = order.spec, [instance.host]
    moves.forget_force(spec)
    moves.stay_in_cell(cell, spec)
    most = peers.conf.migrate_max_retries
    source = _node(cell, instance.host)
    while most < 0 or len(tried) <= most + 1:
        moves.avoid(spec, *tried)
        chosen = schedule.select(peers, context, spec, [instance.uuid], alternates=False)[0][0]
        host = chosen.service_host
        try:
            _compatible(source, _node(cell, host))
            data = _check(peers, context, cell, instance, order, migration, host, chosen.get("limits"))
            return Destination(host, chosen.nodename, data, chosen)
        except (ExpectedFault, RemoteFault) as refused:
            if _name(refused) not in NEXT_HOST:
                raise
            LOG.info("Host %s does not take server %s: %s", host, instance.uuid, refused)
            tried.append(host)
            _drop_claim(peers, instance)
    text = f"Exceeded max scheduling retries {most} for instance {instance.uuid} during live migration"
    raise _fault("NoValidHost", text, reason=text)


def _drop_claim(peers: Peers, instance: Any) -> None:
    """The server holds the refused destination alone: its source is held by the move."""
    try:
        peers.clients.placement.delete_allocations(instance.uuid)
    except ClientError:
        LOG.exception("The claim of server %s could not be given back", instance.uuid)


def _check(
    peers: Peers,
    context: Context,
    cell: Cell,
    instance: Any,
    order: Order,
    migration: Any,
    host: str,
    limits: Any,
) -> Any:
    """What the destination says of the move, in the words of its driver."""
    try:
        return peers.compute(cell).send(
            context,
            "check_can_live_migrate_destination",
            server=host,
            instance=instance,
            block_migration=order.block_migration,
            disk_over_commit=order.disk_over_commit,
            migration=migration,
            limits=limits,
        )
    except RpcTimeout as late:
        text = f"Request to {host} timed out"
        raise _fault("MigrationPreCheckError", text, reason=text) from late


def _must_be_up(peers: Peers, cell: Cell, host: str) -> None:
    row = cell.db.read(services.by_host_and_binary, host, COMPUTE)
    if row is None or not services.is_up(row, peers.conf.service_down_time):
        raise _fault("ComputeServiceUnavailable", f"Compute service of {host} is unavailable at this time.", host=host)


def _node(cell: Cell, host: str) -> Mapping[str, Any]:
    rows = cell.db.read(compute_nodes.listing, host=host)
    if not rows:
        raise _fault("ComputeHostNotFound", f"Compute host {host} could not be found.", host=host)
    return rows[0]


def _must_fit(instance: Any, node: Mapping[str, Any]) -> None:
    free = int(node["memory_mb"] * (node["ram_allocation_ratio"] or 1.0)) - node["memory_mb_used"]
    if instance.memory_mb > free:
        text = f"Host {node['host']} has {free} MiB left, server {instance.uuid} needs {instance.memory_mb}"
        raise _fault("MigrationPreCheckError", text, reason=text)


def _compatible(source: Mapping[str, Any], to: Mapping[str, Any]) -> None:
    if source["hypervisor_type"] != to["hypervisor_type"]:
        raise _fault("InvalidHypervisorType", "The supplied hypervisor type is not the destination's.")
    if source["hypervisor_version"] > to["hypervisor_version"]:
        raise _fault("DestinationHypervisorTooOld", "The destination's hypervisor is older than the source's.")


def _invalid_state(instance: Any) -> ExpectedFault:
    facts = {"instance_uuid": instance.uuid, "attr": "power_state", "state": str(instance.power_state)}
    text = f"Server {instance.uuid} in power_state {instance.power_state} cannot be moved while it runs"
    return ExpectedFault("InstanceInvalidState", text, method="live migrate", **facts)


def _fault(name: str, text: str, **facts: Any) -> ExpectedFault:
    return ExpectedFault(name, text, **facts)
