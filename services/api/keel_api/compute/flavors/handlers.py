"""Flavors: list, show, create, change, delete (nova 34.0.0)."""

from __future__ import annotations

import uuid
from typing import Any

from oslo_utils import strutils

from keel_api.compute.flavors import lookup, views
from keel_api.http import Fault, Request, View, handles
from keel_api.http.paging import LARGEST, page, with_next
from keel_common import patterns
from keel_common.db.stores.nova import flavors

_MANAGE = "os_compute_api:os-flavor-manage"


@handles("GET /flavors")
def index(req: Request) -> dict:
    """Names of the flavors the caller may use."""
    return _list(req, views.INDEX, "flavors")


@handles("GET /flavors/detail")
def detail(req: Request) -> dict:
    """The same with everything about them."""
    return _list(req, views.DETAIL, "flavors", "detail")


@handles("GET /flavors/{id}")
def show(req: Request) -> dict:
    """One flavor."""
    return _one(req, lookup.flavor(req, req.path["id"]))


@handles("POST /flavors")
def create(req: Request) -> dict:
    """Add a flavor; without an id it gets a new uuid. A private one is not shared with the caller's project."""
    req.must(f"{_MANAGE}:create", {})
    values = _values(req.body["flavor"])
    try:
        row = req.services.cells.api.run(flavors.create, values)
    except flavors.Taken as taken:
        word = "name" if taken.column == "name" else "ID"
        raise Fault(409, f"Flavor with {word} {taken.value} already exists.") from None
    return _one(req, row)


@handles("PUT /flavors/{id}")
def update(req: Request) -> dict:
    """Change the description, the only thing that may change."""
    req.must(f"{_MANAGE}:update", {})
    flavorid = req.path["id"]
    if not req.services.cells.api.run(flavors.describe, flavorid, req.body["flavor"]["description"]):
        raise lookup.not_found(flavorid)
    return _one(req, lookup.flavor(req, flavorid))


@handles("DELETE /flavors/{id}")
def remove(req: Request) -> None:
    """Delete a flavor; servers keep the copy they were made with."""
    req.must(f"{_MANAGE}:delete", {})
    if not req.services.cells.api.run(flavors.remove, req.path["id"]):
        raise lookup.not_found(req.path["id"])


def _one(req: Request, row: dict[str, Any]) -> dict:
    allowed = req.allowed(views.DETAIL.policies)
    if allowed and req.at_least(2, 61):
        (row,) = lookup.with_extra_specs(req, [row])
    return {"flavor": views.DETAIL.one(req.version, allowed, row, req)}


def _list(req: Request, view: View, *path: str) -> dict:
    asked = page(req, req.services.conf.api.max_limit)
    if asked.limit == 0:
        return {"flavors": []}
    rows = req.services.cells.api.read(flavors.page, **_filters(req), limit=asked.limit, marker=asked.marker)
    if rows is None:
        raise Fault(400, f"marker [{asked.marker}] not found")
    allowed = req.allowed(view.policies)
    if allowed and req.at_least(2, 61):
        rows = lookup.with_extra_specs(req, rows)
    body = {"flavors": view.render(req.version, allowed, rows, req)}
    return with_next(req, body, "flavors", rows, asked, rows[-1]["flavorid"] if rows else "", *path)


def _filters(req: Request) -> dict[str, Any]:
    query, admin = req.query, req.context.is_admin
    return {
        "project_id": req.context.project_id,
        "public": _public(query.get("is_public")) if admin else True,
        "disabled": None if admin else False,
        "min_ram": _number(query.get("minRam"), "minRam"),
        "min_disk": _number(query.get("minDisk"), "minDisk"),
        "name": _name(query.get("name")) if req.at_least(2, 102) else None,
        "sort_key": query.get("sort_key", "flavorid"),
        "descending": query.get("sort_dir", "asc") == "desc",
    }


def _public(text: str | None) -> bool | None:
    """``none`` asks for public and private ones; absent means public."""
    if text is None:
        return True
    if text.strip().lower() == "none":
        return None
    try:
        return strutils.bool_from_string(text, strict=True)
    except ValueError:
        raise Fault(400, f"Invalid is_public filter [{text}]") from None


def _number(text: str | None, name: str) -> int | None:
    if not text:
        return None
    try:
        return max(-LARGEST, min(int(text), LARGEST))
    except ValueError:
        raise Fault(400, f"Invalid {name} filter [{text}]") from None


def _name(text: str | None) -> str | None:
    if text is not None:
        try:
            patterns.compiled(text)
        except patterns.InvalidPattern:
            raise Fault(400, f"Invalid name filter [{text}]") from None
    return text


def _values(body: dict[str, Any]) -> dict[str, Any]:
    given = body.get("id")
    return {
        "name": body["name"].strip(),
        "flavorid": str(given) if given is not None else str(uuid.uuid4()),
        "memory_mb": int(body["ram"]),
        "vcpus": int(body["vcpus"]),
        "root_gb": int(body["disk"]),
        "ephemeral_gb": int(body.get("OS-FLV-EXT-DATA:ephemeral", 0)),
        "swap": int(body.get("swap", 0)),
        "rxtx_factor": float(body.get("rxtx_factor", 1.0)),
        "is_public": strutils.bool_from_string(body.get("os-flavor-access:is_public", True), strict=True),
        "disabled": False,
        "description": body.get("description"),
    }
