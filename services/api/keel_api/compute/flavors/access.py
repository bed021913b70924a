"""Which projects may use a private flavor (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.compute import projects
from keel_api.compute.flavors import lookup
from keel_api.http import Fault, Request, handles
from keel_common.db.stores.nova import flavors

_RULE = "os_compute_api:os-flavor-access"


@handles("GET /flavors/{flavor_id}/os-flavor-access")
def index(req: Request) -> dict:
    """The projects of a private flavor; a public one has no list (404)."""
    req.must(_RULE)
    flavor = lookup.flavor(req, req.path["flavor_id"])
    if flavor["is_public"]:
        raise Fault(404, "Access list not available for public flavors.")
    return _list(req, flavor)


@handles("POST /flavors/{id}/action #addTenantAccess")
def add(req: Request) -> dict:
    """Share a flavor with a project that exists."""
    req.must(f"{_RULE}:add_tenant_access", {})
    project = req.args["tenant"]
    projects.must_exist(req, project)
    flavor = lookup.flavor(req, req.path["id"])
    if flavor["is_public"] and req.at_least(2, 7):
        raise Fault(409, "Can not add access to a public flavor.")
    try:
        req.services.cells.api.run(flavors.share, flavor["id"], project)
    except flavors.AccessExists:
        raise Fault(
            409, f"Flavor access already exists for flavor {flavor['flavorid']} and project {project} combination."
        ) from None
    return _list(req, flavor)


@handles("POST /flavors/{id}/action #removeTenantAccess")
def remove(req: Request) -> dict:
    """Take the access of a project back; the project need not exist any more."""
    req.must(f"{_RULE}:remove_tenant_access", {})
    project = req.args["tenant"]
    flavor = lookup.flavor(req, req.path["id"])
    if not req.services.cells.api.run(flavors.unshare, flavor["id"], project):
        raise Fault(404, f"Flavor access not found for {flavor['flavorid']} / {project} combination.")
    return _list(req, flavor)


def _list(req: Request, flavor: dict[str, Any]) -> dict:
    users = req.services.cells.api.read(flavors.projects, flavor["id"])
    return {"flavor_access": [{"flavor_id": flavor["flavorid"], "tenant_id": project} for project in users]}
