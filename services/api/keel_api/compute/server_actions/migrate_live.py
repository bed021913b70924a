"""os-migrateLive (nova 34.0.0 flows 8; microversions 2.25 block_migration auto, 2.30 force, 2.34 no waiting, 2.68)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, host, spec
from keel_api.compute.server_actions.remote import answering
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import faults
from keel_common.domain.server.block_devices import truth
from keel_common.wire import server as wire
from keel_contract.errors import RpcTimeout
from keel_contract.nova.interfaces import COMPUTE_TASK

_RULE = "os_compute_api:os-migrate-server:migrate_live"
# what the conductor may refuse below 2.34, where it is waited for
_CODES = dict.fromkeys(
    (
        "ComputeServiceUnavailable",
        "DestinationHypervisorTooOld",
        "ForbiddenPortsWithAccelerator",
        "HypervisorUnavailable",
        "InvalidCPUInfo",
        "InvalidHypervisorType",
        "InvalidLocalStorage",
        "InvalidSharedStorage",
        "MigrationPreCheckError",
        "NoValidHost",
        "UnableToMigrateToSelf",
        "ComputeHostNotFound",
        "ExtendedResourceRequestOldCompute",
        "VTPMOldCompute",
    ),
    400,
) | {"InstanceInvalidState": 409, "InstanceIsLocked": 409}


@handles("POST /servers/{id}/action #os-migrateLive")
def migrate_live(req: Request) -> None:
    """Move a running server, to a host of the scheduler's choice or a given one."""
    asked = req.args
    wanted = asked["host"]
    server, cell = begin.server_for(
        req, req.path["id"], f"{_RULE}:host" if wanted is not None else _RULE, ("project_id",)
    )
    force = _force(req, asked, wanted)
    guard = begin.check(req, server, "live_migrate", "os-migrateLive", cell)
    node = None
    if wanted:
        node = host.first_node(req, wanted, begin.in_cell(server, cell))
        if node is None:
            raise Fault(400, f"Compute host {wanted} could not be found.")
    request_spec = spec.of(req, server)
    if node is not None and force is False:
        request_spec.requested_destination = spec.destination(node["host"], node["hypervisor_hostname"])
    begun = begin.begin(req, server, cell, guard, "os-migrateLive")
    with answering(_CODES), begin.reverting(cell, server, guard.sets):
        _send(req, begun, asked, wanted, request_spec, begin.in_cell(server, cell))


def _force(req: Request, asked: dict[str, Any], wanted: str | None) -> bool | None:
    """Whether the scheduler is left out; None below 2.30, where a host that is given always leaves it out."""
    if not req.at_least(2, 30):
        return None
    force = truth(asked.get("force") or False)
    if force and not wanted:
        raise Fault(400, "Can't force to a non-provided destination")
    return force


def _send(
    req: Request, server: dict[str, Any], asked: dict[str, Any], wanted: str | None, request_spec: Any, cell: Any
) -> None:
    block = asked["block_migration"]
    block = None if block == "auto" and req.at_least(2, 25) else truth(block)
    over_commit = None if req.at_least(2, 25) else truth(asked["disk_over_commit"])
    sent: dict[str, Any] = {
        "instance": wire.instance(server),
        "scheduler_hint": {"host": wanted},
        "block_migration": block,
        "disk_over_commit": over_commit,
        "request_spec": request_spec,
    }
    task = req.services.rpc(COMPUTE_TASK)
    if req.at_least(2, 34):
        task.send(req.context, "live_migrate_instance", **sent)
        return
    try:
        task.send(req.context, "migrate_server", how="call", live=True, rebuild=False, flavor=None, **sent)
    except RpcTimeout as late:
        # it may still be under way: whoever looks at the server learns that nobody knows
        cell.db.run(faults.create, {"instance_uuid": server["uuid"], "code": 500, "message": str(late)[:255]})
        raise
