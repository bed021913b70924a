"""os-get*Console up to 2.5, remote-consoles from 2.6, os-console-auth-tokens (nova 34.0.0 flows 18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.hosts import in_cells
from keel_api.compute.server_actions import begin
from keel_api.compute.server_actions.remote import GENERAL, answering
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db import CELL0, Cell
from keel_common.db.stores.nova import console_tokens
from keel_common.domain.server.guards import invalid_state
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-remote-consoles"
# protocol -> the types of console it has; rdp passes the schema and has none any more
_TYPES = {
    "vnc": ("novnc", "xvpvnc"),
    "spice": ("spice-html5", "spice-direct"),
    "serial": ("serial",),
    "mks": ("webmks",),
}
_OLDER = {"os-getVNCConsole": "vnc", "os-getSPICEConsole": "spice", "os-getSerialConsole": "serial"}
_BUSY = ("deleting", "migrating")
_REFUSED = (
    "ConsoleTypeInvalid",
    "ConsoleTypeUnavailable",
    "ImageSerialPortNumberExceedFlavorValue",
    "ImageSerialPortNumberInvalid",
    "SocketPortRangeExhaustedException",
)
_CODES = {**GENERAL, **dict.fromkeys(_REFUSED, 400), "InstanceInvalidState": 409}


@handles(*(f"POST /servers/{{id}}/action #{key}" for key in _OLDER))
def open_older(req: Request) -> dict[str, Any]:
    """Open a console; the right is checked before the server is looked for."""
    req.must(_RULE)
    server, cell = lookup.server_of(req, req.path["id"], begin.COLUMNS)
    kind = req.args["type"]
    return {"console": {"type": kind, "url": _url(req, server, cell, _OLDER[req.action or ""], kind)}}


@handles("POST /servers/{server_id}/remote-consoles")
def open_remote(req: Request) -> dict[str, Any]:
    """Open a console of a protocol."""
    server, cell = begin.server_for(req, req.path["server_id"], _RULE, ("project_id",))
    asked = req.body["remote_console"]
    protocol, kind = asked["protocol"], asked["type"]
    if protocol not in _TYPES:
        raise Fault(400)
    return {"remote_console": {"protocol": protocol, "type": kind, "url": _url(req, server, cell, protocol, kind)}}


def _url(req: Request, server: Mapping[str, Any], cell: Cell | None, protocol: str, kind: str) -> str:
    """Where the console is, as the host says; waits for it."""
    method = f"get_{protocol}_console"
    begin.check(req, server, method, method)
    if server["task_state"] in _BUSY:
        raise Fault(409, invalid_state(method, server["uuid"], "task_state", server["task_state"]))
    home = begin.in_cell(server, cell)
    with answering(_CODES):
        found = req.services.rpc(COMPUTE, home).send(
            req.context, method, console_type=kind, instance=wire.instance(server)
        )
    return found["access_url"]


@handles("GET /os-console-auth-tokens/{id}")
def show_token(req: Request) -> dict[str, Any]:
    """Where a console proxy has to connect for a token; looked for in every cell."""
    req.must("os_compute_api:os-console-auth-tokens")
    if not req.at_least(2, 31):
        raise Fault(400, "Older versions of this operation knew RDP consoles only, which are no more.")
    for cell, row in in_cells(req, console_tokens.valid, req.path["id"]):
        if row is None or cell.uuid == CELL0:
            continue
        shown = {name: row[name] for name in ("instance_uuid", "host", "port", "internal_access_path")}
        if req.at_least(2, 99) and row["tls_port"] is not None:
            shown["tls_port"] = row["tls_port"]
        return {"console": shown}
    raise Fault(404, "Token not found")
