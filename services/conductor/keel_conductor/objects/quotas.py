"""Quotas and QuotasNoOp: counts, limits and checks (nova 34.0.0 quota). Reservations are no more."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import quota_limits as store
from keel_common.db.stores.nova import quotas
from keel_common.domain.compute_quota import NETWORK, RESOURCES, UNLIMITED
from keel_conductor.objects.groups import members_of_user
from keel_conductor.objects.registry import Call, Done, action, class_action

NAMES = ("Quotas", "QuotasNoOp")
SERVERS = ("instances", "cores", "ram")
KNOWN = {resource.name for resource in RESOURCES}
Counts = dict[str, dict[str, int]]
Limits = dict[str, int]


# -- what is used


def _servers(call: Call, project_id: str, user_id: str | None = None) -> Counts:
    found: Counts = {"project": dict.fromkeys(SERVERS, 0)}
    if user_id is not None:
        found["user"] = dict.fromkeys(SERVERS, 0)
    for cell in call.cells.all():
        for who, used in cell.db.read(quotas.usage, project_id, user_id).items():
            for name, amount in used.items() if who in found else ():
                found[who][name] += amount
    return found


def _groups(call: Call, project_id: str, user_id: str | None = None) -> Counts:
    found = {"project": {"server_groups": call.api.read(quotas.count_groups, project_id)}}
    if user_id is not None:
        found["user"] = {"server_groups": call.api.read(quotas.count_groups, project_id, user_id)}
    return found


def _keys(call: Call, user_id: str) -> Counts:
    return {"user": {"key_pairs": call.api.read(quotas.count_keys, user_id)}}


def _members(call: Call, group: Any, user_id: str) -> Counts:
    count = members_of_user(call, list(group.get("members") or ()), user_id)
    return {"user": {"server_group_members": count}}


_COUNTERS: dict[str, Any] = {
    **dict.fromkeys(SERVERS, _servers),
    "server_groups": _groups,
    "key_pairs": _keys,
    "server_group_members": _members,
}


def _counted(call: Call, resource: str, args: Any, kwargs: Any) -> Counts:
    if resource not in _COUNTERS:
        raise Refused("QuotaResourceUnknown", f"{resource} is not counted.", 404, unknown=[resource])
    found: Counts = _COUNTERS[resource](call, *args, **kwargs)
    return found


def count(call: Call, resource: str, args: Any = (), kwargs: Any = None) -> int:
    found = _counted(call, resource, args, kwargs or {})
    return found["project" if "project" in found else "user"][resource]


def count_as_dict(call: Call, resource: str, args: Any = (), kwargs: Any = None) -> Counts:
    return _counted(call, resource, args, kwargs or {})


# -- limits


def create_limit(call: Call, project_id: str, resource: str, limit: int, user_id: str | None = None) -> None:
    """What belongs to the network has limits of projects only."""
    user = None if resource in NETWORK else user_id
    if not call.api.run(store.create, project_id, resource, limit, user):
        text = f"{resource} of project {project_id} has a limit."
        raise Refused("QuotaExists", text, 409, project_id=project_id, resource=resource)


def update_limit(call: Call, project_id: str, resource: str, limit: int, user_id: str | None = None) -> None:
    user = None if resource in NETWORK else user_id
    if call.api.run(store.change, project_id, resource, limit, user):
        return
    if user is not None:
        facts = {"project_id": project_id, "user_id": user}
        raise not_found("ProjectUserQuotaNotFound", f"Limit of user {user} in project {project_id}", **facts)
    raise not_found("ProjectQuotaNotFound", f"Limit of project {project_id}", project_id=project_id)


def limit_check(
    call: Call, project_id: str | None = None, user_id: str | None = None, values: dict[str, int] | None = None
) -> None:
    """Absolute values against the limits of project and user."""
    values = values or {}
    _judged(call, project_id, user_id, values, values, {}, scoped=False)


def limit_check_project_and_user(
    call: Call,
    project_values: dict[str, int] | None = None,
    user_values: dict[str, int] | None = None,
    project_id: str | None = None,
    user_id: str | None = None,
) -> None:
    """Values of a project and of a user, each against its own limits."""
    if not project_values and not user_values:
        raise Refused("Invalid", "A check needs values of a project or of a user.", 400)
    _judged(call, project_id, user_id, project_values or {}, user_values or {}, {})


def _judged(
    call: Call,
    project_id: str | None,
    user_id: str | None,
    of_project: dict[str, int],
    of_user: dict[str, int],
    usages: dict[str, int],
    scoped: bool = True,
) -> None:
    """Raises InvalidQuotaMethodUsage, InvalidQuotaValue or OverQuota."""
    wanted = {**of_project, **of_user}
    unknown = sorted(set(wanted) - KNOWN)
    if unknown:
        text = f"{unknown[0]} has no limit that can be checked."
        raise Refused("InvalidQuotaMethodUsage", text, 500, method="check", res=unknown[0])
    unders = sorted(name for name, value in wanted.items() if value < 0)
    if unders:
        raise Refused("InvalidQuotaValue", f"Less than nothing: {unders}", 409, unders=unders)
    project, user = _limits(call, project_id or call.context.project_id, user_id or call.context.user_id)
    over_project = _over(project, of_project)
    over_user = _over(user, of_user)
    overs = sorted({*over_project, *over_user})
    if overs:
        limits = {name: min(_high(user[name]), _high(project[name])) for name in overs}
        both = scoped and of_project and of_user
        more = {"scope": "project" if over_project else "user"} if both else {}
        text = f"Over the quota of {', '.join(overs)}."
        facts: dict[str, Any] = {"overs": overs, "quotas": limits, "usages": usages, "headroom": dict(limits)}
        raise Refused("OverQuota", text, 413, **facts, **more)


def _high(limit: int) -> float:
    return limit if limit != UNLIMITED else float("inf")


def _over(limits: Limits, values: dict[str, int]) -> set[str]:
    return {name for name, value in values.items() if limits[name] != UNLIMITED and value > limits[name]}


def _limits(call: Call, project_id: str | None, user_id: str | None) -> tuple[Limits, Limits]:
    """Limits of the project, and of the user in it."""
    base = quotas.configured(call.conf)
    return (
        call.api.read(quotas.of_project, base, project_id or ""),
        call.api.read(quotas.of_user, base, project_id or "", user_id or ""),
    )


# -- both classes


def _both(method: str, fn: Any) -> None:
    for name in NAMES:
        class_action(name, method)(fn)


_both("count", lambda call, resource, args=(), kwargs=None: count(call, resource, args, kwargs))
_both("count_as_dict", lambda call, resource, args=(), kwargs=None: count_as_dict(call, resource, args, kwargs))
_both("create_limit", create_limit)
_both("update_limit", update_limit)
_both("limit_check", limit_check)
_both("limit_check_project_and_user", limit_check_project_and_user)


@class_action("Quotas", "check_deltas")
def check_deltas(
    call: Call, deltas: dict[str, int], count_args: Any = (), count_kwargs: dict[str, Any] | None = None
) -> None:
    """Whether what is used and `deltas` together stay within the limits. Raises OverQuota."""
    more = dict(count_kwargs or {})
    project_id, user_id = more.pop("check_project_id", None), more.pop("check_user_id", None)
    counts: Counts = {}
    for resource in deltas:
        for who, used in _counted(call, resource, count_args, more).items():
            counts.setdefault(who, {}).update(used)
    sums: Counts = {
        who: {name: used[name] + deltas[name] for name in deltas if name in used} for who, used in counts.items()
    }
    if not deltas:
        raise Refused("Invalid", "A check needs values of a project or of a user.", 400)
    usages = {name: value for used in counts.values() for name, value in used.items()}
    _judged(call, project_id, user_id, sums.get("project", {}), sums.get("user", {}), usages)


# -- reservations of old times: accepted, and nothing is reserved


@action("Quotas", "reserve")
def reserve(
    call: Call,
    obj: Any,
    expire: Any = None,
    project_id: str | None = None,
    user_id: str | None = None,
    deltas: Any = None,
) -> Done:
    return Done({"reservations": None, "project_id": project_id, "user_id": user_id})


@action("Quotas", "commit")
def commit(call: Call, obj: Any) -> Done:
    return Done.untouched(obj)


@action("Quotas", "rollback")
def rollback(call: Call, obj: Any) -> Done:
    return Done.untouched(obj)
