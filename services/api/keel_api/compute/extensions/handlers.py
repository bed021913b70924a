"""``GET /extensions`` (nova 34.0.0 http discovery: 99 aliases)."""

from __future__ import annotations

from keel_api.http import Fault, Request, handles
from keel_api.http.dialect import NOVA
from keel_api.http.ops import data

_RULE = "os_compute_api:extensions"
_ALL = data(NOVA, "extensions.json")
_OLDER = {
    **_ALL[0],
    "alias": "OS-EXT-VIF-NET",
    "name": "ExtendedVIFNet",
    "description": "Adds network id parameter to the virtual interface list.",
}
_LEGACY = sorted([*_ALL, _OLDER], key=lambda item: item["alias"])


def _shown(req: Request) -> list[dict]:
    return _LEGACY if req.legacy else _ALL


@handles("GET /extensions")
def index(req: Request) -> dict:
    """Every extension."""
    req.must(_RULE)
    return {"extensions": _shown(req)}


@handles("GET /extensions/{id}")
def show(req: Request) -> dict:
    """One extension by alias."""
    req.must(_RULE)
    found = [item for item in _shown(req) if item["alias"] == req.path["id"]]
    if not found:
        raise Fault(404)
    return {"extension": found[0]}
