"""os-start, os-stop and reboot."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_OWNER = ("project_id", "user_id")
_PROJECT = ("project_id",)


@handles("POST /servers/{id}/action #os-start")
def start(req: Request) -> None:
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:servers:start", _OWNER, in_cells=True)
    guard = begin.check(req, server, "start", "start")
    _send(req, server, cell, guard, "start", "start_instance")


@handles("POST /servers/{id}/action #os-stop")
def stop(req: Request) -> None:
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:servers:stop", _OWNER, in_cells=True)
    guard = begin.check(req, server, "stop", "stop")
    _send(req, server, cell, guard, "stop", "stop_instance", {"progress": 0}, clean_shutdown=True)


@handles("POST /servers/{id}/action #reboot")
def reboot(req: Request) -> None:
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:servers:reboot", _PROJECT)
    begin.check(req, server, "reboot", "reboot")
    kind = req.args["type"].upper()
    guard = begin.check(req, server, "_hard_reboot" if kind == "HARD" else "_soft_reboot", "reboot")
    _send(req, server, cell, guard, "reboot", "reboot_instance", block_device_info=None, reboot_type=kind)


def _send(
    req: Request,
    server: dict[str, Any],
    cell: Any,
    guard: Any,
    verb: str,
    method: str,
    values: dict[str, Any] | None = None,
    **arguments: Any,
) -> None:
    """Begin an action and tell the host of the server."""
    begun = begin.begin(req, server, cell, guard, verb, values)
    with begin.reverting(cell, server, guard.sets or ""):
        req.services.rpc(COMPUTE, cell).send(req.context, method, instance=wire.instance(begun), **arguments)
