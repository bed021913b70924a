"""Extra specs of volume types: what a volume of the type needs from its backend."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lookup
from keel_api.volume.types import views
from keel_common.db.stores.cinder import metadata, types

_RULE = "volume_extension:types_extra_specs:"


@handles("GET /types/{type_id}/extra_specs")
def index(req: Request) -> dict[str, Any]:
    """The specs the caller may read."""
    req.must(_RULE + "index")
    row = req.services.db.read(lookup.volume_type, req, req.path["type_id"])
    return {"extra_specs": views.visible(req, row["extra_specs"])}


@handles("GET /types/{type_id}/extra_specs/{id}")
def show(req: Request) -> dict[str, Any]:
    """One spec as `{key: value}`; 404 without it."""
    req.must(_RULE + "show")
    row = req.services.db.read(lookup.volume_type, req, req.path["type_id"])
    specs = views.visible(req, row["extra_specs"])
    key = req.path["id"]
    if key not in specs:
        raise _missing(row["id"], key)
    return {key: specs[key]}


@handles("POST /types/{type_id}/extra_specs")
def create(req: Request) -> dict[str, Any]:
    """Add specs; answers what was asked."""
    req.must(_RULE + "create")
    specs = req.body["extra_specs"]
    req.services.db.run(_write, req, specs)
    return {"extra_specs": specs}


@handles("PUT /types/{type_id}/extra_specs/{id}")
def update(req: Request) -> dict[str, Any]:
    """Write one spec; the key of the body has to be the one of the path."""
    req.must(_RULE + "update")
    if req.path["id"] not in req.body:
        raise Fault(400, "Request body and URI mismatch")
    req.services.db.run(_write, req, req.body)
    return req.body


@handles("DELETE /types/{type_id}/extra_specs/{id}")
def delete(req: Request) -> Response:
    """Take one spec away: 202; 404 without it."""
    req.must(_RULE + "delete")

    def work(conn: Any) -> None:
        row = _unused(conn, req)
        if not metadata.remove(conn, metadata.TYPE_SPECS, row["id"], req.path["id"]):
            raise _missing(row["id"], req.path["id"])

    req.services.db.run(work)
    return Response()


def _write(conn: Any, req: Request, specs: dict[str, str | None]) -> None:
    row = _unused(conn, req)
    both = {**row["extra_specs"], **specs}
    if both.get("multiattach") == "<is> True" and both.get("cacheable") == "<is> True":
        raise Fault(400, "Multiattach and cacheable exclude each other in a volume type.")
    metadata.merge(conn, metadata.TYPE_SPECS, row["id"], specs)


def _unused(conn: Any, req: Request) -> dict[str, Any]:
    row = lookup.volume_type(conn, req, req.path["type_id"])
    if types.has_volumes(conn, row["id"]):
        raise Fault(400, f"Volume Type is currently in use: extra specs of {row['id']} cannot be changed.")
    return row


def _missing(type_id: str, key: str) -> Fault:
    return Fault(404, f"Volume Type {type_id} has no extra specs with key {key}.")
