"""Finds one server for an operation, wherever it is, and refuses with the recorded 404."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import servers, servers_found


def not_found(uuid: str) -> Fault:
    """The recorded refusal for a server nobody knows."""
    return Fault(404, f"Instance {uuid} could not be found.")


def target_of(server: Mapping[str, Any]) -> dict[str, Any]:
    """The policy target of a server."""
    return {"project_id": server["project_id"], "user_id": server["user_id"]}


def hidden(req: Request, project_id: str) -> bool:
    """Whether what belongs to a project does not exist for the caller: for all others but administrators.

    Measured on nova 34.0.0, which looks for servers in cells and for server groups with the caller's project (404), but
    not for build requests and mappings of servers: there policy refuses (403).
    """
    return not req.context.is_admin and req.context.project_id != project_id


def located(req: Request, uuid: str, **more: bool) -> servers_found.Found:
    """Where a server of any project is (one statement); 404 when it is unknown. `more` as of `servers_found.locate`.

    Whoever goes on without `read_found` has to ask `hidden`.
    """
    found = req.services.cells.api.read(servers_found.locate, uuid, **more)
    if found is not None and found.cell is None and found.build is None:
        # between two transactions of the conductor: the mapping is written first, so a second look finds the cell
        found = req.services.cells.api.read(servers_found.locate, uuid, **more)
    if found is None or (found.cell is None and found.build is None):
        raise not_found(uuid)
    return found


def server_of(
    req: Request, uuid: str, columns: Collection[str], whose: str = "callers"
) -> tuple[dict[str, Any], Cell | None]:
    """A server and its cell (None while it is a build request), in two statements; 404 when it is unknown."""
    return read_found(req, located(req, uuid), columns, whose=whose)


def read_found(
    req: Request, found: servers_found.Found, columns: Collection[str], once: bool = False, whose: str = "callers"
) -> tuple[dict[str, Any], Cell | None]:
    """The server behind a location; 404 when its cell does not have it for the caller.

    `once` raises Unreachable when the cell does not answer at once, instead of waiting for it. `whose` "anybodys" reads
    servers of all projects: for what the service itself looks up.
    """
    if found.cell is None:
        assert found.build is not None
        return found.build, None
    if whose == "callers" and hidden(req, found.project_id):
        raise not_found(found.uuid)
    cell = req.services.cells.get(found.cell)
    wanted = {"uuid", "project_id", "user_id", *columns}
    read = cell.db.read_once if once else cell.db.read
    server = read(servers.one, found.uuid, wanted)
    if server is None:
        raise not_found(found.uuid)
    return server, cell
