"""Which projects may use a private volume type."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lookup
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import types

_RULE = "volume_extension:volume_type_access:"


@handles("GET /types/{type_id}/os-volume-type-access")
def index(req: Request) -> dict[str, Any]:
    """The projects of a private type; 404 for a public one."""
    req.must(_RULE + "get_all_for_type")

    def work(conn: Any) -> tuple[str, list[str]]:
        row = lookup.volume_type(conn, req, req.path["type_id"])
        if row["is_public"]:
            raise Fault(404, "Access list not available for public volume types.")
        return row["id"], types.projects(conn, row["id"])

    type_id, projects = req.services.db.read(work)
    return {"volume_type_access": [{"volume_type_id": type_id, "project_id": project} for project in projects]}


@handles("POST /types/{id}/action #addProjectAccess")
def add(req: Request) -> Response:
    """Give a private type to a project: 202; 409 when it has it."""
    req.must(_RULE + "addProjectAccess")
    project = req.args["project"]

    def work(conn: Any) -> None:
        row = _private(conn, req)
        if not types.add_project(conn, row["id"], project):
            raise Fault(409, f"Volume type access for {row['id']} / {project} combination already exists.")

    req.services.db.run(work)
    return bare()


@handles("POST /types/{id}/action #removeProjectAccess")
def remove(req: Request) -> Response:
    """Take a private type away from a project: 202; 404 when it does not have it."""
    req.must(_RULE + "removeProjectAccess")
    project = req.args["project"]

    def work(conn: Any) -> None:
        row = _private(conn, req)
        if not types.remove_project(conn, row["id"], project):
            raise Fault(404, f"Volume type access not found for {row['id']} / {project} combination.")

    req.services.db.run(work)
    return bare()


def _private(conn: Any, req: Request) -> dict[str, Any]:
    row = lookup.volume_type(conn, req, req.path["id"])
    if row["is_public"]:
        raise Fault(400, "Type access modification is not applicable to public volume type.")
    return row
