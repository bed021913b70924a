"""What all moves of a server share: events, what a failure leaves behind, allocations, where it may go."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.db import Cell
from keel_common.db.refusals import Refused
from keel_common.db.stores.nova import actions, faults, instances_save, migrations, placed
from keel_conductor.flows import schedule
from keel_conductor.flows.failure import NoValidHost, fault_of, message_of, traceback_of
from keel_conductor.objects import specs, wire
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.nova import objects
from keel_contract.nova.stored import stored_form

LOG = logging.getLogger(__name__)


@contextmanager
def event(peers: Peers, cell: Cell, context: Context, uuid: str, name: str) -> Iterator[None]:
    """The event of an action of this request, begun and ended; an error makes it a failed one and goes on."""
    what = (uuid, context.request_id, name)
    try:
        cell.db.run(actions.start_event, *what, peers.host)
    except Refused as refused:  # nobody recorded the action; the work itself does not depend on it
        LOG.warning("No event %s of server %s: %s", name, uuid, refused)
        yield
        return
    try:
        yield
    except BaseException as error:
        cell.db.run(actions.finish_event, *what, message_of(error), traceback_of(error))
        raise
    cell.db.run(actions.finish_event, *what)


def settle(
    peers: Peers,
    cell: Cell,
    instance: Any,
    error: BaseException,
    values: Mapping[str, Any],
    expected: Sequence[str | None] | None = None,
) -> None:
    """Leave a server in a state it can go on from, with the reason as its fault. When it moved on meanwhile (somebody
    deletes it), it is left as it is."""

    def write(conn: Any) -> None:
        instances_save.save(conn, instance.uuid, instances_save.Changes(values=values), expected_task_state=expected)
        faults.create(conn, {"instance_uuid": instance.uuid, **fault_of(error, peers.host)})

    try:
        cell.db.run(write)
    except Refused as refused:
        LOG.warning("Server %s moved on: %s", instance.uuid, refused)


def new_migration(cell: Cell, context: Context, instance: Any, values: Mapping[str, Any]) -> Any:
    """Record a move that begins at the host of a server."""
    row = {
        "instance_uuid": instance.uuid,
        "source_compute": instance.host,
        "source_node": instance.node,
        "old_instance_type_id": instance.flavor.id,
        "new_instance_type_id": instance.flavor.id,
        "user_id": context.user_id,
        "project_id": context.project_id,
        **values,
    }
    return wire.record("Migration", cell.db.run(migrations.create, row))


def save_migration(cell: Cell, migration: Any, **values: Any) -> None:
    """Write fields of a move, into its record and into the object."""
    row = cell.db.run(migrations.update, migration.id, values)
    for name, value in wire.fields("Migration", row).items():
        setattr(migration, name, value)
    migration.obj_reset_changes()


def hold_source(peers: Peers, instance: Any, migration: Any) -> None:
    """Let the record of the move hold what the server has on its source, so that the scheduler can claim the
    destination for the server itself (nova 34.0.0 flows 7.5, 8.4)."""
    if not peers.clients.placement.move_allocations(instance.uuid, migration.uuid):
        LOG.warning("Server %s held nothing at Placement before its move", instance.uuid)


def give_back_source(peers: Peers, instance: Any, migration: Any) -> None:
    """The opposite: the server holds its source again, the claim on a destination is gone."""
    try:
        if not peers.clients.placement.move_allocations(migration.uuid, instance.uuid):
            LOG.info("Move %s of server %s holds nothing any more", migration.uuid, instance.uuid)
    except ClientError:
        LOG.exception("What server %s has on its source stays with move %s", instance.uuid, migration.uuid)


def stay_in_cell(cell: Cell, spec: Any) -> None:
    """A server moves inside its cell."""
    mapping = objects.CellMapping(uuid=cell.uuid, name=cell.name, disabled=False)
    asked = spec.get("requested_destination")
    if asked is None:
        spec.requested_destination = objects.Destination(cell=mapping)
    else:
        asked.cell = mapping


def forget_force(spec: Any) -> None:
    """What forced the server to a host when it was made does not bind its next place."""
    spec.force_hosts = None
    spec.force_nodes = None


def avoid(spec: Any, *hosts: str) -> None:
    """Keep a request away from hosts."""
    spec.ignore_hosts = list(dict.fromkeys([*(spec.get("ignore_hosts") or ()), *hosts]))


def host_asked(spec: Any) -> str | None:
    """The one host a request is for, if any."""
    asked = spec.get("requested_destination")
    return asked.get("host") if asked is not None else None


def note_port_resources(peers: Peers, instance: Any) -> None:
    """Refuse what would lose bandwidth: ports whose resources Placement holds cannot be moved by this conductor."""
    ports = peers.clients.neutron.list_ports(None, device_id=instance.uuid, fields=["id", "resource_request"])
    needy = [port["id"] for port in ports if port.get("resource_request")]
    if needy:
        raise NoValidHost(f"Ports with a resource request cannot be moved yet: {', '.join(needy)}")


def zone(peers: Peers, instance: Any, selection: Any) -> None:
    """Tell the server the availability zone of its next host; its compute saves that with what it changes."""
    instance.availability_zone = schedule.zone_of(peers.conf, selection)


def save_spec(peers: Peers, spec: Any) -> None:
    """Keep what a request asks now, for the next move; what is of one request only is not kept (nova 34.0.0 db
    semantics, request_specs.spec)."""
    primitive = stored_form(spec)
    data = {name: value for name, value in primitive["nova_object.data"].items() if name not in specs.LEFT_OUT}
    primitive["nova_object.data"] = data | {name: None for name in specs.ONE_REQUEST if name in data}
    if not peers.cells.api.run(placed.save_spec, spec.instance_uuid, json.dumps(primitive)):
        LOG.warning("Server %s has no request spec to change", spec.instance_uuid)
