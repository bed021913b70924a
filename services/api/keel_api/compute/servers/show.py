"""GET /servers/{id}."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import lookup, scope, views
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.http.view import View
from keel_common.db import Unreachable
from keel_common.db.stores.nova import servers_found


@handles("GET /servers/{id}")
def show(req: Request) -> dict[str, Any]:
    found = locate_for_view(req, req.path["id"])
    return {"server": shown(req, found, views.SHOW, "os_compute_api:servers:show")}


def locate_for_view(req: Request, uuid: str) -> servers_found.Found:
    """Locate a server with what its answer shows from the API database, in one statement."""
    return lookup.located(req, uuid, with_spec=req.at_least(2, 96), with_groups=req.at_least(2, 71))


def shown(req: Request, found: servers_found.Found, view: View, rule: str | None = None) -> dict[str, Any]:
    """The answer about one server; with `rule`, 403 unless the caller may use it on the server's project."""
    target = {"project_id": found.project_id}
    may_see = rule is None or req.can(rule, target)
    allowed = scope.allowed_fields(req, view, target) if may_see else frozenset()
    try:
        server, _ = lookup.read_found(req, found, view.columns(req.version, allowed) if may_see else (), once=True)
    except Unreachable as error:
        return _out_of_reach(req, found, rule, error)
    if rule is not None:
        req.must(rule, target)
    return rendered(req, found, server, view, allowed)


def _out_of_reach(req: Request, found: servers_found.Found, rule: str | None, error: Exception) -> dict[str, Any]:
    """What the API database knows of a server whose cell does not answer, from 2.69 on; below, the error stands."""
    spec = found.spec or req.services.cells.api.read(servers_found.specs, [found.uuid]).get(found.uuid, {})
    if not req.at_least(2, 69) or not spec:
        raise error
    target = {"project_id": found.project_id}
    if rule is not None:
        req.must(rule, target)
    around = scope.scope_of(req, target)
    around.groups[found.uuid] = found.groups
    image = spec.get("image")
    server = {
        "uuid": found.uuid,
        "project_id": found.project_id,
        "user_id": found.user_id or spec.get("user_id"),
        "created_at": found.created_at,
        "availability_zone": spec.get("availability_zone"),
        "image_ref": image["nova_object.data"].get("id") if image else None,
        "flavor": spec["flavor"]["nova_object.data"],
    }
    return views.DOWN_SHOW.one(req.version, (), server, around)


def rendered(
    req: Request, found: servers_found.Found, server: dict[str, Any], view: View, allowed: frozenset[str]
) -> dict[str, Any]:
    """Render a server that was read with the columns of `view`."""
    around = scope.scope_of(req, {"project_id": found.project_id})
    around.specs[found.uuid] = found.spec
    around.groups[found.uuid] = found.groups
    if any(field.name == "security_groups" and field.shown(req.version, allowed) for field in view.fields):
        scope.add_security_groups(req, around, [server])
    return view.one(req.version, allowed, server, around)
