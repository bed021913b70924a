"""Quota sets of projects and of classes (source: cinder 29.0.0 quota rules)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lists, settings
from keel_common.db.stores.cinder import quotas, types
from keel_common.domain.volume import quotas as rules

_RULE = "volume_extension:quotas:"
_CLASS_RULE = "volume_extension:quota_classes:"
_MAY_BE_BELOW_USAGE = ("per_volume_gigabytes",)


@handles("GET /os-quota-sets/{id}")
def show(req: Request) -> dict[str, Any]:
    """The limits of a project; with usage=true what is used and promised beside each."""
    project = req.path["id"]
    req.must(_RULE + "show", {"project_id": project})
    with_usage = lists.boolean("usage", req.query.get("usage", "false"))
    limits, used = req.services.db.read(_read, req, project, with_usage)
    shown: dict[str, Any] = dict(limits)
    if with_usage:
        shown = {
            name: {"limit": limit, "in_use": used[name].in_use, "reserved": used[name].reserved}
            for name, limit in limits.items()
        }
    return {"quota_set": {**shown, "id": project}}


@handles("GET /os-quota-sets/{id}/defaults")
def defaults(req: Request) -> dict[str, Any]:
    """The limits of a project nobody set anything for."""
    req.must(_RULE + "show", {"project_id": req.path["id"]})
    limits = req.services.db.read(_class_limits, req, None)
    return {"quota_set": {**limits, "id": req.path["id"]}}


@handles("PUT /os-quota-sets/{id}")
def update(req: Request) -> dict[str, Any]:
    """Set limits of a project.

    A limit the project already has of its own does not go below what it uses, unless to unlimited (-1); the first own
    limit may (as measured at cinder 29.0.0).
    """
    project = req.path["id"]
    req.must(_RULE + "update", {"project_id": project})
    asked = {key: value for key, value in req.body["quota_set"].items() if key not in rules.NOT_RESOURCES}
    for name, value in asked.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise Fault(400, f"Quota {name} has to be an integer.")

    def work(conn: Any) -> dict[str, int]:
        _known(conn, asked)
        own = [name for name in quotas.own_limits(conn, project) if name in asked]
        for name, usage in quotas.usages(conn, project, own).items():
            if name not in _MAY_BE_BELOW_USAGE and rules.UNLIMITED < asked[name] < usage.total:
                raise Fault(400, f"Quota limit {asked[name]} for {name} is less than what is in use: {usage.total}.")
        quotas.set_limits(conn, project, asked)
        return _read(conn, req, project, False)[0]

    return {"quota_set": req.services.db.run(work)}


@handles("DELETE /os-quota-sets/{id}")
def delete(req: Request) -> Response:
    """Let a project have the default limits again; its usage is not touched. 200."""
    req.must(_RULE + "delete", {"project_id": req.path["id"]})
    req.services.db.run(quotas.delete_limits, req.path["id"])
    return Response()


@handles("GET /os-quota-class-sets/{id}")
def show_class(req: Request) -> dict[str, Any]:
    """The limits of a class; those of the class `default` are everybody's defaults."""
    req.must(_CLASS_RULE + "get", {})
    return {"quota_class_set": {**req.services.db.read(_class_limits, req, req.path["id"]), "id": req.path["id"]}}


@handles("PUT /os-quota-class-sets/{id}")
def update_class(req: Request) -> dict[str, Any]:
    """Set limits of a class."""
    req.must(_CLASS_RULE + "update", {})
    asked = {key: int(value) for key, value in req.body["quota_class_set"].items() if key not in rules.NOT_RESOURCES}

    def work(conn: Any) -> dict[str, int]:
        _known(conn, asked)
        quotas.set_class_limits(conn, req.path["id"], asked)
        return _class_limits(conn, req, req.path["id"])

    return {"quota_class_set": req.services.db.run(work)}


def _known(conn: Any, asked: dict[str, int]) -> None:
    unknown = sorted(set(asked) - set(rules.all_resources(types.names(conn))))
    if unknown:
        raise Fault(400, f"Bad key(s) in quota set: {', '.join(unknown)}")


def _read(conn: Any, req: Request, project: str, with_usage: bool) -> tuple[dict[str, int], dict[str, rules.Usage]]:
    names = rules.all_resources(types.names(conn))
    same = project == req.context.project_id
    limits = quotas.limits(conn, settings.quotas(req), project, names, req.context.quota_class if same else None)
    return limits, quotas.usages(conn, project, names) if with_usage else {}


def _class_limits(conn: Any, req: Request, name: str | None) -> dict[str, int]:
    names = rules.all_resources(types.names(conn))
    return quotas.limits(conn, settings.quotas(req), None, names, name)
