"""``os-instance-actions`` (nova 34.0.0); from 2.21 those of deleted servers, too."""

from __future__ import annotations

from typing import Any

from keel_api.compute.instance_actions import views
from keel_api.compute.servers import lookup
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import Page, page, with_next
from keel_api.http.times import window
from keel_common.db import Cell
from keel_common.db.stores.nova import actions_read, servers

_RULE = "os_compute_api:os-instance-actions"


@handles("GET /servers/{server_id}/os-instance-actions")
def index(req: Request) -> dict:
    """The actions of a server, newest first; in pages and by time from 2.58."""
    uuid = req.path["server_id"]
    target, cell = _server(req, uuid)
    req.must(f"{_RULE}:list", target)
    asked, times = Page(limit=0), {}
    paged = req.at_least(2, 58)
    if paged:
        asked, times = page(req, req.services.conf.api.max_limit), window(req, (58, 66))
    rows: list[dict[str, Any]] | None = []
    if cell is not None and (not paged or asked.limit):
        rows = cell.db.read(actions_read.page, uuid, asked.limit if paged else None, asked.marker, **times)
    if rows is None:
        raise Fault(400, f"Marker {asked.marker} could not be found.")
    body: dict[str, Any] = {"instanceActions": views.ACTION.render(req.version, (), rows)}
    if paged and asked.limit and asked.full(rows):
        link = with_next(req, {}, "", rows, asked, rows[-1]["request_id"], "servers", uuid, "os-instance-actions")
        body["links"] = link["_links"]
    return body


@handles("GET /servers/{server_id}/os-instance-actions/{id}")
def show(req: Request) -> dict:
    """One action with its events; before 2.51 events are for those the policy names."""
    uuid, request_id = req.path["server_id"], req.path["id"]
    target, cell = _server(req, uuid)
    req.must(f"{_RULE}:show", target)
    action = cell.db.read(actions_read.find, uuid, request_id) if cell is not None else None
    if cell is None or action is None:
        raise Fault(404, f"Action {request_id} not found")
    shown = views.ACTION.one(req.version, (), action)
    allowed = req.allowed(views.EVENT.policies, target)
    if req.at_least(2, 51) or views.EVENTS in allowed:
        events = cell.db.read(actions_read.events, action["id"])
        shown["events"] = views.EVENT.render(req.version, allowed, events, action["project_id"])
    return {"instanceAction": shown}


def _server(req: Request, uuid: str) -> tuple[dict[str, Any], Cell | None]:
    """The policy target of the server and its cell; 404 when it is unknown, or deleted below 2.21."""
    found = lookup.located(req, uuid)
    target = {"project_id": found.project_id}
    if found.cell is None:
        return target, None
    if lookup.hidden(req, found.project_id):
        raise lookup.not_found(uuid)
    cell = req.services.cells.get(found.cell)
    server = cell.db.read(servers.one, uuid, ("uuid", "project_id"), deleted=req.at_least(2, 21))
    if server is None:
        raise lookup.not_found(uuid)
    return target, cell
