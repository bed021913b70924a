"""``os-aggregates``: list, show, create, change, delete, metadata, image cache (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.aggregates import lookup, rules, views
from keel_api.http import Fault, Request, handles
from keel_common.clients.errors import ClientError
from keel_common.db.stores.nova import aggregates
from keel_contract.nova.interfaces import COMPUTE_TASK

_RULE = "os_compute_api:os-aggregates"


@handles("GET /os-aggregates")
def index(req: Request) -> dict:
    """Every aggregate."""
    req.must(f"{_RULE}:index", {})
    rows = req.services.cells.api.read(aggregates.listing)
    return {"aggregates": views.AGGREGATE.render(req.version, (), rows)}


@handles("GET /os-aggregates/{id}")
def show(req: Request) -> dict:
    """One aggregate."""
    req.must(f"{_RULE}:show", {})
    return _shown(req, lookup.one(req))


@handles("POST /os-aggregates")
def create(req: Request) -> dict:
    """Add an aggregate, a zone when it names one."""
    req.must(f"{_RULE}:create", {})
    body = req.body["aggregate"]
    name, zone = body["name"].strip(), body.get("availability_zone")
    metadata = {rules.ZONE: zone.strip()} if zone is not None else {}
    try:
        row = req.services.cells.api.run(aggregates.create, name, metadata)
    except aggregates.NameTaken:
        raise _taken(name) from None
    lookup.tell_schedulers(req, row)
    return {"aggregate": views.CREATED.one(req.version, (), row)}


@handles("PUT /os-aggregates/{id}")
def update(req: Request) -> dict:
    """Change the name or the zone."""
    req.must(f"{_RULE}:update", {})
    row, body = lookup.one(req), req.body["aggregate"]
    if "availability_zone" in body:
        zone = body["availability_zone"]
        _check(req, row, {rules.ZONE: zone.strip() if zone is not None else None})
    if "name" in body:
        name = body["name"].strip()
        try:
            req.services.cells.api.run(aggregates.rename, row["id"], name)
        except aggregates.NameTaken:
            raise _taken(name) from None
    if "availability_zone" in body:
        zone = body["availability_zone"]
        changes = {rules.ZONE: zone.strip() if zone is not None else None}
        req.services.cells.api.run(aggregates.set_metadata, row["id"], changes)
    return _changed(req)


@handles("DELETE /os-aggregates/{id}")
def remove(req: Request) -> None:
    """Delete an aggregate without hosts."""
    req.must(f"{_RULE}:delete", {})
    row = lookup.one(req)
    if row["hosts"]:
        raise rules.refused(400, row, "Host aggregate is not empty")
    req.services.cells.api.run(aggregates.remove, row["id"])
    lookup.tell_schedulers_gone(req, row)


@handles("POST /os-aggregates/{id}/action #set_metadata")
def set_metadata(req: Request) -> dict:
    """Add, replace and (with null) delete keys."""
    req.must(f"{_RULE}:set_metadata", {})
    row, changes = lookup.one(req), req.args["metadata"]
    _check(req, row, changes)
    req.services.cells.api.run(aggregates.set_metadata, row["id"], changes)
    return _changed(req)


@handles("POST /os-aggregates/{id}/images")
def cache_images(req: Request) -> None:
    """Ask the hosts to fetch images before anybody boots them."""
    req.must("compute:aggregates:images", {})
    ids = [item["id"] for item in req.body["cache"]]
    if len(set(ids)) != len(ids):
        raise Fault(400, "Duplicate images in request")
    row = lookup.one(req)
    for image in ids:
        try:
            req.services.clients.glance.show(req.context, image)
        except ClientError as error:
            raise Fault(400, f"Image {image} can not be used: {error.message}") from None
    req.services.rpc(COMPUTE_TASK).send(req.context, "cache_images", aggregate=lookup.wire(row), image_ids=ids)


def _check(req: Request, row: dict[str, Any], changes: dict[str, str | None]) -> None:
    zone = changes.get(rules.ZONE)
    if zone == "":
        raise rules.refused(400, row, "Availability zone is empty")
    if zone is not None:
        rules.check_zone(req, row, zone, row["hosts"], 400)


def _changed(req: Request) -> dict:
    row = lookup.one(req)
    lookup.tell_schedulers(req, row)
    return _shown(req, row)


def _shown(req: Request, row: dict[str, Any]) -> dict:
    return {"aggregate": views.AGGREGATE.one(req.version, (), row)}


def _taken(name: str) -> Fault:
    return Fault(409, f"Aggregate {name} already exists.")
