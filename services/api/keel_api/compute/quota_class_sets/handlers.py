"""``os-quota-class-sets`` (nova 34.0.0): any name is accepted, only ``default`` has an effect."""

from __future__ import annotations

from keel_api.compute.quota_sets import views
from keel_api.http import Request, handles
from keel_common.db.stores.nova import quotas

_RULE = "os_compute_api:os-quota-class-sets"


@handles("GET /os-quota-class-sets/{id}")
def show(req: Request) -> dict:
    """The limits of a class."""
    req.must(f"{_RULE}:show", {})
    return {"quota_class_set": views.quota_set(_limits(req), views.class_names(req.version), req.path["id"])}


@handles("PUT /os-quota-class-sets/{id}")
def update(req: Request) -> dict:
    """Set limits of a class."""
    req.must(f"{_RULE}:update", {})
    limits = {name: int(value) for name, value in req.body["quota_class_set"].items()}
    req.services.cells.api.run(quotas.set_class, req.path["id"], limits)
    return {"quota_class_set": views.quota_set(_limits(req), views.class_names(req.version))}


def _limits(req: Request) -> dict[str, int]:
    return req.services.cells.api.read(quotas.of_class, quotas.configured(req.services.conf), req.path["id"])
