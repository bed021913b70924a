"""Actions that are a guard and a message without more arguments (nova 34.0.0 action_preconditions, operations).

The host carries them out; one that cannot puts the task state back and leaves a fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from keel_api.compute.server_actions import begin
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import actions
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_PROJECT = ("project_id",)
_OWNER = ("project_id", "user_id")


@dataclass(frozen=True)
class Cast:
    """One action: its key in the body, the rule with the fields of its target, the guard, the message.

    `in_cells`: a server that no cell has yet is unknown to it.
    """

    key: str
    rule: str
    target: tuple[str, ...]
    guard: str
    message: str
    in_cells: bool = False


CASTS = (
    Cast("pause", "os-pause-server:pause", _OWNER, "pause", "pause_instance"),
    Cast("unpause", "os-pause-server:unpause", _PROJECT, "unpause", "unpause_instance"),
    Cast("suspend", "os-suspend-server:suspend", _OWNER, "suspend", "suspend_instance"),
    Cast("resume", "os-suspend-server:resume", _PROJECT, "resume", "resume_instance"),
    Cast("unrescue", "os-unrescue", _PROJECT, "unrescue", "unrescue_instance"),
    Cast("trigger_crash_dump", "servers:trigger_crash_dump", _OWNER, "trigger_crash_dump", "trigger_crash_dump", True),
    Cast(
        "injectNetworkInfo",
        "os-admin-actions:inject_network_info",
        _PROJECT,
        "inject_network_info",
        "inject_network_info",
    ),
)


# Requests without a body key have None there; none of them comes here.
_BY_KEY: dict[str | None, Cast] = {cast.key: cast for cast in CASTS}


@handles(*(f"POST /servers/{{id}}/action #{cast.key}" for cast in CASTS))
def act(req: Request) -> None:
    """Guard, change of state with its record, message."""
    cast = _BY_KEY[req.action]
    server, cell = begin.server_for(req, req.path["id"], f"os_compute_api:{cast.rule}", cast.target, cast.in_cells)
    guard = begin.check(req, server, cast.guard, cast.key, cell)
    cell = begin.in_cell(server, cell)
    compute = req.services.rpc(COMPUTE, cell)
    if guard.sets is None:
        if not server["host"]:
            raise begin.not_ready(server["uuid"])
        if guard.actions:
            cell.db.run(actions.start, server["uuid"], begin.action_row(req, guard.actions[0]))
        compute.send(req.context, cast.message, instance=wire.instance(server))
        return
    begun = begin.begin(req, server, cell, guard, cast.key)
    with begin.reverting(cell, server, guard.sets):
        compute.send(req.context, cast.message, instance=wire.instance(begun))
