"""Resize and cold migration inside a cell: the destination is claimed and told to prepare (nova 34.0.0 flows 7)."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from keel_common.db import Cell
from keel_common.db.stores.nova import migrations
from keel_common.wire.image import plain_image
from keel_conductor.flows import moves, schedule
from keel_conductor.flows.failure import MaxRetriesExceeded, NoValidHost
from keel_conductor.flows.reschedule import cell_of
from keel_conductor.objects import wire
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault, RemoteFault

LOG = logging.getLogger(__name__)


def migrate(
    peers: Peers,
    context: Context,
    instance: Any,
    flavor: Any,
    spec: Any,
    hint: Mapping[str, Any] | None,
    clean_shutdown: bool,
    host_list: Sequence[Any] | None,
) -> None:
    """Finds the next host of a server and casts `prep_resize` to it.

    `host_list` are the alternates of an earlier attempt that failed on its destination. When nothing fits the server
    keeps its state without a task, gets a fault, holds its source again, and the error is raised.
    """
    cell = cell_of(peers, instance.uuid)
    spec.flavor = flavor
    migration = None
    try:
        with moves.event(peers, cell, context, instance.uuid, "cold_migrate"):
            moves.note_port_resources(peers, instance)
            migration = _migration(cell, context, instance, flavor)
            moves.hold_source(peers, instance, migration)
            _prepare(peers, context, cell, instance, flavor, spec, migration, hint, clean_shutdown, host_list)
    except Exception as error:
        LOG.warning("Server %s stays where it is: %s", instance.uuid, error)
        if migration is not None:
            moves.save_migration(cell, migration, status="error")
            moves.give_back_source(peers, instance, migration)
        moves.settle(peers, cell, instance, error, {"vm_state": instance.vm_state, "task_state": None})
        raise _told(error, resize=flavor.id != instance.flavor.id) from error
    moves.save_spec(peers, spec)


def _told(error: Exception, resize: bool) -> Exception:
    """NoValidHost as a caller knows it; anything else as it is."""
    none = isinstance(error, NoValidHost | MaxRetriesExceeded)
    none = none or (isinstance(error, RemoteFault) and error.class_name == "NoValidHost")
    if not none:
        return error
    what = "resize" if resize else "cold migrate"
    return ExpectedFault("NoValidHost", f"No valid host found for {what}: {error}", reason=str(error))


def _migration(cell: Cell, context: Context, instance: Any, flavor: Any) -> Any:
    """The record of the move; an attempt before this one may have left it."""
    row = cell.db.read(migrations.by_instance_and_status, instance.uuid, "pre-migrating")
    if row is not None:
        return wire.record("Migration", row)
    values = {
        "new_instance_type_id": flavor.id,
        "status": "pre-migrating",
        "migration_type": "resize" if flavor.id != instance.flavor.id else "migration",
    }
    return moves.new_migration(cell, context, instance, values)


def _prepare(
    peers: Peers,
    context: Context,
    cell: Cell,
    instance: Any,
    flavor: Any,
    spec: Any,
    migration: Any,
    hint: Mapping[str, Any] | None,
    clean_shutdown: bool,
    host_list: Sequence[Any] | None,
) -> None:
    properties = _properties(hint)
    asked = moves.host_asked(spec)
    if asked is None:
        schedule.next_attempt(peers.conf.scheduler.max_attempts, properties, instance.uuid)
    if host_list is None:
        chosen, rest = _schedule(peers, context, cell, instance, spec, asked)
    else:
        chosen, rest = _next(peers, instance, host_list)
    schedule.note_host(properties, chosen)
    moves.zone(peers, instance, chosen)
    peers.compute(cell).send(
        context,
        "prep_resize",
        server=chosen.service_host,
        image=plain_image(spec.get("image")),
        instance=instance,
        flavor=flavor,
        request_spec=spec,
        filter_properties=properties,
        node=chosen.nodename,
        clean_shutdown=clean_shutdown,
        migration=migration,
        host_list=rest,
    )


def _properties(hint: Mapping[str, Any] | None) -> dict[str, Any]:
    """The retries so far, as a destination that failed hands them back."""
    retry = ((hint or {}).get("filter_properties") or {}).get("retry")
    return {"retry": dict(retry)} if retry else {}


def _schedule(
    peers: Peers, context: Context, cell: Cell, instance: Any, spec: Any, asked: str | None
) -> tuple[Any, list[Any]]:
    moves.forget_force(spec)
    moves.stay_in_cell(cell, spec)
    chosen, *rest = schedule.select(peers, context, spec, [instance.uuid], alternates=asked is None)[0]
    return chosen, rest


def _next(peers: Peers, instance: Any, host_list: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The next alternate that still has room, claimed, and those behind it."""
    left = list(host_list)
    while left:
        chosen = left.pop(0)
        request = json.loads(chosen.allocation_request) if chosen.allocation_request else None
        owner = instance.project_id, instance.user_id
        if request is None or peers.clients.placement.claim(instance.uuid, request, *owner):
            return chosen, left
    raise MaxRetriesExceeded(f"No host is left for server {instance.uuid}: every alternative was tried or is full")
