"""/servers/{id}/tags: read, check, replace, and single tags."""

from __future__ import annotations

import re
from typing import Any

from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.plain import BARE
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.db.stores.nova import servers_found, servers_metadata
from keel_common.domain.server.guards import invalid_state

_RULE = "os_compute_api:os-server-tags"
_CHANGEABLE = ("active", "paused", "stopped", "suspended")
_MOST = 50
_LONGEST = 60
_FORBIDDEN = re.compile(r"[,/]")


@handles("GET /servers/{server_id}/tags")
def index(req: Request) -> dict[str, Any]:
    return {"tags": _tags(req, _found(req, "index"))}


@handles("GET /servers/{server_id}/tags/{id}")
def check(req: Request) -> None:
    if req.path["id"] not in _tags(req, _found(req, "show")):
        raise _no_tag(req)


@handles("PUT /servers/{server_id}/tags/{id}")
def add(req: Request) -> Response:
    found = _found(req, "update")
    tag = req.path["id"]
    cell = _home(req, found, "update tag")
    if not 1 <= len(tag) <= _LONGEST or _FORBIDDEN.search(tag):
        raise Fault(400, f"Tag '{tag}' is invalid. It must be 1 to {_LONGEST} characters without '/' and ','.")
    held = cell.db.read(servers_metadata.tags, found.uuid)
    if tag in held:
        return Response(status=204)
    if len(held) >= _MOST:
        raise Fault(400, f"The number of tags exceeded the per-server limit {_MOST}")
    cell.db.run(servers_metadata.add_tag, found.uuid, tag)
    return Response(headers={"Content-Type": BARE, "Location": req.url("servers", found.uuid, "tags", tag)})


@handles("PUT /servers/{server_id}/tags")
def replace(req: Request) -> dict[str, Any]:
    found = _found(req, "update_all")
    cell = _home(req, found, "update tags")
    return {"tags": cell.db.run(servers_metadata.replace_tags, found.uuid, req.body["tags"])}


@handles("DELETE /servers/{server_id}/tags/{id}")
def delete(req: Request) -> None:
    found = _found(req, "delete")
    cell = _home(req, found, "delete tag")
    if not cell.db.run(servers_metadata.delete_tag, found.uuid, req.path["id"]):
        raise _no_tag(req)


@handles("DELETE /servers/{server_id}/tags")
def delete_all(req: Request) -> None:
    found = _found(req, "delete_all")
    cell = _home(req, found, "delete tags")
    cell.db.run(servers_metadata.replace_tags, found.uuid, [])


def _found(req: Request, rule: str) -> servers_found.Found:
    found = lookup.located(req, req.path["server_id"])
    req.must(f"{_RULE}:{rule}", {"project_id": found.project_id})
    return found


def _tags(req: Request, found: servers_found.Found) -> list[str]:
    server, cell = lookup.read_found(req, found, ("tags",))
    if cell is None:
        raise lookup.not_found(found.uuid)
    return server["tags"]


def _home(req: Request, found: servers_found.Found, verb: str) -> Cell:
    """The cell of a server whose tags may be changed; 409 in other states."""
    server, cell = lookup.read_found(req, found, ("vm_state",))
    if cell is None or server["vm_state"] not in _CHANGEABLE:
        raise Fault(409, invalid_state(verb, found.uuid, "vm_state", server["vm_state"]))
    return cell


def _no_tag(req: Request) -> Fault:
    return Fault(404, f"Server {req.path['server_id']} has no tag '{req.path['id']}'")
