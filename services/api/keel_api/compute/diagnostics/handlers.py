"""GET diagnostics: what the driver says up to 2.47, a fixed set of facts from 2.48 (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.diagnostics.views import shown
from keel_api.compute.server_actions import begin
from keel_api.compute.server_actions.remote import GENERAL, answering
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-server-diagnostics"
_CODES = {**GENERAL, "InstanceInvalidState": 409, "InstanceDiagnosticsNotSupported": 400}


@handles("GET /servers/{server_id}/diagnostics")
def show(req: Request) -> dict[str, Any]:
    """Ask the host of the server; waits for it."""
    server, cell = begin.server_for(req, req.path["server_id"], _RULE, ("project_id",))
    method = "get_instance_diagnostics" if req.at_least(2, 48) else "get_diagnostics"
    begin.check(req, server, method, method)
    home = begin.in_cell(server, cell)
    with answering(_CODES):
        found = req.services.rpc(COMPUTE, home).send(req.context, method, instance=wire.instance(server))
    return shown(found) if req.at_least(2, 48) else found
