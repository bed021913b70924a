"""lock and unlock (nova 34.0.0 summary): by the owner's project, or by an administrator over it."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import servers_change

_COLUMNS = ("uuid", "locked", "locked_by", "project_id", "user_id")
_RULE = "os_compute_api:os-lock-server"


@handles("POST /servers/{id}/action #lock")
def lock(req: Request) -> None:
    server, cell = lookup.server_of(req, req.path["id"], _COLUMNS)
    req.must(f"{_RULE}:lock", lookup.target_of(server))
    if cell is None:
        raise lookup.not_found(server["uuid"])
    by = _by(req, server)
    if server["locked"] and by == "owner":
        return  # whoever holds the lock, the owner has nothing to add
    reason = (req.args or {}).get("locked_reason") if req.at_least(2, 73) else None
    cell.db.run(servers_change.lock, server["uuid"], by, reason, begin.action_row(req, "lock"), req.services.conf.host)


@handles("POST /servers/{id}/action #unlock")
def unlock(req: Request) -> None:
    server, cell = lookup.server_of(req, req.path["id"], _COLUMNS)
    target = {"project_id": server["project_id"]}
    req.must(f"{_RULE}:unlock", target)
    if server["locked_by"] and server["locked_by"] != _by(req, server):
        req.must(f"{_RULE}:unlock:unlock_override", target)
    if cell is None:
        raise lookup.not_found(server["uuid"])
    cell.db.run(servers_change.unlock, server["uuid"], begin.action_row(req, "unlock"), req.services.conf.host)


def _by(req: Request, server: dict[str, Any]) -> str:
    return "owner" if req.context.project_id == server["project_id"] else "admin"
