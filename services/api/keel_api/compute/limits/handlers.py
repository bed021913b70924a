"""``GET /limits`` (nova 34.0.0)."""

from __future__ import annotations

from keel_api.compute.limits import views
from keel_api.http import Request, handles
from keel_common.db.stores.nova import quotas


@handles("GET /limits")
def index(req: Request) -> dict:
    """The limits of the caller's project and their use; of another project for administrators."""
    req.must("os_compute_api:limits", {})
    project = req.context.project_id
    if "tenant_id" in req.query:
        req.must("os_compute_api:limits:other_project")
        project = req.query.get("tenant_id")
    cells = req.services.cells
    limits = cells.api.read(quotas.of_project, quotas.configured(req.services.conf), project)
    used = quotas.used(cells, project)
    absolute = {**views.ABSOLUTE.one(req.version, (), limits), **views.USED.one(req.version, (), used)}
    return {"limits": {"rate": [], "absolute": absolute}}
