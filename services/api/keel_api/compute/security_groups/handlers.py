"""``os-security-groups`` and their rules, up to 2.35: Neutron's, of which the incoming rules alone are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from oslo_utils import uuidutils

from keel_api.compute.peers import cut, own_project, refusing
from keel_api.compute.security_groups import rules
from keel_api.http import Fault, Request, handles
from keel_common.clients import errors

_RULE = "os_compute_api:os-security-groups"


@handles("GET /os-security-groups")
def index(req: Request) -> dict[str, Any]:
    """The caller's groups; those of every project when an administrator asks for them."""
    req.must(f"{_RULE}:get", own_project(req))
    everyone = req.context.is_admin and "all_tenants" in req.query
    filters = {} if everyone else {"tenant_id": req.context.project_id}
    groups = cut(req, req.services.clients.neutron.list_security_groups(req.context, **filters))
    known = sources(req, groups)
    rows = [shown(group, known) for group in groups]
    return {"security_groups": sorted(rows, key=lambda group: (group["tenant_id"], group["name"]))}


@handles("GET /os-security-groups/{id}")
def show(req: Request) -> dict[str, Any]:
    """One group."""
    req.must(f"{_RULE}:show", own_project(req))
    group = _group(req, _key(req))
    return {"security_group": shown(group, sources(req, [group]))}


@handles("POST /os-security-groups")
def create(req: Request) -> dict[str, Any]:
    """Make a group."""
    req.must(f"{_RULE}:create", own_project(req))
    with refusing({400: 400, 403: 403, 409: 403}):
        group = req.services.clients.neutron.create_security_group(_asked(req), req.context)
    return {"security_group": shown(group, {})}


@handles("PUT /os-security-groups/{id}")
def update(req: Request) -> dict[str, Any]:
    """Name a group anew and describe it."""
    req.must(f"{_RULE}:update", own_project(req))
    with refusing({400: 400, 404: 404, 409: 400}):
        group = req.services.clients.neutron.update_security_group(_key(req), _asked(req), req.context)
    return {"security_group": shown(group, sources(req, [group]))}


@handles("DELETE /os-security-groups/{id}")
def delete(req: Request) -> None:
    """Delete a group that no port uses."""
    req.must(f"{_RULE}:delete", own_project(req))
    key = _key(req)
    with refusing({404: 404, 409: 400}):
        req.services.clients.neutron.delete_security_group(key, req.context)


@handles("POST /os-security-group-rules")
def create_rule(req: Request) -> dict[str, Any]:
    """Add a rule for incoming packets to a group."""
    req.must(f"{_RULE}:rule:create", own_project(req))
    values = rules.wanted(req.body["security_group_rule"])
    group = _group(req, values["security_group_id"])
    if not values.get("remote_group_id") and any(rules.same(rule, values) for rule in group["security_group_rules"]):
        raise Fault(400, f"This rule already exists in group {group['id']}")
    with refusing({400: 400, 404: 404, 409: 403}):
        rule = req.services.clients.neutron.create_security_group_rule(values, req.context)
    return {"security_group_rule": rules.shown(rule, _sources_of_rules(req, [rule], {group["id"]: group}))}


@handles("DELETE /os-security-group-rules/{id}")
def delete_rule(req: Request) -> None:
    """Take a rule away."""
    req.must(f"{_RULE}:rule:delete", own_project(req))
    key = _key(req)
    with refusing({404: 404, 409: 409}):
        req.services.clients.neutron.delete_security_group_rule(key, req.context)


def _asked(req: Request) -> dict[str, Any]:
    asked = req.body["security_group"]
    return {"name": asked["name"], "description": asked["description"]}


def _key(req: Request) -> str:
    key = req.path["id"]
    if not uuidutils.is_uuid_like(key):
        raise Fault(400, "Security group id should be uuid")
    return key


def _group(req: Request, key: str) -> dict[str, Any]:
    with refusing({404: 404}):
        return req.services.clients.neutron.show_security_group(key, req.context)


def sources(req: Request, groups: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The groups that the rules of some groups let in, those groups included."""
    known = {group["id"]: group for group in groups}
    return _sources_of_rules(req, [rule for group in known.values() for rule in group["security_group_rules"]], known)


def _sources_of_rules(
    req: Request, given: Iterable[Mapping[str, Any]], known: dict[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    missing = {rule["remote_group_id"] for rule in given if rule.get("remote_group_id")} - set(known)
    if not missing:
        return known
    try:
        found = req.services.clients.neutron.list_security_groups(req.context, id=sorted(missing))
    except errors.NotFound:
        return known
    return {**known, **{group["id"]: group for group in found}}


def shown(group: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A group of Neutron as this API shows it; `known` are the groups its rules may let in."""
    incoming = (rule for rule in group["security_group_rules"] if rule["direction"] == "ingress")
    found = (rules.shown(rule, known) for rule in incoming)
    return {
        "id": group["id"],
        "description": group["description"],
        "name": group["name"],
        "tenant_id": group["tenant_id"],
        "rules": [rule for rule in found if rule is not None],
    }
