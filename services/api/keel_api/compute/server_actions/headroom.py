"""Whether the quota of a server's project still has room for what an action adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.servers import quota
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db.stores.nova import quotas


def check(req: Request, server: Mapping[str, Any], more: Mapping[str, int]) -> None:
    """403 when the project or the user of a server would have more than allowed.

    `more` says what is added of instances, cores and ram; what is not positive is not looked at.
    """
    wanted = {name: amount for name, amount in more.items() if amount > 0}
    if not wanted:
        return
    project, user = server["project_id"], server["user_id"]
    allowed = quota.limits(req, project, user)
    counted = [(who, limits) for who, limits in (("project", allowed.project), ("user", allowed.user)) if limits]
    if all(limits.get(name, -1) < 0 for _, limits in counted for name in wanted):
        return
    used = quotas.summed(cell.db.read(quotas.usage, project, user) for cell in req.services.cells.all())
    for who, limits in counted:
        for name, amount in wanted.items():
            limit, now = limits.get(name, -1), used[who].get(name, 0)
            if 0 <= limit < now + amount:
                raise Fault(
                    403,
                    f"Quota exceeded for {name}: Requested {amount}, but already used {now} of {limit} {name}",
                )
