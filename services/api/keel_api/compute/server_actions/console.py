"""os-getConsoleOutput: the last lines of the serial console, asked from the host."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.compute.server_actions.remote import GENERAL, answering
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_CODES = {**GENERAL, "ConsoleNotAvailable": 404}


@handles("POST /servers/{id}/action #os-getConsoleOutput")
def console_output(req: Request) -> dict[str, Any]:
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-console-output", ("project_id",))
    begin.check(req, server, "get_console_output", "get console output")
    length = req.args.get("length")
    lines = None if length in (None, "", -1, "-1") else int(length)
    with answering(_CODES):
        output = req.services.rpc(COMPUTE, cell).send(
            req.context, "get_console_output", instance=wire.instance(server), tail_length=lines
        )
    return {"output": output}
