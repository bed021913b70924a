"""Default volume types of projects (3.62)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lookup
from keel_common.db.stores.cinder import types

_RULE = "volume_extension:default_"


@handles("GET /default-types")
def index(req: Request) -> dict[str, Any]:
    """Every project that has one."""
    req.must(_RULE + "get_all", {})
    return {"default_types": req.services.db.read(types.defaults)}


@handles("GET /default-types/{id}")
def show(req: Request) -> dict[str, Any]:
    """That of one project; 404 without it."""
    _project(req, "get")
    found = req.services.db.read(types.defaults, req.path["id"])
    if not found:
        raise Fault(404, f"Default type for project {req.path['id']} not found.")
    return {"default_type": found[0]}


@handles("PUT /default-types/{id}")
def update(req: Request) -> dict[str, Any]:
    """Make a type (id or name) the default of a project; 400 for an unknown type."""
    _project(req, "set_or_update")
    name, project = req.body.get("default_type", {}).get("volume_type"), req.path["id"]
    if name is None:
        raise Fault(400, "A volume type has to be named.")

    def work(conn: Any) -> str:
        row = types.get_by_id_or_name(conn, name, lookup.scope(req))
        if row is None:
            raise Fault(400, f"Volume type with name {name} could not be found.")
        types.set_default(conn, project, row["id"])
        return row["id"]

    return {"default_type": {"project_id": project, "volume_type_id": req.services.db.run(work)}}


@handles("DELETE /default-types/{id}")
def delete(req: Request) -> Response:
    """Forget the default of a project: 204."""
    _project(req, "unset")
    req.services.db.run(types.unset_default, req.path["id"])
    return Response()


def _project(req: Request, action: str) -> None:
    """403 by policy, 404 for a project that Keystone does not know."""
    project = req.path["id"]
    req.must(_RULE + action, {"project_id": project})
    if not req.services.clients.keystone.project_exists(project, req.context):
        raise Fault(404, f"Project with id {project} not found.")
