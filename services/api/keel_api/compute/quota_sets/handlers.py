"""``os-quota-sets`` (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from oslo_utils import strutils

from keel_api.compute import projects
from keel_api.compute.quota_sets import views
from keel_api.http import Fault, Request, handles
from keel_common.db.stores.nova import quotas
from keel_common.domain.compute_quota import UNLIMITED

_RULE = "os_compute_api:os-quota-sets"


@handles("GET /os-quota-sets/{id}")
def show(req: Request) -> dict:
    """The limits of a project, or of a user in it."""
    project = _allowed(req, "show")
    projects.must_exist(req, project)
    return _answer(req, _limits(req, project, req.query.first("user_id")), project)


@handles("GET /os-quota-sets/{id}/detail")
def detail(req: Request) -> dict:
    """The limits with what is in use."""
    project = _allowed(req, "detail")
    projects.must_exist(req, project)
    user = req.query.first("user_id")
    limits = _limits(req, project, user)
    if quotas.counts_nothing(req.services.conf):
        rows = {name: dict.fromkeys(("limit", "in_use", "reserved"), UNLIMITED) for name in limits}
    else:
        used = quotas.used(req.services.cells, project, user)
        rows = {name: {"limit": limit, "in_use": used.get(name, 0), "reserved": 0} for name, limit in limits.items()}
    return _answer(req, rows, project)


@handles("GET /os-quota-sets/{id}/defaults")
def defaults(req: Request) -> dict:
    """The limits of a project nobody has set limits for."""
    project = _allowed(req, "defaults")
    projects.must_exist(req, project)
    base = quotas.configured(req.services.conf)
    return _answer(req, req.services.cells.api.read(quotas.of_class, base), project)


@handles("PUT /os-quota-sets/{id}")
def update(req: Request) -> dict:
    """Set limits; without ``force`` not below what is in use, and a user's not above the project's."""
    project = _allowed(req, "update")
    projects.must_exist(req, project)
    user = req.query.first("user_id")
    wanted = dict(req.body["quota_set"])
    force = strutils.bool_from_string(wanted.pop("force", False), strict=True)
    wanted.pop("tenant_id", None)
    limits = {name: int(value) for name, value in wanted.items()}
    _check(req, limits, project, user, force)
    req.services.cells.api.run(quotas.set_project, project, limits, user)
    return {"quota_set": views.quota_set(_limits(req, project, user), views.names(req.version))}


@handles("DELETE /os-quota-sets/{id}")
def remove(req: Request) -> None:
    """Back to the defaults."""
    project = _allowed(req, "delete")
    req.services.cells.api.run(quotas.forget, project, req.query.first("user_id"))


def _allowed(req: Request, what: str) -> str:
    project = req.path["id"]
    req.must(f"{_RULE}:{what}", {"project_id": project})
    return project


def _limits(req: Request, project: str, user: str | None) -> dict[str, int]:
    base, api = quotas.configured(req.services.conf), req.services.cells.api
    if quotas.counts_nothing(req.services.conf):
        return base
    if user is None:
        return api.read(quotas.of_project, base, project)
    return api.read(quotas.of_user, base, project, user)


def _answer(req: Request, values: dict[str, Any], project: str) -> dict:
    return {"quota_set": views.quota_set(values, views.names(req.version), project)}


def _check(req: Request, limits: dict[str, int], project: str, user: str | None, force: bool) -> None:
    if quotas.counts_nothing(req.services.conf):
        return  # limits are kept and mean nothing
    used = {} if force else quotas.used(req.services.cells, project, user)
    above = _limits(req, project, None) if user is not None else {}
    for name, limit in limits.items():
        if limit != UNLIMITED and limit < used.get(name, 0):
            raise Fault(
                400,
                f"Quota limit {limit} for {name} must be greater than or equal to already used and reserved "
                f"{used[name]}.",
            )
        most = above.get(name, UNLIMITED)
        if most != UNLIMITED and (limit > most or limit == UNLIMITED):
            raise Fault(400, f"Quota limit {limit} for {name} must be less than or equal to {most}.")
