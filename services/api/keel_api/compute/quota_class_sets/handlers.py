"""``os-quota-class-sets`` (nova 34.0.0): any name is accepted, only ``default`` has an effect."""

from __future__ import annotations

import re
from typing import Any

from keel_api.compute.quota_sets import views
from keel_api.http import Fault, Request, handles
from keel_common.db.stores.nova import quotas

_RULE = "os_compute_api:os-quota-class-sets"
_LIMIT = re.compile(r"-1|[0-9]{1,10}", re.ASCII)
_MOST = 2**31 - 1


@handles("GET /os-quota-class-sets/{id}")
def show(req: Request) -> dict:
    """The limits of a class."""
    req.must(f"{_RULE}:show", {})
    return {"quota_class_set": views.quota_set(_limits(req), views.class_names(req.version), req.path["id"])}


@handles("PUT /os-quota-class-sets/{id}")
def update(req: Request) -> dict:
    """Set limits of a class."""
    req.must(f"{_RULE}:update", {})
    limits = _unchecked(req) if req.legacy else req.body["quota_class_set"]
    limits = {name: int(value) for name, value in limits.items()}
    req.services.cells.api.run(quotas.set_class, req.path["id"], limits)
    return {"quota_class_set": views.quota_set(_limits(req), views.class_names(req.version))}


def _unchecked(req: Request) -> dict[str, Any]:
    """The limits of a request under /v2, where no schema looks at it: unknown names do not count (measured)."""
    asked = req.body.get("quota_class_set") if isinstance(req.body, dict) else None
    if not isinstance(asked, dict):
        raise Fault(400, "quota_class_set is missing or no object")
    known = {name: asked[name] for name in views.class_names(req.version) if name in asked}
    wrong = [name for name, value in known.items() if not _LIMIT.fullmatch(str(value)) or int(value) > _MOST]
    if wrong:
        raise Fault(400, f"No limits: {', '.join(wrong)}")
    return known


def _limits(req: Request) -> dict[str, int]:
    return req.services.cells.api.read(quotas.of_class, quotas.configured(req.services.conf), req.path["id"])
