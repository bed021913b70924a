"""`GET /v3/` (cinder 29.0.0 http discovery)."""

from __future__ import annotations

from typing import Any

from keel_api.http.dialect import CINDER
from keel_api.http.documents import Documents
from keel_api.http.ops import handles
from keel_api.http.request import Request

_DOCUMENTS = Documents(CINDER)


@handles("GET /")
def own(req: Request) -> dict[str, Any]:
    """The one version there is."""
    return _DOCUMENTS.cinder(req.links.root)
