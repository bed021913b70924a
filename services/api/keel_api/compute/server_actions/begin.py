"""How an action of a server begins: guard, guarded change of the task state with its record, message to the host."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from keel_api.compute.server_actions import host as hosts
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import actions, servers, servers_change, servers_move
from keel_common.domain.server import guards, hindrances
from keel_common.wire.server import INSTANCE_PARTS
from keel_contract.errors import RemoteFault, RpcTimeout

LOG = logging.getLogger(__name__)

COLUMNS = frozenset(servers.COLUMNS) | frozenset(INSTANCE_PARTS)
"""What is read of a server that a message will carry."""


def action_row(req: Request, action: str) -> dict[str, Any]:
    """The record of an action of the caller."""
    context = req.context
    return {
        "action": action,
        "request_id": context.request_id,
        "user_id": context.user_id,
        "project_id": context.project_id,
    }


def server_for(
    req: Request, uuid: str, rule: str, target: tuple[str, ...], in_cells: bool = False
) -> tuple[dict[str, Any], Cell | None]:
    """The server of an action, the caller's right checked; `target` names its fields that make the policy target.

    `in_cells`: a server that no cell has yet is unknown to the action (404).
    """
    server, cell = lookup.server_of(req, uuid, COLUMNS)
    if in_cells and cell is None:
        raise lookup.not_found(uuid)
    req.must(rule, {name: server[name] for name in target})
    return server, cell


def check(
    req: Request, server: Mapping[str, Any], method: str, verb: str, cell: Cell | None = None, ready: bool = True
) -> guards.Guard:
    """Pass everything that is recorded to refuse a compute method before it begins; Fault 409 (400) names what refuses.

    With its cell also what the row does not tell is looked at: shares, and whether the host is up where that counts.
    `ready` False leaves that last one to the caller.
    """
    _check_hindrances(server, method, cell)
    guard = guards.guard(method)
    try:
        guard.check(server, verb, req.context.is_admin)
    except guards.Refused as refused:
        raise Fault(409, str(refused)) from None
    if ready and guard.host == "up" and cell is not None and not hosts.is_up(req, cell, server["host"]):
        raise Fault(409, f"Service of host {server['host']} is unavailable at this time.")
    return guard


def _check_hindrances(server: Mapping[str, Any], method: str, cell: Cell | None) -> None:
    has_shares = cell is not None and hindrances.needs_shares(method) and has_any_share(cell, server)
    try:
        hindrances.check(method, server, has_shares)
    except hindrances.Hindrance as found:
        raise Fault(found.code, str(found)) from None


def has_any_share(cell: Cell, server: Mapping[str, Any]) -> bool:
    """Whether a shared file system belongs to the server."""
    return cell.db.read(servers_move.has_shares, server["uuid"])


def not_ready(uuid: str) -> Fault:
    """The refusal for a server that has no cell or no host yet."""
    return Fault(409, f"Instance {uuid} is not ready")


def in_cell(server: Mapping[str, Any], cell: Cell | None) -> Cell:
    """The cell of a server; 409 while it has none."""
    if cell is None:
        raise not_ready(server["uuid"])
    return cell


def begin(
    req: Request,
    server: dict[str, Any],
    cell: Cell | None,
    guard: guards.Guard,
    verb: str,
    values: Mapping[str, Any] | None = None,
    also: Callable[[Any], Any] | None = None,
    action: str | None = None,
    task_state: str | None = None,
) -> dict[str, Any]:
    """Set the task state of an action and record it; the server as it is now. 409 when somebody else was faster.

    `values` are more columns to set, `also` writes elsewhere in the same transaction. `action` and `task_state` say
    which of several a guard knows.
    """
    uuid = server["uuid"]
    home = in_cell(server, cell)
    guard = replace(guard, sets=task_state) if task_state is not None else guard
    record = action_row(req, action or guard.actions[0])
    if not home.db.run(servers_change.begin, uuid, guard, record, values, also):
        raise lost(verb, uuid)
    return {**server, "task_state": guard.sets, **(values or {})}


def lost(verb: str, uuid: str) -> Fault:
    """The refusal after a lost race (nova 34.0.0 answers 500 to most of them: see docs/differences.md)."""
    return Fault(409, f"Cannot '{verb}' instance {uuid}: another operation on it began meanwhile")


def record(req: Request, server: Mapping[str, Any], cell: Cell, action: str) -> int:
    """Record an action that sets no task state; the id of its row."""
    return cell.db.run(actions.start, server["uuid"], action_row(req, action))


@contextmanager
def reverting(cell: Cell | None, server: Mapping[str, Any], task_state: str | None) -> Iterator[None]:
    """Around a send: when the message cannot leave, the task state goes back, so that nothing waits for nobody."""
    try:
        yield
    except RpcTimeout:
        raise  # a host that did not answer in time may still be at it
    except Exception as error:
        home = in_cell(server, cell)
        reverted = not task_state or home.db.run(
            servers_change.revert, server["uuid"], task_state, server["task_state"]
        )
        if not reverted and not isinstance(error, RemoteFault):  # a host that refuses has put it back itself
            LOG.warning("Task state of %s changed while %s could not be sent", server["uuid"], task_state)
        raise
