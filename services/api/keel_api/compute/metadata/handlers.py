"""/servers/{id}/metadata: read, add to, replace, and single items."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup, quota
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import servers_metadata

_RULE = "os_compute_api:server-metadata"
_GUARDED = ("locked", "vm_state", "task_state", "host", "launched_at", "metadata")
_NO_ITEM = "Metadata item was not found"


@handles("GET /servers/{server_id}/metadata")
def index(req: Request) -> dict[str, Any]:
    return {"metadata": _read(req, "index")}


@handles("GET /servers/{server_id}/metadata/{id}")
def show(req: Request) -> dict[str, Any]:
    found, key = _read(req, "show"), req.path["id"]
    if key not in found:
        raise Fault(404, _NO_ITEM)
    return {"meta": {key: found[key]}}


@handles("POST /servers/{server_id}/metadata")
def create(req: Request) -> dict[str, Any]:
    return {"metadata": _write(req, "create", req.body["metadata"])}


@handles("PUT /servers/{server_id}/metadata")
def update_all(req: Request) -> dict[str, Any]:
    return {"metadata": _write(req, "update_all", req.body["metadata"], replace=True)}


@handles("PUT /servers/{server_id}/metadata/{id}")
def update(req: Request) -> dict[str, Any]:
    server, cell = _server(req, "update")
    wanted, key = req.body["meta"], req.path["id"]
    if key not in wanted:
        raise Fault(400, "Request body and URI mismatch")
    _put(req, server, cell, wanted)
    return {"meta": wanted}


@handles("DELETE /servers/{server_id}/metadata/{id}")
def delete(req: Request) -> None:
    server, cell = _server(req, "delete")
    if req.path["id"] not in server["metadata"]:
        raise Fault(404, _NO_ITEM)
    cell = _home(req, server, cell, "delete_instance_metadata", "delete metadata")
    cell.db.run(servers_metadata.delete_metadata, server["uuid"], [req.path["id"]])


def _read(req: Request, rule: str) -> dict[str, str]:
    server, _ = lookup.server_of(req, req.path["server_id"], ("metadata",))
    req.must(f"{_RULE}:{rule}", {"project_id": server["project_id"]})
    return server["metadata"]


def _server(req: Request, rule: str) -> tuple[dict[str, Any], Cell | None]:
    server, cell = lookup.server_of(req, req.path["server_id"], _GUARDED)
    req.must(f"{_RULE}:{rule}", {"project_id": server["project_id"]})
    return server, cell


def _write(req: Request, rule: str, wanted: dict[str, str], replace: bool = False) -> dict[str, str]:
    server, cell = _server(req, rule)
    return _put(req, server, cell, wanted, replace)


def _put(
    req: Request, server: dict[str, Any], cell: Cell | None, wanted: dict[str, str], replace: bool = False
) -> dict[str, str]:
    """Write items; the whole metadata as it is then. 403 above the quota, 409 when the state forbids it."""
    home = _home(req, server, cell, "update_instance_metadata", "update metadata")
    whole = dict(wanted) if replace else {**server["metadata"], **wanted}
    quota.check_metadata(len(whole), quota.limits(req))
    home.db.run(servers_metadata.set_metadata, server["uuid"], wanted, replace)
    return whole


def _home(req: Request, server: dict[str, Any], cell: Cell | None, method: str, verb: str) -> Cell:
    begin.check(req, server, method, verb)
    if cell is None:
        raise Fault(409, f"Instance {server['uuid']} is not ready")
    return cell
