"""``GET /`` and ``GET /versions/{id}`` below an endpoint (nova 34.0.0 http discovery)."""

from __future__ import annotations

from keel_api.http import Fault, Request, handles
from keel_api.http.dialect import NOVA
from keel_api.http.documents import Documents

_DOCUMENTS = Documents(NOVA)


@handles("GET /")
def own(req: Request) -> dict:
    """The version of the endpoint itself."""
    return _DOCUMENTS.nova_version(req.links.root, "v2" if req.legacy else "v2.1") or {}


@handles("GET /versions/{id}")
def show(req: Request) -> dict:
    """A version by id; the legacy endpoint always shows its own."""
    name = req.path["id"]
    if name not in ("v2.0", "v2.1"):
        raise Fault(404)
    return _DOCUMENTS.nova_version(req.links.root, "v2.0" if req.legacy else name) or {}
