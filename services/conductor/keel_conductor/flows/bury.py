"""Giving a server up: into ERROR, with a fault that says why, and nothing claimed for it.

Source: nova 34.0.0 flows 1.6 (cell0) and 1.9.
"""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keel_common.clients.errors import ClientError
from keel_common.db.stores.nova import faults, instances_create, instances_destroy, instances_save, placed
from keel_conductor.flows.failure import event_of, fault_of
from keel_conductor.flows.records import action_row, device_rows
from keel_conductor.objects import new_server
from keel_conductor.peers import Peers
from keel_contract.context import Context

if TYPE_CHECKING:
    from keel_conductor.flows.build import Wanted

LOG = logging.getLogger(__name__)
EVENT = "conductor_schedule_and_build_instances"
FAILED = {"vm_state": "error", "task_state": None}


def in_cell0(peers: Peers, context: Context, server: "Wanted", tags: Sequence[str], error: BaseException) -> None:
    """A server that never got a host: its rows go to cell0, with a failed action and the fault; its build request ends.

    When somebody deleted the build request meanwhile, the server is deleted in cell0 too.
    """
    cell0 = peers.cells.cell0
    instance = server.request.instance
    row_set = new_server.of(
        instance,
        devices=device_rows(server.devices, server.uuid, instance.flavor),
        tags=tags,
        action=action_row(context, "create"),
        event=event_of(error, peers.host, EVENT),
        fault=fault_of(error, peers.host),
    )
    row_set.values = {**row_set.values, **FAILED}
    if not cell0.db.run(instances_create.create_once, row_set):
        LOG.info("Server %s is in cell0 already", server.uuid)
        return
    if not peers.cells.api.run(placed.put_in_cell, server.uuid, cell0.id):
        cell0.db.run(instances_destroy.destroy, server.uuid, None)


def in_cell(peers: Peers, server: "Wanted", error: BaseException) -> None:
    """A server that is recorded in its cell and does not get to a compute: ERROR there, its claim given back."""
    assert server.cell is not None
    server.cell.db.run(fail, server.uuid, fault_of(error, peers.host))
    peers.cells.api.run(placed.put_in_cell, server.uuid, server.cell.id)
    give_back_claim(peers, server.uuid)


def give_back_claim(peers: Peers, uuid: str) -> None:
    """Frees what Placement holds for a server. When Placement refuses, the deletion of the server frees it."""
    try:
        peers.clients.placement.delete_allocations(uuid)
    except ClientError:
        LOG.exception("The claim of server %s could not be given back", uuid)


def fail(conn: Any, uuid: str, fault: dict[str, Any], expected_task_state: Sequence[str | None] | None = None) -> None:
    """ERROR without a task, and the fault, in one transaction. Raises Refused when the server moved on."""
    changes = instances_save.Changes(values=FAILED)
    instances_save.save(conn, uuid, changes, expected_task_state=expected_task_state)
    faults.create(conn, {"instance_uuid": uuid, **fault})
