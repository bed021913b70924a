"""How many servers a project may still have: recorded limits against what the cells hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db.stores.nova import quotas

COUNTED = ("instances", "cores", "ram")
_SIZES = ("metadata_items", "injected_files", "injected_file_content_bytes", "injected_file_path_length")
_DB_DRIVER = "nova.quota.DbQuotaDriver"
_NO_DRIVER = "nova.quota.NoopQuotaDriver"


@dataclass(frozen=True)
class Limits:
    """The limits of a project and of one user of it; -1 is no limit."""

    project: Mapping[str, int]
    user: Mapping[str, int]

    def exceeded(self, name: str, amount: int) -> bool:
        """Whether an amount is above the project's limit of a size."""
        limit = self.project[name]
        return 0 <= limit < amount


def limits(req: Request, project_id: str | None = None, user_id: str | None = None) -> Limits:
    """Read the limits that count for the caller, or for somebody else's project and user, in one statement."""
    quota = req.services.conf.quota
    names = (*COUNTED, *_SIZES, "server_group_members")
    if quota.driver == _NO_DRIVER:
        return Limits(dict.fromkeys(names, -1), {})
    if quota.driver != _DB_DRIVER:
        raise Fault(501, f"Quota driver {quota.driver} is not available")
    defaults = {name: quota[name] for name in names}
    project, user = project_id or req.context.project_id, user_id or req.context.user_id
    found = req.services.cells.api.read(quotas.limits, project, user, defaults)
    return Limits(found["project"], found["user"])


class Bringing(Protocol):
    """What a request brings along for a server: metadata, and files as (path, contents)."""

    metadata: dict[str, str]
    files: list[tuple[str, str]]


def check_sizes(asked: Bringing, allowed: Limits) -> None:
    """403 when metadata or files are more than the project may give."""
    check_metadata(len(asked.metadata), allowed)
    if allowed.exceeded("injected_files", len(asked.files)):
        raise Fault(403, "Personality file limit exceeded")
    for path, contents in asked.files:
        if allowed.exceeded("injected_file_path_length", len(path)):
            limit = allowed.project["injected_file_path_length"]
            raise Fault(403, f"Personality file path exceeds maximum {limit}")
        if allowed.exceeded("injected_file_content_bytes", len(contents)):
            limit = allowed.project["injected_file_content_bytes"]
            raise Fault(403, f"Personality file content exceeds maximum {limit}")


def check_metadata(items: int, allowed: Limits) -> None:
    """403 when a server would have more metadata items than allowed."""
    if allowed.exceeded("metadata_items", items):
        raise Fault(403, f"Maximum number of metadata items exceeds {allowed.project['metadata_items']}")


def servers_allowed(req: Request, allowed: Limits, flavor: Mapping[str, Any], low: int, high: int) -> int:
    """How many of the `high` wanted servers the quota lets in; 403 when fewer than `low` (one statement a cell)."""
    each = {"instances": 1, "cores": flavor["vcpus"], "ram": flavor["memory_mb"]}
    if all(allowed.project[name] < 0 and allowed.user.get(name, -1) < 0 for name in COUNTED):
        return high
    context = req.context
    used = quotas.summed(
        cell.db.read(quotas.usage, context.project_id, context.user_id) for cell in req.services.cells.all()
    )
    fits = high
    tight: tuple[str, int, int] | None = None
    for who, limit in (("project", allowed.project), ("user", allowed.user)):
        for name in COUNTED:
            if limit.get(name, -1) < 0 or not each[name]:
                continue
            room = max(0, (limit[name] - used[who].get(name, 0)) // each[name])
            if room < fits:
                fits, tight = room, (name, used[who].get(name, 0), limit[name])
    if fits >= low or tight is None:
        return fits
    name, in_use, limit_value = tight
    raise Fault(
        403,
        f"Quota exceeded for {name}: Requested {each[name] * low}, but already used {in_use} of {limit_value} {name}",
    )
