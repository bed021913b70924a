"""``os-simple-tenant-usage`` (nova 34.0.0)."""

from __future__ import annotations

import datetime
from typing import Any

from keel_api.compute.hosts import in_cells
from keel_api.compute.tenant_usage import reckoning
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import Page, page, with_next
from keel_common.db.stores.nova import tenant_usage

_RULE = "os_compute_api:os-simple-tenant-usage"
_FORMATS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f")
_MOMENT = datetime.timedelta(microseconds=1)


@handles("GET /os-simple-tenant-usage")
def index(req: Request) -> dict:
    """Sums of every project; with ``detailed=1`` each server, too."""
    req.must(f"{_RULE}:list")
    servers, asked, start, stop = _servers(req, None)
    usages = reckoning.of_projects(servers, start, stop, req.query.first("detailed") == "1")
    return _linked(req, {"tenant_usages": usages}, "tenant_usages", servers, asked)


@handles("GET /os-simple-tenant-usage/{id}")
def show(req: Request) -> dict:
    """One project with its servers; ``{}`` when it had none."""
    project = req.path["id"]
    req.must(f"{_RULE}:show", {"project_id": project})
    servers, asked, start, stop = _servers(req, project)
    usages = reckoning.of_projects(servers, start, stop, detailed=True)
    body = {"tenant_usage": usages[0] if usages else {}}
    return _linked(req, body, "tenant_usage", servers, asked, project)


def _linked(
    req: Request, body: dict[str, Any], key: str, servers: list[dict[str, Any]], asked: Page, *path: str
) -> dict[str, Any]:
    if not req.at_least(2, 40):
        return body
    marker = servers[-1]["instance_id"] if servers else ""
    return with_next(req, body, key, servers, asked, marker, "os-simple-tenant-usage", *path, by_name=True)


def _servers(
    req: Request, project: str | None
) -> tuple[list[dict[str, Any]], Page, datetime.datetime, datetime.datetime]:
    """A page of servers in the span that was asked; before 2.40 the longest page there is."""
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    start, stop = _span(req, now)
    most = req.services.conf.api.max_limit
    asked = page(req, most) if req.at_least(2, 40) else Page(most)
    after = None
    if asked.marker is not None:
        after = next((found for _, found in in_cells(req, tenant_usage.place, asked.marker) if found), None)
        if after is None:
            raise Fault(400, f"Marker {asked.marker} could not be found.")
    rows = [
        row
        for cell in req.services.cells.all()
        for row in cell.db.read(tenant_usage.running, start, stop, project, after, asked.limit)
    ]
    rows.sort(key=lambda row: (row["project_id"], row["uuid"]))
    return [reckoning.of_server(row, start, stop, now) for row in rows[: asked.limit]], asked, start, stop


def _span(req: Request, now: datetime.datetime) -> tuple[datetime.datetime, datetime.datetime]:
    start, stop = (_moment(req.query.first(name)) for name in ("start", "end"))
    start, stop = start or now, stop or now + _MOMENT
    if start >= stop:
        raise Fault(400, "Invalid start time. The start time cannot occur after the end time.")
    return start, stop


def _moment(text: str | None) -> datetime.datetime | None:
    if not text:
        return None
    for form in _FORMATS:
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    raise Fault(400, f"Invalid time: {text}")
