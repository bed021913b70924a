"""os-resetState: write active or error over whatever a server is in."""

from __future__ import annotations

from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import servers_change


@handles("POST /servers/{id}/action #os-resetState")
def reset_state(req: Request) -> None:
    server, cell = lookup.server_of(req, req.path["id"], ())
    req.must("os_compute_api:os-admin-actions:reset_state", {"project_id": server["project_id"]})
    record = begin.action_row(req, "resetState")
    state = req.args["state"]
    if cell is None or not cell.db.run(servers_change.reset_state, server["uuid"], state, record):
        raise lookup.not_found(server["uuid"])
