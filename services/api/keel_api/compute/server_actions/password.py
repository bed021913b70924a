"""changePassword, and the password a server left for its owner (os-server-password)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.compute.server_actions.remote import GENERAL, answering
from keel_api.compute.servers import lookup
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import server_password
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-server-password"
_REFUSALS = ("InstanceAgentNotEnabled", "InstancePasswordSetFailed", "SetAdminPasswdNotSupported")
_CODES = {**dict.fromkeys((*_REFUSALS, "InstanceInvalidState"), 409), "NotImplementedError": 501}


@handles("POST /servers/{id}/action #changePassword")
def change_password(req: Request) -> None:
    """Set the administrator's password of a guest; waits for the host."""
    rule = "os_compute_api:os-admin-password"
    server, cell = begin.server_for(req, req.path["id"], rule, ("project_id", "user_id"))
    guard = begin.check(req, server, "set_admin_password", "set_admin_password", cell)
    begun = begin.begin(req, server, cell, guard, "set_admin_password")
    with answering({**GENERAL, **_CODES}), begin.reverting(cell, server, guard.sets):
        req.services.rpc(COMPUTE, cell).send(
            req.context, "set_admin_password", instance=wire.instance(begun), new_pass=req.args["adminPass"]
        )


@handles("GET /servers/{server_id}/os-server-password")
def show(req: Request) -> dict[str, Any]:
    """The password a guest encrypted with the owner's key, as it told the metadata service; empty without one."""
    server, _ = lookup.server_of(req, req.path["server_id"], ("system_metadata",))
    req.must(f"{_RULE}:show", {"project_id": server["project_id"]})
    return {"password": server_password.password_of(server["system_metadata"])}


@handles("DELETE /servers/{server_id}/os-server-password")
def clear(req: Request) -> None:
    """Forget the password."""
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:clear", {"project_id": server["project_id"]})
    begin.in_cell(server, cell).db.run(server_password.clear, server["uuid"])
