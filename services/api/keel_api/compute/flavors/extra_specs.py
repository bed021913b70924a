"""The extra specs of a flavor (nova 34.0.0); from 2.86 known names and values are checked."""

from __future__ import annotations

from typing import Any

from keel_api.compute.flavors import lookup
from keel_api.compute.flavors.spec_rules import complaint
from keel_api.http import Fault, Request, handles
from keel_common.db.stores.nova import flavors

_RULE = "os_compute_api:os-flavor-extra-specs"


@handles("GET /flavors/{flavor_id}/os-extra_specs")
def index(req: Request) -> dict:
    """All extra specs of a flavor."""
    req.must(f"{_RULE}:index", {"project_id": req.context.project_id})
    return {"extra_specs": _specs(req, lookup.flavor(req, req.path["flavor_id"]))}


@handles("GET /flavors/{flavor_id}/os-extra_specs/{id}")
def show(req: Request) -> dict:
    """One extra spec."""
    req.must(f"{_RULE}:show", {"project_id": req.context.project_id})
    flavor, key = lookup.flavor(req, req.path["flavor_id"]), req.path["id"]
    specs = _specs(req, flavor)
    if key not in specs:
        raise _missing(flavor, key)
    return {key: specs[key]}


@handles("POST /flavors/{flavor_id}/os-extra_specs")
def create(req: Request) -> dict:
    """Add or replace several; the answer is what was sent."""
    req.must(f"{_RULE}:create", {})
    _store(req, req.body["extra_specs"])
    return req.body


@handles("PUT /flavors/{flavor_id}/os-extra_specs/{id}")
def update(req: Request) -> dict:
    """Add or replace one, named in the path and in the body."""
    req.must(f"{_RULE}:update", {})
    key = req.path["id"]
    if key not in req.body:
        raise Fault(400, "Request body and URI mismatch")
    _store(req, req.body)
    return req.body


@handles("DELETE /flavors/{flavor_id}/os-extra_specs/{id}")
def remove(req: Request) -> None:
    """Delete one."""
    req.must(f"{_RULE}:delete", {})
    flavor, key = lookup.flavor(req, req.path["flavor_id"]), req.path["id"]
    if not req.services.cells.api.run(flavors.remove_extra_spec, flavor["id"], key):
        raise _missing(flavor, key)


def _specs(req: Request, flavor: dict[str, Any]) -> dict[str, str]:
    return req.services.cells.api.read(flavors.extra_specs, [flavor["id"]])[flavor["id"]]


def _store(req: Request, specs: dict[str, Any]) -> None:
    texts = {key: str(value) for key, value in specs.items()}
    for key, value in texts.items():
        if len(value) > 255:
            raise Fault(400, f"extra_specs value of {key} has {len(value)} characters, more than 255.")
        reason = complaint(key, value) if req.at_least(2, 86) else None
        if reason:
            raise Fault(400, f"Validation failed; {reason}")
    flavor = lookup.flavor(req, req.path["flavor_id"])
    req.services.cells.api.run(flavors.put_extra_specs, flavor["id"], texts)


def _missing(flavor: dict[str, Any], key: str) -> Fault:
    return Fault(404, f"Flavor {flavor['flavorid']} has no extra specs with key {key}.")
