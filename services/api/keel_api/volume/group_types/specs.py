"""Specs of group types (source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume.answers import bare
from keel_api.volume.group_types.handlers import load
from keel_common.db.stores.cinder import metadata

_PATH = "/group_types/{group_type_id}/group_specs"
_RULE = "group:group_types_specs:"


@handles(f"GET {_PATH}")
def index(req: Request) -> dict[str, Any]:
    """Every spec."""
    req.must(_RULE + "get_all")
    return {"group_specs": req.services.db.read(_specs, req)}


@handles(f"GET {_PATH}/{{id}}")
def show(req: Request) -> dict[str, Any]:
    """One spec; 404 without it."""
    req.must(_RULE + "get")
    specs, key = req.services.db.read(_specs, req), req.path["id"]
    if key not in specs:
        raise Fault(404, f"Group Type {req.path['group_type_id']} has no extra spec with key {key}.")
    return {key: specs[key]}


@handles(f"POST {_PATH}")
def create(req: Request) -> dict[str, Any]:
    """Write some specs: 202. Answers those that were sent."""
    req.must(_RULE + "create")
    pairs = req.body["group_specs"]
    req.services.db.run(_write, req, pairs)
    return {"group_specs": pairs}


@handles(f"PUT {_PATH}/{{id}}")
def update(req: Request) -> dict[str, Any]:
    """Write one spec, which path and body both name."""
    req.must(_RULE + "update")
    if req.path["id"] not in req.body:
        raise Fault(400, "Request body and URI mismatch")
    req.services.db.run(_write, req, req.body)
    return req.body


@handles(f"DELETE {_PATH}/{{id}}")
def delete(req: Request) -> Response:
    """Take one spec away: 202; 404 without it."""
    req.must(_RULE + "delete")

    def work(conn: Any) -> None:
        row = load(conn, req, req.path["group_type_id"])
        if not metadata.remove(conn, metadata.GROUP_TYPE_SPECS, row["id"], req.path["id"]):
            raise Fault(404, f"Group Type {row['id']} has no specs with key {req.path['id']}.")

    req.services.db.run(work)
    return bare()


def _specs(conn: Any, req: Request) -> dict[str, Any]:
    return load(conn, req, req.path["group_type_id"])["group_specs"]


def _write(conn: Any, req: Request, pairs: dict[str, Any]) -> None:
    metadata.merge(conn, metadata.GROUP_TYPE_SPECS, load(conn, req, req.path["group_type_id"])["id"], pairs)
