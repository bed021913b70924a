"""How a volume type looks (source: cinder 29.0.0 views)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.http.view import Field, View

SPECS_RULE = "volume_extension:access_types_extra_specs"
SENSITIVE_RULE = "volume_extension:types_extra_specs:read_sensitive"
_QOS_RULE = "volume_extension:access_types_qos_specs_id"
_ACCESS_RULE = "volume_extension:volume_type_access"

#: Extra specs everybody may read.
VISIBLE_SPECS = ("RESKEY:availability_zones", "multiattach", "replication_enabled")


def visible(req: Request, specs: dict[str, Any]) -> dict[str, Any]:
    """Those of the extra specs the caller may read."""
    if req.can(SENSITIVE_RULE):
        return specs
    return {key: value for key, value in specs.items() if key in VISIBLE_SPECS}


def _specs(row: Any, req: Request) -> dict[str, Any]:
    return visible(req, row["extra_specs"])


_BASE = (
    Field("id", "id"),
    Field("name", "name"),
    Field("is_public", "is_public"),
    Field("description", "description"),
    Field("extra_specs", _specs, policy=SPECS_RULE),
)
_QOS = Field("qos_specs_id", "qos_specs_id", policy=_QOS_RULE)
_ACCESS = Field("os-volume-type-access:is_public", "is_public", policy=_ACCESS_RULE)

FULL = View("volume type", (*_BASE, _QOS, _ACCESS))
#: GET /types/default.
DEFAULT = View("default volume type", (*_BASE, _QOS))
CREATED = View("new volume type", (*_BASE, _ACCESS))
CHANGED = View("changed volume type", _BASE)


def render(req: Request, view: View, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as this caller sees them."""
    return view.render(req.version, req.allowed(view.policies), rows, req)
