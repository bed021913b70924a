"""GET /servers/{id}."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import lookup, scope, views
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.http.view import View
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
    server, _ = lookup.read_found(req, found, view.columns(req.version, allowed) if may_see else ())
    if rule is not None:
        req.must(rule, target)
    return rendered(req, found, server, view, allowed)


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
