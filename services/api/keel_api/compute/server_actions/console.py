"""os-getConsoleOutput: the last lines of the serial console, asked from the host."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.wire import server as wire
from keel_contract.errors import RemoteFault
from keel_contract.nova.interfaces import COMPUTE

# recorded exception of the host -> code of the API
_CODES = {
    "ConsoleNotAvailable": 404,
    "InstanceNotFound": 404,
    "InstanceNotReady": 409,
    "NotImplementedError": 501,
    "UnsupportedVersion": 501,
    "NoSuchMethod": 501,
}


@handles("POST /servers/{id}/action #os-getConsoleOutput")
def console_output(req: Request) -> dict[str, Any]:
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-console-output", ("project_id",))
    begin.check(req, server, "get_console_output", "get console output")
    length = req.args.get("length")
    lines = None if length in (None, "", -1, "-1") else int(length)
    try:
        output = req.services.rpc(COMPUTE, cell).send(
            req.context, "get_console_output", instance=wire.instance(server), tail_length=lines
        )
    except RemoteFault as fault:
        if fault.class_name not in _CODES:
            raise
        raise Fault(_CODES[fault.class_name], fault.message) from None
    return {"output": output}
