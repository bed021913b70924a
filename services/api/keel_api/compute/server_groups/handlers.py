"""``os-server-groups`` (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.hosts import COMPUTE
from keel_api.compute.server_groups import views
from keel_api.compute.servers import lookup
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import whole_number
from keel_common.db.stores.nova import quotas, server_groups, services
from keel_common.domain.compute_quota import exceeded

_RULE = "os_compute_api:os-server-groups"
_MANY_PER_HOST = 33  # lowest service version of computes that honour max_server_per_host


@handles("GET /os-server-groups")
def index(req: Request) -> dict:
    """The groups of the project; of all projects for an administrator who asks, others get their own."""
    target = {"project_id": req.context.project_id}
    req.must(f"{_RULE}:index", target)
    project = req.context.project_id
    if "all_projects" in req.query and req.context.is_admin:
        req.must(f"{_RULE}:index:all_projects", target)
        project = None
    rows = req.services.cells.api.read(server_groups.listing, project)
    most = req.services.conf.api.max_limit
    offset = whole_number(req.query, "offset", 0)
    limit = min(whole_number(req.query, "limit", most) or most, most)
    return {"server_groups": views.GROUP.render(req.version, (), rows[offset : offset + limit])}


@handles("GET /os-server-groups/{id}")
def show(req: Request) -> dict:
    """One group."""
    row = _one(req, "show")
    return {"server_group": views.GROUP.one(req.version, (), row)}


@handles("POST /os-server-groups")
def create(req: Request) -> dict:
    """Add an empty group to the caller's project."""
    context = req.context
    req.must(f"{_RULE}:create", {"project_id": context.project_id})
    body = req.body["server_group"]
    if req.at_least(2, 64):
        policy, rules = body["policy"], {key: int(value) for key, value in body.get("rules", {}).items()}
        _check_rules(req, policy, rules)
    else:
        policy, rules = body["policies"][0], {}
    _check_quota(req)
    row = req.services.cells.api.run(
        server_groups.create, body["name"].strip(), context.project_id, context.user_id, policy, rules
    )
    return {"server_group": views.GROUP.one(req.version, (), row)}


@handles("DELETE /os-server-groups/{id}")
def remove(req: Request) -> None:
    """Delete a group; its servers stay."""
    row = _one(req, "delete")
    if not req.services.cells.api.run(server_groups.remove, row["id"]):
        raise _missing(req.path["id"])


def _one(req: Request, what: str) -> dict[str, Any]:
    rows = req.services.cells.api.read(server_groups.listing, uuid=req.path["id"])
    if not rows or lookup.hidden(req, rows[0]["project_id"]):
        raise _missing(req.path["id"])
    req.must(f"{_RULE}:{what}", {"project_id": rows[0]["project_id"]})
    return rows[0]


def _missing(uuid: str) -> Fault:
    return Fault(404, f"Instance group {uuid} could not be found.")


def _check_rules(req: Request, policy: str, rules: dict[str, int]) -> None:
    if rules and policy != "anti-affinity":
        raise Fault(400, "Only anti-affinity policy supports rules.")
    if rules.get("max_server_per_host", 1) > 1 and _lowest(req) < _MANY_PER_HOST:
        raise Fault(409, "Creating an anti-affinity group with rule max_server_per_host > 1 is not yet supported.")


def _lowest(req: Request) -> int:
    """The lowest version among the computes; with none there is nobody to be too old."""
    found = [
        versions[COMPUTE]
        for cell in req.services.cells.working()
        if COMPUTE in (versions := cell.db.read(services.minimum_versions, [COMPUTE]))
    ]
    return min(found, default=_MANY_PER_HOST)


def _check_quota(req: Request) -> None:
    context, base = req.context, quotas.configured(req.services.conf)

    def over(conn: Any) -> bool:
        limits = quotas.of_project(conn, base, context.project_id)
        mine = quotas.of_user(conn, base, context.project_id, context.user_id)
        wanted = {"server_groups": 1}
        used = {"server_groups": quotas.count_groups(conn, context.project_id)}
        own = {"server_groups": quotas.count_groups(conn, context.project_id, context.user_id)}
        return bool(exceeded(limits, used, wanted) or exceeded(mine, own, wanted))

    if req.services.cells.api.read(over):
        raise Fault(403, "Quota exceeded, too many server groups.")
