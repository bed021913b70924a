"""How an action of a server begins: guard, guarded change of the task state with its record, message to the host."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import servers, servers_change
from keel_common.domain.server import guards
from keel_common.wire.server import INSTANCE_PARTS

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


def server_for(req: Request, uuid: str, rule: str, target: tuple[str, ...]) -> tuple[dict[str, Any], Cell | None]:
    """The server of an action, the caller's right checked; `target` names its fields that make the policy target."""
    server, cell = lookup.server_of(req, uuid, COLUMNS)
    req.must(rule, {name: server[name] for name in target})
    return server, cell


def check(req: Request, server: Mapping[str, Any], method: str, verb: str) -> guards.Guard:
    """Pass the guard of a recorded compute method; Fault 409 names what refuses."""
    guard = guards.guard(method)
    try:
        guard.check(server, verb, req.context.is_admin)
    except guards.Refused as refused:
        raise Fault(409, str(refused)) from None
    return guard


def begin(
    req: Request,
    server: dict[str, Any],
    cell: Cell | None,
    guard: guards.Guard,
    verb: str,
    values: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Set the task state of an action and record it; the server as it is now. 409 when somebody else was faster."""
    uuid = server["uuid"]
    if cell is None:
        raise Fault(409, f"Instance {uuid} is not ready")
    record = action_row(req, guard.actions[0])
    if not cell.db.run(servers_change.begin, uuid, guard, record, values):
        raise Fault(409, f"Cannot '{verb}' instance {uuid}: another operation on it began meanwhile")
    return {**server, "task_state": guard.sets, **(values or {})}


@contextmanager
def reverting(cell: Cell, server: Mapping[str, Any], task_state: str) -> Iterator[None]:
    """Around a send: when the message cannot leave, the task state goes back, so that nothing waits for nobody."""
    try:
        yield
    except Exception:
        if not cell.db.run(servers_change.revert, server["uuid"], task_state, server["task_state"]):
            LOG.warning("Task state of %s changed while %s could not be sent", server["uuid"], task_state)
        raise
