"""The end of a resize: confirmResize, revertResize, and the confirmation inside a deletion (nova 34.0.0 flows 3, 7)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.compute.server_actions import begin, headroom, host, spec
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import migrations, servers_move
from keel_common.wire import move
from keel_common.wire.server import flavor as flavor_object
from keel_contract.nova.interfaces import COMPUTE, COMPUTE_TASK

LOG = logging.getLogger(__name__)
_PROJECT = ("project_id",)
_FINISHED, _CONFIRMING, _REVERTING = "finished", "confirming", "reverting"


@handles("POST /servers/{id}/action #confirmResize")
def confirm_resize(req: Request) -> None:
    """Keep the new flavor or host: what is left on the source goes."""
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:servers:confirm_resize", _PROJECT)
    begin.check(req, server, "confirm_resize", "confirmResize", cell)
    home = begin.in_cell(server, cell)
    migration = _finished(server, home)
    if not host.is_up(req, home, migration["source_compute"]):
        raise Fault(409, f"Service of host {migration['source_compute']} is unavailable at this time.")
    record = begin.action_row(req, "confirmResize")
    if not home.db.run(servers_move.take_migration, migration, _CONFIRMING, server["uuid"], record):
        raise begin.lost("confirmResize", server["uuid"])
    try:
        _tell(req, server, home, {**migration, "status": _CONFIRMING}, "cast")
    except Exception:
        home.db.run(servers_move.give_migration_back, migration, _CONFIRMING)
        raise


@handles("POST /servers/{id}/action #revertResize")
def revert_resize(req: Request) -> None:
    """Go back to the old flavor and host."""
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:servers:revert_resize", _PROJECT)
    guard = begin.check(req, server, "revert_resize", "revertResize", cell)
    home = begin.in_cell(server, cell)
    migration = _finished(server, home)
    flavors = home.db.read(servers_move.flavors, server["uuid"])
    old = flavors["old"] or server["flavor"]
    headroom.check(req, server, grown(old, server["flavor"]))
    request_spec = spec.of(req, server)
    request_spec.flavor = flavor_object(old)
    zone = host.zone_of(req, migration["source_compute"])
    begun = begin.begin(
        req,
        server,
        cell,
        guard,
        "revertResize",
        {"availability_zone": zone},
        also=lambda conn: servers_move.take_migration(conn, migration, _REVERTING, server["uuid"]),
    )
    try:
        with begin.reverting(cell, server, guard.sets):
            spec.keep(req, server, flavor=request_spec.flavor)
            _send_back(req, move.resized(begun, flavors), home, {**migration, "status": _REVERTING}, request_spec)
    except Exception:
        home.db.run(servers_move.give_migration_back, migration, _REVERTING)
        raise


def before_delete(req: Request, server: dict[str, Any], cell: Cell) -> None:
    """Confirm the resize of a server that is being deleted, and wait for it, so that nothing stays on the source.

    A source that is down cannot clean up: the deletion goes on without it.
    """
    migration = cell.db.read(migrations.by_instance_and_status, server["uuid"], _FINISHED)
    if migration is None:
        LOG.warning("No finished migration of resized server %s to confirm", server["uuid"])
        return
    if not host.is_up(req, cell, migration["source_compute"]):
        LOG.warning("Host %s of resized server %s cannot clean up", migration["source_compute"], server["uuid"])
        return
    begin.record(req, server, cell, "confirmResize")
    _tell(req, server, cell, migration, "call")


def grown(new: dict[str, Any], old: dict[str, Any]) -> dict[str, int]:
    """How much more of cores and ram (MiB) one flavor takes than another."""
    return {"cores": new["vcpus"] - old["vcpus"], "ram": new["memory_mb"] - old["memory_mb"]}


def _finished(server: dict[str, Any], cell: Cell) -> dict[str, Any]:
    """The migration to confirm or revert; 400 when there is none."""
    migration = cell.db.read(migrations.by_instance_and_status, server["uuid"], _FINISHED)
    if migration is None:
        raise Fault(400, "Instance has not been resized.")
    return migration


def _tell(req: Request, server: dict[str, Any], cell: Cell, migration: dict[str, Any], how: str) -> None:
    """Let the source clean up; the conductor sees to it when the move went to another cell."""
    instance = move.resized(server, cell.db.read(servers_move.flavors, server["uuid"]))
    sent = {"instance": instance, "migration": move.migration(migration), "how": how}
    if migration["cross_cell_move"]:
        req.services.rpc(COMPUTE_TASK).send(req.context, "confirm_snapshot_based_resize", **sent)
        return
    source = migration["source_compute"]
    req.services.rpc(COMPUTE, cell).send(req.context, "confirm_resize", server=source, **sent)


def _send_back(req: Request, instance: Any, cell: Cell, migration: dict[str, Any], request_spec: Any) -> None:
    sent = {"instance": instance, "migration": move.migration(migration)}
    if migration["cross_cell_move"]:
        req.services.rpc(COMPUTE_TASK).send(req.context, "revert_snapshot_based_resize", **sent)
        return
    req.services.rpc(COMPUTE, cell).send(
        req.context, "revert_resize", server=migration["dest_compute"], request_spec=request_spec, **sent
    )
