"""What a list request asks for: filters, order, tenants; every refusal of a list (nova 34.0.0 list_rules)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from oslo_utils import strutils, timeutils

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common import patterns
from keel_common.db.stores.nova import servers
from keel_common.domain.server import filters
from keel_common.domain.server.filters import Condition, Selection
from keel_common.domain.server.status import states_of

ALL_FILTERS = "os_compute_api:servers:allow_all_filters"
_ADMIN_SORT_KEYS = frozenset({"host", "node"})


@dataclass(frozen=True)
class Wanted:
    """A checked list request. `project_id` None = every project; `nothing` = the answer is empty whatever there
    is; `plain` = nothing narrows it but the project."""

    selection: Selection
    order: list[tuple[str, str]]
    project_id: str | None
    flavor: str | None = None
    nothing: bool = False
    plain: bool = True


def read(req: Request, all_tenants_rule: str) -> Wanted:
    """Check the query of a list; Fault 400 or 403 as recorded. The flavor filter is still a flavor id."""
    asked = _permitted(req)
    order = _order(req)
    all_tenants = _boolean(asked.pop("all_tenants"), "all_tenants") if "all_tenants" in asked else False
    vm_states = task_states = None
    if "status" in asked:
        asked.pop("status")
        vm_states, task_states = states_of(req.query.all("status"))
        if not vm_states:
            if req.at_least(2, 38):
                raise Fault(400, "Invalid filter value for status")
            return Wanted(Selection(()), order, None, nothing=True)
    _times(asked)
    deleted = _deleted(req, asked, vm_states)
    soft_deleted = _soft_deleted(asked, deleted)
    if vm_states is not None:
        asked["vm_state"] = vm_states
        if task_states:
            asked["task_state"] = task_states
    if all_tenants:
        req.must(all_tenants_rule)
    project = _project(req, asked, all_tenants)
    if "locked" in asked:
        asked["locked"] = _boolean(asked["locked"], "locked")
    if "description" in asked:
        asked.pop("description")
    flavor = asked.pop("flavor", None)
    selection = filters.compile_selection(asked, servers.COLUMNS, deleted, soft_deleted)
    _check_patterns(selection)
    return Wanted(
        selection, order, project, flavor, plain=not (asked.keys() - {"project_id", "user_id"}) and not flavor
    )


def _permitted(req: Request) -> dict[str, Any]:
    try:
        return filters.permitted(dict(req.query.items()), req.version, req.can(ALL_FILTERS))
    except ValueError as error:
        raise Fault(400, str(error)) from None


def _order(req: Request) -> list[tuple[str, str]]:
    keys = [key for key in req.query.all("sort_key") if key]
    try:
        order = filters.sorting(keys, req.query.all("sort_dir"), req.version)
    except ValueError as error:
        raise Fault(400, str(error)) from None
    if _ADMIN_SORT_KEYS.intersection(keys) and not req.context.is_admin:
        refused = ", ".join(key for key in keys if key in _ADMIN_SORT_KEYS)
        raise Fault(403, f"Only administrators can sort servers by {refused}")
    return order


def _boolean(text: str, name: str) -> bool:
    """A query boolean; an empty all_tenants means true."""
    if text == "" and name == "all_tenants":
        return True
    try:
        return strutils.bool_from_string(text, strict=True)
    except ValueError as error:
        raise Fault(400, str(error)) from None


def _check_patterns(selection: Selection) -> None:
    """400 for a value that is no pattern: most filters are."""
    for condition in selection.conditions:
        if condition.op not in ("regex", "address"):
            continue
        try:
            patterns.compiled(condition.value)
        except patterns.InvalidPattern:
            raise Fault(400, f"Invalid filter value for {condition.key}") from None


def _times(asked: dict[str, Any]) -> None:
    for name in ("changes-since", "changes-before"):
        if name in asked:
            try:
                moment = timeutils.parse_isotime(asked[name])
                asked[name] = moment.astimezone(datetime.UTC).replace(tzinfo=None)
            except (ValueError, OverflowError):  # 0001-01-01 in an eastern zone is before the first year
                raise Fault(400, f"Invalid filter field: {name}.") from None
    if "changes-since" in asked and "changes-before" in asked and asked["changes-since"] > asked["changes-before"]:
        raise Fault(400, "The value of changes-since must be less than or equal to changes-before.")


def _deleted(req: Request, asked: dict[str, Any], vm_states: list[str] | None) -> bool | None:
    """Whether deleted records are asked for; None = both kinds."""
    deleted: bool | None = None
    if "deleted" in asked:
        deleted = strutils.bool_from_string(asked.pop("deleted"), default=False)
    elif "changes-since" not in asked and "changes-before" not in asked:
        deleted = False
    if vm_states == ["deleted"]:
        if not req.context.is_admin:
            raise Fault(403, "Only administrators may list deleted instances")
        deleted = True
    return deleted


def _soft_deleted(asked: dict[str, Any], deleted: bool | None) -> bool:
    given = asked.pop("soft_deleted", None)
    if given is None:
        return bool(deleted)
    return strutils.bool_from_string(given, default=False)


def _project(req: Request, asked: dict[str, Any], all_tenants: bool) -> str | None:
    """The project a list is narrowed to; adds its condition to the filters."""
    tenant = asked.pop("tenant_id", None)
    if all_tenants:
        if tenant is not None:
            asked.setdefault("project_id", tenant)
        return asked.get("project_id")
    asked.pop("project_id", None)
    if req.context.project_id:
        asked["project_id"] = req.context.project_id
    else:
        asked["user_id"] = req.context.user_id
    return req.context.project_id


def address_condition(selection: Selection) -> Condition | None:
    """The ip or ip6 condition of a selection, if any."""
    return next((c for c in selection.conditions if c.op == "address"), None)
