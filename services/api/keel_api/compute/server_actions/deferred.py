"""restore and forceDelete: what becomes of a server that was deleted softly."""

from __future__ import annotations

from keel_api.compute.server_actions import begin, headroom
from keel_api.compute.servers import delete
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import servers_create, servers_move
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-deferred-delete"


@handles("POST /servers/{id}/action #restore")
def restore(req: Request) -> None:
    """Take a soft deletion back, as far as the quota of the server's project has room for it again."""
    server, cell = begin.server_for(req, req.path["id"], f"{_RULE}:restore", ("project_id",))
    guard = begin.check(req, server, "restore", "restore", cell)
    home = begin.in_cell(server, cell)
    flavor = server["flavor"]
    headroom.check(req, server, {"instances": 1, "cores": flavor["vcpus"], "ram": flavor["memory_mb"]})
    uuid = server["uuid"]
    if server["host"]:
        begun = begin.begin(req, server, cell, guard, "restore", {"deleted_at": None}, task_state="restoring")
        with begin.reverting(cell, server, "restoring"):
            req.services.rpc(COMPUTE, cell).send(req.context, "restore_instance", instance=wire.instance(begun))
    elif not home.db.run(servers_move.restore_here, uuid, begin.action_row(req, "restore")):
        raise begin.lost("restore", uuid)
    req.services.cells.api.run(servers_create.queue_for_delete, uuid, False)


@handles("POST /servers/{id}/action #forceDelete")
def force_delete(req: Request) -> None:
    """Delete a server at once, whatever reclaim_instance_interval says."""
    delete.deleted(req, f"{_RULE}:force", "force_delete", soft=False)
