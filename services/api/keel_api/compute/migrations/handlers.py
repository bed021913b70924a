"""GET /os-migrations: filters, and from 2.59 on pages over all cells (nova 34.0.0 list_rules)."""

from __future__ import annotations

import datetime
from typing import Any

from keel_api.compute.hosts import in_cells
from keel_api.compute.migrations.views import MIGRATION, Scope
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import page, with_next
from keel_api.http.times import window
from keel_common.db.stores.nova import migrations_page
from keel_common.domain.server.block_devices import truth

_RULE = "os_compute_api:os-migrations:index"
_FILTERS = ("status", "migration_type", "instance_uuid", "host", "source_compute")
_OWNERS = ("user_id", "project_id")


@handles("GET /os-migrations")
def index(req: Request) -> dict[str, Any]:
    """The migrations of the caller's project, or of all for those who may see them."""
    req.must(_RULE)
    filters = _filters(req)
    if filters.get("project_id") != req.context.project_id or req.context.project_id is None:
        req.must(f"{_RULE}:all_projects")
    scope = Scope(req, req.can(f"{_RULE}:host"))
    if not req.at_least(2, 59):
        rows = [row for _, found in in_cells(req, migrations_page.page, filters, None, None, False) for row in found]
        return {"migrations": _shown(req, rows, scope)}
    asked = page(req, req.services.conf.api.max_limit)
    rows = _page(req, filters, asked.limit, asked.marker) if asked.limit else []
    body = {"migrations": _shown(req, rows, scope)}
    return with_next(req, body, "migrations", rows, asked, rows[-1]["uuid"] if rows else "", "os-migrations")


def _shown(req: Request, rows: list[dict[str, Any]], scope: Scope) -> list[dict[str, Any]]:
    """Hidden ones count in a page and are not shown."""
    return MIGRATION.render(req.version, (), [row for row in rows if not row["hidden"]], scope)


def _page(req: Request, filters: dict[str, Any], limit: int, marker: str | None) -> list[dict[str, Any]]:
    after = _marker(req, marker) if marker is not None else None
    rows = [row for _, found in in_cells(req, migrations_page.page, filters, limit, after) for row in found]
    rows.sort(key=lambda row: (row["created_at"], row["id"]), reverse=True)
    return rows[:limit]


def _marker(req: Request, marker: str) -> tuple[datetime.datetime, int]:
    for _, row in in_cells(req, migrations_page.by_uuid, marker):
        if row is not None:
            return row["created_at"], row["id"]
    raise Fault(400, f"Marker {marker} could not be found.")


def _filters(req: Request) -> dict[str, Any]:
    names = (*_FILTERS, *_OWNERS) if req.at_least(2, 80) else _FILTERS
    found: dict[str, Any] = {name: req.query.get(name) for name in names if name in req.query}
    if "host" in found:
        found.pop("source_compute", None)
    if "hidden" in req.query:
        found["hidden"] = truth(req.query.get("hidden"))
    return {**found, **window(req, (59, 66))}
