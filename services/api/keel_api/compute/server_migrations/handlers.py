"""/servers/{id}/migrations: what goes on, forced to its end or given up (nova 34.0.0 microversions 2.22 to 2.80)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.migrations.views import OF_SERVER, Scope
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import row_id
from keel_common.db import Cell
from keel_common.db.stores.nova import migrations, migrations_page
from keel_common.db.stores.nova.migrations_page import IN_PROGRESS, LIVE
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:servers:migrations"
_RUNNING = ("running",)
_WAITING = ("queued", "preparing")  # may be given up from 2.65 on


@handles("GET /servers/{server_id}/migrations")
def index(req: Request) -> dict[str, Any]:
    """The live migrations of a server that go on."""
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    target = {"project_id": server["project_id"]}
    req.must(f"{_RULE}:index", target)
    scope = Scope(req, req.can(f"{_RULE}:index:host", target))
    rows = cell.db.read(migrations.live_of_instance, server["uuid"], LIVE) if cell is not None else []
    return {"migrations": OF_SERVER.render(req.version, (), rows, scope)}


@handles("GET /servers/{server_id}/migrations/{id}")
def show(req: Request) -> dict[str, Any]:
    """One live migration that goes on; 404 for every other one."""
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:show", {"project_id": server["project_id"]})
    row = _migration(req, server, cell, 404)
    if row["migration_type"] != LIVE:
        raise Fault(404, f"Migration {row['id']} for server {server['uuid']} is not live-migration.")
    if row["status"] not in IN_PROGRESS:
        raise Fault(404, f"Live migration {row['id']} for server {server['uuid']} is not in progress.")
    return {"migration": OF_SERVER.one(req.version, (), row, Scope(req, True))}


@handles("DELETE /servers/{server_id}/migrations/{id}")
def abort(req: Request) -> None:
    """Give a live migration up; from 2.65 on also one that waits."""
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:delete", ("project_id",))
    guard = begin.check(req, server, "live_migrate_abort", "abort live migration")
    home = begin.in_cell(server, cell)
    row = _migration(req, server, cell, 404)
    _check_status(row, server, (*_RUNNING, *_WAITING) if req.at_least(2, 65) else _RUNNING, "abort live migration")
    begin.record(req, server, home, guard.actions[0])
    req.services.rpc(COMPUTE, home).send(
        req.context, "live_migration_abort", instance=wire.instance(server), migration_id=row["id"]
    )


@handles("POST /servers/{server_id}/migrations/{id}/action #force_complete")
def force_complete(req: Request) -> None:
    """Make a running live migration end soon, if need be by pausing the guest."""
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:force_complete", ("project_id",))
    guard = begin.check(req, server, "live_migrate_force_complete", "force_complete")
    home = begin.in_cell(server, cell)
    row = _migration(req, server, cell, 400)
    _check_status(row, server, _RUNNING, "force complete")
    begin.record(req, server, home, guard.actions[0])
    req.services.rpc(COMPUTE, home).send(
        req.context, "live_migration_force_complete", server=row["source_compute"], instance=wire.instance(server)
    )


def _migration(req: Request, server: dict[str, Any], cell: Cell | None, code: int) -> dict[str, Any]:
    """The migration of a path; `code` when it is none of the server."""
    key = row_id(req.path["id"])
    row = cell.db.read(migrations_page.of_server, server["uuid"], key) if cell is not None and key is not None else None
    if row is None:
        raise Fault(code, f"Migration {req.path['id']} not found for instance {server['uuid']}")
    return row


def _check_status(row: dict[str, Any], server: dict[str, Any], allowed: tuple[str, ...], verb: str) -> None:
    if row["status"] not in allowed:
        raise Fault(
            400,
            f"Migration {row['id']} state of instance {server['uuid']} is {row['status']}. Cannot {verb} while the "
            "migration is in this state.",
        )
